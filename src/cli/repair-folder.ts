/** Repairs the database of a data folder for `doctor --repair`, in this process. */
import type { RepairReport } from '../shared/model/repair.ts'
import { AppError } from '../shared/contract/errors.ts'
import { createNodeDeps } from '../loopback/node-deps.ts'
import type { CommandContext } from './context.ts'
import { cancellable } from './lifetime.ts'

/** How often progress is printed, in rows. */
const TOLD_EVERY = 10_000

/** Repairs it, telling how far it is on stderr; null if the folder has no database. Rejects with `ALREADY_RUNNING` while an instance uses it. */
export async function repairFolder(context: CommandContext, dataFolder: string): Promise<RepairReport | null> {
  const [{ hasDatabase }, { lockForRepair }, { repairDatabase }] = await Promise.all([
    import('../core/store/open.ts'),
    import('../core/store/folder-lock.ts'),
    import('../core/store/repair/repair.ts'),
  ])
  if (!hasDatabase(dataFolder)) return null
  const lock = lockForRepair(dataFolder)
  if (lock.isServed)
    throw new AppError(
      'ALREADY_RUNNING',
      `Countersign is running on ${dataFolder}. Repair in its window, or stop it and run "countersign doctor --repair" again.`,
    )
  const { clock, workers } = createNodeDeps({ version: context.version, host: 'command', dataFolder, workers: context.build })
  const stopping = new AbortController()
  const cancel = () => {
    context.output.note('Cancelling…')
    stopping.abort()
  }
  let told = 0
  try {
    return await cancellable(cancel, () =>
      repairDatabase({
        dataFolder,
        worker: workers.rewriting,
        signal: stopping.signal,
        now: clock.now(),
        onProgress({ rows, deliveries, of }) {
          if (rows < told + TOLD_EVERY) return
          told = rows
          const all = of === null ? '' : ` of ${of.toLocaleString('en')}`
          context.output.note(`${deliveries.toLocaleString('en')}${all} deliveries recovered…`)
        },
      }),
    )
  } finally {
    lock.release()
  }
}
