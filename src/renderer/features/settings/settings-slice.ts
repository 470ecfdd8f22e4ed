/** What is done in the settings; what only some hosts can do is read as capabilities. */
import type { SettingsChange } from '../../../shared/model/settings.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'

export interface SettingsSlice {
  readonly canShowInFolder: boolean
  showInFolder(what: 'data' | 'ca'): Promise<void>
  /** Changes settings of the data folder; what came of it is told by the core. */
  change(change: SettingsChange): Promise<void>
}

export function createSettingsSlice({ client, act, capabilities }: FeatureTools<SettingsSlice>): SettingsSlice {
  return {
    canShowInFolder: capabilities.showInFolder,
    async change(change) {
      await act('The setting was not changed', async () => {
        await client.call('settings.set', change)
      })
    },
    async showInFolder(what) {
      await act('The folder was not opened', async () => {
        await client.callNative('native.showInFolder', { what })
      })
    },
  }
}
