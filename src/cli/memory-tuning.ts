/**
 * Limits the memory of long-running commands by restarting the process with settings that the C
 * library and V8 read at startup.
 */
import { fileURLToPath } from 'node:url'

/**
 * Settings of the GNU C library: one heap, because each thread's kept 10 to 20 MiB unused, and
 * blocks of 128 KiB or more return to the system at once.
 */
export const ALLOCATOR_VARIABLES = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/**
 * Garbage before V8 clears the old generation, in percent of live memory; a heap limit would kill
 * threads.
 */
export const HEAP_GROWTH_FLAG = '--heap-growing-percent=50'

/** Restarts the program as the same process. Returns if the system doesn't support it. */
export function restart(entry: string, ...flags: readonly string[]): void {
  const { execArgv, execPath, argv, platform } = process
  if (platform === 'win32') return
  const words = [fileURLToPath(entry), ...argv.slice(2)]
  process.execve?.(execPath, [execPath, ...flags, ...execArgv, ...words])
}

export function applyMemorySettings(entry: string): void {
  const { env } = process
  const isApplied = Object.entries(ALLOCATOR_VARIABLES).every(
    ([name, value]) => env[name] === value,
  )
  Object.assign(env, ALLOCATOR_VARIABLES)
  if (!isApplied) restart(entry, HEAP_GROWTH_FLAG)
  // Child processes must not inherit the settings.
  for (const name of Object.keys(ALLOCATOR_VARIABLES)) Reflect.deleteProperty(env, name)
}
