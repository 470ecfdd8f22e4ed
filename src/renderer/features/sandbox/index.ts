/** The public parts of the sandbox feature: its screen, palette entries and keyboard shortcuts. */
import { shownEventTypes } from '../../../shared/service/event-type.ts'
import {
  always,
  press,
  type PaletteItem,
  type RunKey,
  type Screens,
} from '../../ui-state/commands.ts'
import type { KeyAction } from '../../key-map.ts'
import type { SandboxView } from '../../ui-state/routes.ts'
import type { AppState } from '../../ui-state/store.ts'
import { OBJECT_FILTER_ID } from './object-list.tsx'
import { SandboxScreen } from './sandbox-screen.tsx'
import { SEND_ID } from './trigger-view.tsx'

function sandboxPalette({ core, navigation, sandbox }: AppState): readonly PaletteItem[] {
  if (core.status === null || core.status.sandbox === null) return []
  const jump = (hours: number): PaletteItem => ({
    value: `jump-${hours}`,
    label: `Advance sandbox clock by ${hours} h`,
    run: () => void sandbox.moveClock({ action: 'jump', ms: hours * 3_600_000 }),
  })
  return [
    ...shownEventTypes.map((event): PaletteItem => ({
      value: `trigger-${event}`,
      label: `Trigger ${event}…`,
      run: () => sandbox.prepareTrigger({ event }),
    })),
    jump(24),
    jump(72),
    {
      value: 'sandbox-log',
      label: 'Show sandbox delivery log',
      run() {
        sandbox.show({ view: 'log' })
        navigation.go('sandbox')
      },
    },
  ]
}

const show = (view: SandboxView) => always(({ sandbox }) => sandbox.show({ view }))

export const sandboxKeys = {
  'sandbox-send': (store) =>
    store.getState().navigation.at.sandbox.view === 'trigger' && press(SEND_ID)(store),
  'sandbox-trigger': show('trigger'),
  'sandbox-objects': show('objects'),
  'sandbox-log': show('log'),
} satisfies Partial<Record<KeyAction, RunKey>>

export const ownScreens: Screens<'sandbox'> = {
  sandbox: {
    Screen: SandboxScreen,
    scopes: () => ['sandbox'],
    commands: sandboxPalette,
    searchId: ({ navigation }) =>
      navigation.at.sandbox.view === 'objects' ? OBJECT_FILTER_ID : null,
  },
}
