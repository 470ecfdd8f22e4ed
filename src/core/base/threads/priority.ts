/** Thread priorities, for when there is more work than processors. */
import { setPriority } from 'node:os'

/**
 * Lowers this thread's priority below those that acknowledgements wait for. On Linux threads have their own priority; elsewhere it
 * would apply to the whole process, so nothing changes. With a free processor, nothing is slower.
 */
export function stepBack(niceness: number): void {
  if (process.platform === 'linux') setPriority(niceness)
}
