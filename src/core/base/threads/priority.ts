import { setPriority } from 'node:os'

/** Lowers this thread's priority on Linux; elsewhere it would be the whole process's. */
export function lowerPriority(niceness: number): void {
  if (process.platform === 'linux') setPriority(niceness)
}
