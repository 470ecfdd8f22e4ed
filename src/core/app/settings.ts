/** What the user sets for the whole data folder: read once, kept in the store, told when it changes. */
import { settingsSchema, type Settings, type SettingsChange } from '../../shared/model/settings.ts'
import { createMutex } from '../base/mutex.ts'
import type { Log } from '../base/deps.ts'
import type { Store } from '../store/store.ts'

export interface SettingsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly log: Log
  onChanged(settings: Settings): void
}

export interface SettingsService {
  current(): Settings
  /** Changes what is named. Rejects with `STORE_UNAVAILABLE` where it cannot be kept; then nothing has changed. */
  change(change: SettingsChange): Promise<Settings>
}

/** Name of the row that holds them all. */
const SETTINGS = 'settings'

function readStored(text: string | null, log: Log): Settings {
  if (text === null) return settingsSchema.parse({})
  try {
    return settingsSchema.parse(JSON.parse(text))
  } catch (error) {
    log.warn('The stored settings cannot be read; the defaults hold.', { reason: (error as Error).message })
    return settingsSchema.parse({})
  }
}

export async function openSettings({ store, log, onChanged }: SettingsDeps): Promise<SettingsService> {
  let settings = readStored(await store.read('setting', SETTINGS), log)
  const exclusive = createMutex()
  return {
    current: () => settings,
    change: (change) =>
      // Each change builds on the one before.
      exclusive(async () => {
        const next = settingsSchema.parse({ ...settings, ...change, retention: { ...settings.retention, ...change.retention } })
        await store.write('writeSetting', { name: SETTINGS, value: JSON.stringify(next) })
        settings = next
        onChanged(next)
        return next
      }),
  }
}
