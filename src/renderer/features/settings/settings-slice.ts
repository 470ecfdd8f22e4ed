/** What is done in the settings; what only some hosts can do is read as capabilities. */
import type { SettingsChange } from '../../../shared/model/settings.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet, sentenceOf } from '../../state/slice-context.ts'

export interface SettingsSlice {
  readonly canShowInFolder: boolean
  showInFolder(what: 'data' | 'ca'): Promise<void>
  /** Changes settings of the data folder; what came of it is told by the core. */
  change(change: SettingsChange): Promise<void>
}

export function createSettingsSlice({ client, capabilities, notify }: FeatureTools<SettingsSlice>): SettingsSlice {
  return {
    canShowInFolder: capabilities.showInFolder,
    async change(change) {
      try {
        await client.call('settings.set', change)
      } catch (error) {
        if (!isQuiet(error)) notify({ tone: 'bad', title: 'The setting was not changed', message: sentenceOf(error) })
      }
    },
    async showInFolder(what) {
      try {
        await client.callNative('native.showInFolder', { what })
      } catch (error) {
        if (!isQuiet(error)) notify({ tone: 'bad', title: 'The folder was not opened', message: sentenceOf(error) })
      }
    },
  }
}
