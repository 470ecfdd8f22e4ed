/**
 * Where Node keeps compiled modules between processes. The tests start some thousand processes and threads of the same modules,
 * and of each most of the time went into stripping types and compiling.
 */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Node never removes what it has kept, and each test run adds some megabytes: its copy of the build lies in a folder of its own. */
const MOST_BYTES = 256 * 1_048_576

/** Has every process and thread that is started from now on keep its compiled modules, unless a place is named already. */
export function keepCompiledModules(): void {
  if (process.env['NODE_COMPILE_CACHE'] !== undefined) return
  const folder = join(tmpdir(), 'countersign-compile-cache')
  removeIfLarger(folder, MOST_BYTES)
  process.env['NODE_COMPILE_CACHE'] = folder
}

/** Removes a folder whose files have more bytes than that together. Processes that use the cache meanwhile compile for themselves. */
export function removeIfLarger(folder: string, mostBytes: number): void {
  try {
    let bytes = 0
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
    if (bytes > mostBytes) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    // Another run has just removed it, or there is none yet.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
