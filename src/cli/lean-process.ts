/**
 * A process that goes on for days takes little memory. How the C library and V8 hand memory out is settled when a process begins, so
 * `serve` begins anew with what suits it, before it has done anything: same process, same streams, some 40 ms later.
 */
import { fileURLToPath } from 'node:url'

/**
 * For the GNU C library; others do not read it. All threads share one heap: each with one of its own kept ten to twenty MiB that nobody
 * used. And blocks from 128 KiB on always go back to the system: by itself it keeps up to 32 MiB of each size it has once seen freed, among
 * them the window of a Brotli body.
 */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * How much garbage V8 lets gather before it clears the old generation, in percent of what lives: by itself up to three times as much, where
 * the machine has memory. A ceiling of the heap would bound it too, but end a thread that reads a very large body.
 */
export const GROWTH = '--heap-growing-percent=50'

/** Begins the program at `entry` anew with the same arguments, once, where the system can; then it does not return. */
export function beginLean(entry: string): void {
  const { env, execArgv, execPath, argv, platform } = process
  if (Object.entries(ALLOCATOR).every(([name, value]) => env[name] === value)) {
    // It has been read: what we start is not to have it.
    for (const name of Object.keys(ALLOCATOR)) Reflect.deleteProperty(env, name)
    return
  }
  if (process.execve === undefined || platform === 'win32') return
  process.execve(execPath, [execPath, GROWTH, ...execArgv, fileURLToPath(entry), ...argv.slice(2)], { ...env, ...ALLOCATOR })
}
