/** What only some hosts can do for the settings, read as capabilities. */
import type { StateCreator } from 'zustand/vanilla'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'

export interface SettingsSlice {
  readonly canShowInFolder: boolean
  showInFolder(what: 'data' | 'ca'): Promise<void>
}

export function createSettingsSlice({ client, capabilities, notify }: SliceContext): StateCreator<SettingsSlice> {
  return () => ({
    canShowInFolder: capabilities.showInFolder,
    async showInFolder(what) {
      try {
        await client.callNative('native.showInFolder', { what })
      } catch (error) {
        if (!isQuiet(error)) notify({ tone: 'bad', title: 'The folder was not opened', message: sentenceOf(error) })
      }
    },
  })
}
