/** Palette entries and keyboard shortcuts for the sandbox. */
import { shownEventTypes } from '../../../shared/service/event-type.ts'
import { always, press, type PaletteItem, type RunKey } from '../../state/commands.ts'
import type { KeyAction } from '../../state/key-map.ts'
import type { AppState } from '../../state/store.ts'
import { SEND_ID } from './trigger-view.tsx'

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
    label: `Advance sandbox clock by ${hours} h`,
    run: () => void state.sandbox.changeClock({ action: 'jump', ms: hours * 3_600_000 }),
  })
  return [
    ...events,
    jump(24),
    jump(72),
    {
      value: 'sandbox-log',
      label: 'Show sandbox delivery log',
      run: () => {
        state.navigation.go('sandbox')
        state.sandbox.show('log')
      },
    },
  ]
}

const show = (view: 'trigger' | 'objects' | 'log') => always((state) => state.sandbox.show(view))

export const sandboxKeys = {
  'sandbox-send': (store) => store.getState().sandbox.view === 'trigger' && press(SEND_ID)(store),
  'sandbox-trigger': show('trigger'),
  'sandbox-objects': show('objects'),
  'sandbox-log': show('log'),
} satisfies Partial<Record<KeyAction, RunKey>>
