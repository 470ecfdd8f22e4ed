/** The handlers of the settings commands. */
import type { settingsCommands } from '../../shared/contract/nouns/settings.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import type { Services } from './services.ts'

export function createSettingsHandlers({ settings }: Services): Pick<Handlers, keyof typeof settingsCommands> {
  return {
    'settings.get': async () => settings.current(),
    'settings.set': (change) => settings.change(change),
  }
}
