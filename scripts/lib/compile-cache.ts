/**
 * Node's cache of compiled modules, because compiling takes most of the time of a thousand test
 * processes.
 */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { privateFolder } from '../../src/core/base/private-folder.ts'

/** Largest size of the cache in bytes, which Node never removes. */
const MOST_BYTES = 256 * 1_048_576

/** Makes processes and threads that start from now on use the cache of the command line. */
export function keepCompiledModules(): void {
  const folder = privateFolder('compiled')
  process.env['NODE_COMPILE_CACHE'] = folder ?? ''
  if (folder === null) return
  // Commands look for it there if a test gives them another home.
  process.env['XDG_CACHE_HOME'] = resolve(folder, '../..')
  removeIfLarger(folder, MOST_BYTES)
}

/** Removes a folder whose files exceed a total size. */
function removeIfLarger(folder: string, mostBytes: number): void {
  try {
    let bytes = 0
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
    if (bytes > mostBytes) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    // Another run removed it, or it doesn't exist yet.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
