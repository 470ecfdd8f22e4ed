/** Commands about the repair of a damaged database, which a running instance does itself. */
import { repairStateSchema } from '../../model/repair.ts'
import { command, nothing } from './command.ts'

export const repairCommands = {
  'repair.get': command(nothing, repairStateSchema),
  /** Begins the repair. Until it has ended deliveries are answered 503, and other commands are refused with `DATABASE_DAMAGED`. */
  'repair.start': command(nothing, repairStateSchema),
  /** Cancels it; nothing is changed then. */
  'repair.cancel': command(nothing, nothing),
} as const
