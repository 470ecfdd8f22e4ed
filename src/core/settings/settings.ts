/** A data folder's settings: read once, stored, and announced when they change. */
import {
  DEFAULT_SETTINGS,
  portIn,
  type PortName,
  type PortSettings,
  settingsSchema,
  type Settings,
  type SettingsChange,
} from '../../shared/model/settings.ts'
import { createMutex } from '../base/async.ts'
import type { Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { readJsonSetting } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { AppError } from '../../shared/contract/errors.ts'

export interface SettingsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly log: Log
  readonly hub: Pick<EventHub, 'emit'>
  checkPort(port: number): Promise<void>
}

export type SettingsService = Awaited<ReturnType<typeof openSettings>>

export const SETTINGS = 'settings'
export const PUBLIC_URL = 'receiver.public-url'

export async function openSettings({ store, log, hub, checkPort }: SettingsDeps) {
  const read = async () =>
    (await readJsonSetting(store, SETTINGS, settingsSchema, (reason) =>
      log.warn("The stored settings can't be read. Using the defaults.", { reason }),
    )) ?? DEFAULT_SETTINGS
  let settings = await read()
  const exclusive = createMutex()
  /** Returns the settings after a change. Rejects if a changed port is in use. */
  const changed = async (change: SettingsChange): Promise<Settings> => {
    const next = settingsSchema.parse({
      ...settings,
      ...change,
      retention: { ...settings.retention, ...change.retention },
      desktop: { ...settings.desktop, ...change.desktop },
      ports: { ...settings.ports, ...change.ports },
      window: { ...settings.window, ...change.window },
    })
    await checkPorts(settings.ports, next.ports, checkPort)
    return next
  }
  return {
    current: (): Settings => settings,
    changed,
    /** Runs work during which no setting changes. */
    exclusively: exclusive,
    /** Reads rows that another part stored, and reports them. */
    async reload(): Promise<void> {
      settings = await read()
      hub.emit('settings.changed', settings)
    },
    /** Changes settings. Rejects with `STORE_UNAVAILABLE`, without a change. */
    change: (change: SettingsChange): Promise<Settings> =>
      exclusive(async () => {
        const next = await changed(change)
        await store.write('writeSetting', { name: SETTINGS, value: JSON.stringify(next) })
        settings = next
        hub.emit('settings.changed', next)
        return next
      }),
  }
}

const portLabels: Readonly<Record<PortName, string>> = {
  receiver: 'The receiver',
  receiverHttp: 'Plain HTTP',
  sandbox: 'The sandbox',
  ui: 'The app',
}

/** Rejects if another setting or program uses a changed port. */
async function checkPorts(
  before: PortSettings,
  next: PortSettings,
  checkPort: SettingsDeps['checkPort'],
): Promise<void> {
  const names = Object.keys(portLabels) as PortName[]
  for (const name of names) {
    const port = portIn(next, name)
    if (port === null || next[name] === null || port === portIn(before, name)) continue
    const other = names.find((one) => one !== name && portIn(next, one) === port)
    if (other !== undefined)
      throw new AppError(
        'INVALID_INPUT',
        `${portLabels[other]} already uses port ${port}. Choose another port.`,
      )
    await checkPort(port)
  }
}
