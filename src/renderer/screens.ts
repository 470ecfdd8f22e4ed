/**
 * What each screen draws and offers; `state/routes.ts` has its title, keys and addresses. Navigation, palette, keys and titles are
 * derived from the two.
 */
import {
  ClipboardCheck,
  FlaskConical,
  Forward,
  GitCompareArrows,
  Inbox,
  Server,
  Settings,
  Webhook,
  Workflow,
  type LucideIcon,
} from 'lucide-react'
import type { ComponentType } from 'react'
import { DeliveriesScreen } from './app/deliveries-screen.tsx'
import { CheckScreen } from './features/check/index.ts'
import { CompareScreen } from './features/compare/index.ts'
import { FLOW_SEARCH_ID, FlowsScreen, leaveFlow } from './features/flows/index.ts'
import { ForwardScreen } from './features/forward/index.ts'
import { HandlersScreen } from './features/handlers/index.ts'
import { hookPalette, HooksScreen } from './features/hooks/index.ts'
import { leaveDeliveries, listCommands } from './features/list/index.ts'
import { replayPalette } from './features/replay/index.ts'
import { OBJECT_FILTER_ID, sandboxPalette, SandboxScreen } from './features/sandbox/index.ts'
import { lookCommands, SETTINGS_SEARCH_ID, SettingsScreen } from './features/settings/index.ts'
import { transferPalette } from './features/transfer/index.ts'
import type { PaletteItem, RunKey } from './state/commands.ts'
import type { KeyScope } from './state/key-map.ts'
import type { Screen } from './state/routes.ts'
import type { AppState } from './state/store.ts'

interface ScreenRow {
  readonly Screen: ComponentType
  readonly Icon: LucideIcon
  /** Its place in the navigation; null if other screens lead there. */
  readonly place: 'top' | 'bottom' | null
  /** The scopes of the keys that work on it, besides those that work everywhere. */
  readonly scopes?: (state: AppState) => readonly KeyScope[]
  /** Its commands in the palette. */
  readonly commands?: (state: AppState) => readonly PaletteItem[]
  /** The ID of its search field; null for the filter of the deliveries. */
  readonly searchId?: (state: AppState) => string | null
  /** What Esc does on it; false if there is nothing to leave. */
  readonly leave?: RunKey
}

export const screenRows: Readonly<Record<Screen, ScreenRow>> = {
  deliveries: {
    Screen: DeliveriesScreen,
    Icon: Inbox,
    place: 'top',
    scopes: ({ detail }) => (detail.mode === 'closed' ? ['list'] : ['list', 'detail']),
    commands: (state) => [
      ...replayPalette(state),
      ...listCommands(state),
      ...transferPalette(state),
    ],
    leave: leaveDeliveries,
  },
  compare: {
    Screen: CompareScreen,
    Icon: GitCompareArrows,
    place: null,
    scopes: () => ['compare'],
  },
  flows: {
    Screen: FlowsScreen,
    Icon: Workflow,
    place: 'top',
    scopes: ({ flows }) => (flows.opened === null ? [] : ['flows']),
    searchId: ({ flows }) => (flows.opened === null ? FLOW_SEARCH_ID : null),
    leave: leaveFlow,
  },
  handlers: { Screen: HandlersScreen, Icon: Server, place: 'top' },
  forward: { Screen: ForwardScreen, Icon: Forward, place: 'top' },
  hooks: { Screen: HooksScreen, Icon: Webhook, place: 'top', commands: hookPalette },
  check: { Screen: CheckScreen, Icon: ClipboardCheck, place: 'top' },
  sandbox: {
    Screen: SandboxScreen,
    Icon: FlaskConical,
    place: 'top',
    scopes: () => ['sandbox'],
    commands: sandboxPalette,
    searchId: ({ sandbox }) => (sandbox.view === 'objects' ? OBJECT_FILTER_ID : null),
  },
  settings: {
    Screen: SettingsScreen,
    Icon: Settings,
    place: 'bottom',
    commands: lookCommands,
    searchId: () => SETTINGS_SEARCH_ID,
  },
}
