/** Ports to listen on, remembered so that registered URLs stay valid. */
import { portIn, type PortName } from '../../shared/model/settings.ts'
import type { Store } from '../store/store.ts'
import type { SettingsService } from './settings.ts'

export type Ports = ReturnType<typeof createPorts>

export function createPorts(
  store: Pick<Store, 'read' | 'write'>,
  settings: Pick<SettingsService, 'current'>,
) {
  const settingOf = (name: PortName) => `port.${name === 'receiverHttp' ? 'receiver-http' : name}`
  return {
    /** Returns the port to try: 0 for any, null if off. If 0 is requested, tries the last one. */
    async choose(name: PortName, requested: number | undefined): Promise<number | null> {
      if (requested === undefined) return portIn(settings.current().ports, name)
      if (requested !== 0) return requested
      return Number((await store.read('setting', settingOf(name))) ?? 0)
    },
    /** Remembers the port that a request for 0 received. */
    async remember(name: PortName, port: number): Promise<void> {
      await store.write('writeSetting', { name: settingOf(name), value: String(port) })
    },
  }
}
