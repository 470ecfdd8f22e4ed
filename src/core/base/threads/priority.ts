/** Which threads go first where there are fewer processors than work. */
import { setPriority } from 'node:os'

/**
 * Lets this thread step back behind those that an acknowledgement waits for. On Linux a priority is a thread's own; elsewhere it
 * would be the whole process's, and is left as it is. With a processor free, nothing goes slower for it.
 */
export function stepBack(niceness: number): void {
  if (process.platform === 'linux') setPriority(niceness)
}
