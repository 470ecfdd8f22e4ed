import { readFileSync } from 'node:fs'

/** Whether a process with this ID runs on this computer. One that has ended stays known until its parent asks. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return (
      process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    )
  } catch (error) {
    // It exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
