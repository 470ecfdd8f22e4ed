/** State of the core that the tray, closing and notifications need. */
import type { Log } from '../core/base/deps.ts'
import { type DesktopSettings, DEFAULT_SETTINGS } from '../shared/model/settings.ts'
import type { Client } from '../shared/rpc/client.ts'
import type { TrayFacts } from './tray.ts'

/** Latest state of the core, changed in place. */
export interface CoreState extends TrayFacts {
  /** False until the core's first answer. */
  isRunning: boolean
  receiver: TrayFacts['receiver']
  last: TrayFacts['last']
  desktop: DesktopSettings
}

interface CoreStateDeps {
  readonly client: Client
  readonly log: Log
}

/** Follows the core's state, and reads it again after a gap in its events. */
export function reportCoreState({ client, log }: CoreStateDeps, onChanged: () => void): CoreState {
  const coreState: CoreState = {
    isRunning: false,
    receiver: { state: 'off', url: null, publicUrl: null, httpUrl: null, problem: null },
    last: null,
    desktop: DEFAULT_SETTINGS.desktop,
  }
  const read = async () => {
    try {
      const [{ desktop }, { receiver }, { items }] = await Promise.all([
        client.call('settings.get', {}),
        client.call('app.status', {}),
        client.call('deliveries.list', { limit: 1 }),
      ])
      Object.assign(coreState, { isRunning: true, desktop, receiver, last: items[0] ?? null })
      onChanged()
    } catch (error) {
      // A damaged database can't be read; the page says so.
      log.warn("The tray couldn't read the state.", { error })
    }
  }
  client.on('settings.changed', ({ desktop }) => {
    coreState.desktop = desktop
  })
  client.on('receiver.changed', (receiver) => {
    coreState.receiver = receiver
    onChanged()
  })
  client.on('deliveries.changed', ({ added: [newest] }) => {
    if (newest === undefined) return
    coreState.last = newest
    onChanged()
  })
  client.on('deliveries.deleted', () => void read())
  client.onGap(() => void read())
  void read()
  return coreState
}
