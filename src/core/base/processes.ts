/** Whether another process on this computer still exists. */

export function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
