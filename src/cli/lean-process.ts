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
const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * In MiB, far more than is ever needed: what lies in buffers does not count. Where there may be several GiB, V8 lets garbage grow to four
 * times what lives; with this, to about half of it.
 */
const MOST_HEAP = '--max-old-space-size=1024'

/** Begins the program at `entry` anew with the same arguments, once, where the system can; then it does not return. */
export function beginLean(entry: string): void {
  const { env, execArgv, execPath, argv, platform } = process
  if (Object.entries(ALLOCATOR).every(([name, value]) => env[name] === value)) {
    // It has been read: what we start is not to have it.
    for (const name of Object.keys(ALLOCATOR)) Reflect.deleteProperty(env, name)
    return
  }
  if (process.execve === undefined || platform === 'win32') return
  // Whoever gave a size for the heap has a reason.
  const given = /max.old.space.size/.test(`${execArgv.join(' ')} ${env['NODE_OPTIONS'] ?? ''}`)
  const flags = given ? execArgv : [...execArgv, MOST_HEAP]
  process.execve(execPath, [execPath, ...flags, fileURLToPath(entry), ...argv.slice(2)], { ...env, ...ALLOCATOR })
}
