/** What the sandbox can be asked for from anywhere, where one runs. */
import { shownEventTypes } from '../../../shared/service/event-type.ts'
import type { PaletteItem } from '../../state/palette.ts'
import type { AppState } from '../../state/store.ts'

export function sandboxPalette(state: AppState): readonly PaletteItem[] {
  if (state.core.status === null || state.core.status.sandbox === null) return []
  const events = shownEventTypes.map((event): PaletteItem => ({
    value: `trigger-${event}`,
    label: `Trigger ${event}…`,
    run: () => {
      state.navigation.go('sandbox')
      state.sandbox.prepareTrigger({ event })
    },
  }))
  const jump = (hours: number): PaletteItem => ({
    value: `jump-${hours}`,
    label: `Jump the sandbox’s clock ${hours} h ahead`,
    run: () => void state.sandbox.changeClock({ action: 'jump', ms: hours * 3_600_000 }),
  })
  return [
    ...events,
    jump(24),
    jump(72),
    {
      value: 'sandbox-log',
      label: 'Show what the sandbox sent',
      run: () => {
        state.navigation.go('sandbox')
        state.sandbox.show('log')
      },
    },
  ]
}
