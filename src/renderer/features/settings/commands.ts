/** What the palette offers of how the window looks. */
import type { PaletteItem } from '../../state/palette.ts'
import type { AppState } from '../../state/store.ts'

const themes = [
  ['dark', 'Dark theme'],
  ['light', 'Light theme'],
  ['system', 'Theme of the system'],
] as const

export function lookCommands(state: AppState): readonly PaletteItem[] {
  return [
    ...themes.map(([theme, label]) => ({
      value: `theme-${theme}`,
      label,
      run: () => {
        state.preferences.set('theme', theme)
      },
    })),
    {
      value: 'density',
      label: state.preferences.density === 'compact' ? 'Comfortable rows' : 'Compact rows',
      run: () => {
        state.preferences.set('density', state.preferences.density === 'compact' ? 'comfortable' : 'compact')
      },
    },
  ]
}
