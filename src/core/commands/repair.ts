/** Handlers of the repair, in a core whose database is open. */
import { AppError } from '../../shared/contract/errors.ts'
import type { repairCommands } from '../../shared/contract/nouns/repair.ts'
import { NO_REPAIR } from '../../shared/model/repair.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import type { Services } from './services.ts'

export function createRepairHandlers({ repair, store }: Services): Pick<Handlers, keyof typeof repairCommands> {
  return {
    'repair.get': () => Promise.resolve(repair?.state() ?? NO_REPAIR),
    'repair.start': async () => {
      if (repair === null) throw new AppError('UNSUPPORTED', 'This command has no window. Run "countersign doctor --repair".')
      const { problem } = await store.status()
      repair.start(new AppError('DATABASE_DAMAGED', problem ?? 'The database is being checked for damage.'))
      return { ...NO_REPAIR, phase: 'running' }
    },
    'repair.cancel': () => Promise.resolve({}),
  }
}
