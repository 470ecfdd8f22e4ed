/**
 * Node's cache of compiled modules. The tests start about a thousand processes and threads with the same modules, and most of their
 * time was spent stripping types and compiling.
 */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { privateFolder } from '../../src/core/base/private-folder.ts'

/** Node never removes its cache, and each test run adds some megabytes because its copy of the build is in a new folder. */
const MOST_BYTES = 256 * 1_048_576

/** Makes every process and thread started from now on use the cache of the command line. */
export function keepCompiledModules(): void {
  const folder = privateFolder('compiled')
  process.env['NODE_COMPILE_CACHE'] = folder ?? ''
  if (folder === null) return
  // Commands look for it there if a test gives them another home.
  process.env['XDG_CACHE_HOME'] = resolve(folder, '../..')
  removeIfLarger(folder, MOST_BYTES)
}

/** Removes a folder whose files exceed this total size. Processes that use the cache meanwhile compile on their own. */
function removeIfLarger(folder: string, mostBytes: number): void {
  try {
    let bytes = 0
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
    if (bytes > mostBytes) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    // Another run has just removed it, or it doesn't exist yet.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
