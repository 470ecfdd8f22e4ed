/** Commands about what the user sets for the whole data folder. */
import { settingsChangeSchema, settingsSchema } from '../../model/settings.ts'
import { command, nothing } from './command.ts'

export const settingsCommands = {
  'settings.get': command(nothing, settingsSchema),
  /** Changes what is named; it holds at once, and after a restart. */
  'settings.set': command(settingsChangeSchema, settingsSchema),
} as const
