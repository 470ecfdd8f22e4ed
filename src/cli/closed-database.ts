/** Work on a database that no process has open. */
import { makeDataFolder } from '../core/base/data-folder.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { CommandRun } from './session.ts'

/**
 * Works on the data folder while its database is closed. Rejects with `ALREADY_RUNNING`, or
 * `STORE_UNAVAILABLE` if it is read-only.
 * @param command Command line to run again, for messages.
 */
export async function withClosedDatabase<T>(
  { dataFolder }: Pick<CommandRun, 'dataFolder'>,
  command: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = dataFolder()
  const { lockForRepair } = await import('../core/store/folder-lock.ts')
  makeDataFolder(folder)
  const lock = lockForRepair(folder)
  if (lock.isServed) {
    const { readInstance } = await import('../core/control/instance-file.ts')
    const holder = await readInstance(folder)
    const name = holder === null ? '' : ` (process ${holder.pid}, ${holder.host})`
    throw new AppError(
      'ALREADY_RUNNING',
      `Countersign is running on ${folder}${name}. Stop it, then run "${command}" again.`,
      { details: { pid: holder?.pid ?? null } },
    )
  }
  try {
    return await work(folder)
  } finally {
    lock.release()
  }
}
