/**
 * Limits the memory of long-running commands. The C library and V8 read their memory settings at startup, so `serve` restarts
 * itself with them before doing anything: same process, same streams, about 40 ms later.
 */
import { fileURLToPath } from 'node:url'

/**
 * For the GNU C library only. All threads share one heap; separate heaps kept 10 to 20 MiB unused each. Blocks of 128 KiB or more
 * always return to the system; by default, up to 32 MiB stay, for example a Brotli window.
 */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/**
 * Garbage V8 may collect before clearing the old generation, in percent of live memory; by default up to three times as much. A
 * heap limit would also work, but would kill a thread that reads a very large body.
 */
export const GROWTH = '--heap-growing-percent=50'

/** Restarts the program as the same process, if the system supports it; then it does not return. */
export function restart(entry: string, ...flags: readonly string[]): void {
  const { execArgv, execPath, argv, platform } = process
  if (platform === 'win32') return
  const words = [fileURLToPath(entry), ...argv.slice(2)]
  process.execve?.(execPath, [execPath, ...flags, ...execArgv, ...words])
}

/** Restarts the program once, with the settings. */
export function beginLean(entry: string): void {
  const { env } = process
  const isApplied = Object.entries(ALLOCATOR).every(([name, value]) => env[name] === value)
  Object.assign(env, ALLOCATOR)
  if (!isApplied) restart(entry, GROWTH)
  // Child processes must not inherit the settings.
  for (const name of Object.keys(ALLOCATOR)) Reflect.deleteProperty(env, name)
}
