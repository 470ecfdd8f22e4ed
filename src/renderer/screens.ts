/**
 * What each screen draws and offers; `state/routes.ts` has its title, keys and addresses. Navigation, palette, keys and titles are
 * derived from the two.
 */
import {
  FlaskConical,
  Inbox,
  Server,
  Settings,
  Webhook,
  Workflow,
  type LucideIcon,
} from 'lucide-react'
import type { ComponentType } from 'react'
import { DeliveriesScreen } from './app/deliveries-screen.tsx'
import { CompareScreen } from './features/compare/index.ts'
import { FLOW_SEARCH_ID, FlowsScreen, leaveFlow } from './features/flows/index.ts'
import { CheckScreen, HandlersScreen } from './features/handlers/index.ts'
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
  /** Its place in the navigation, or the screen that it is part of. */
  readonly place: { readonly at: 'top' | 'bottom'; readonly Icon: LucideIcon } | Screen
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
    place: { at: 'top', Icon: Inbox },
    scopes: ({ navigation }) =>
      navigation.at.deliveries.id === undefined ? ['list'] : ['list', 'detail'],
    commands: (state) => [
      ...replayPalette(state),
      ...listCommands(state),
      ...transferPalette(state),
    ],
    leave: leaveDeliveries,
  },
  compare: {
    Screen: CompareScreen,
    place: 'deliveries',
    scopes: () => ['compare'],
  },
  flows: {
    Screen: FlowsScreen,
    place: { at: 'top', Icon: Workflow },
    scopes: ({ flows }) => (flows.opened === null ? [] : ['flows']),
    searchId: ({ flows }) => (flows.opened === null ? FLOW_SEARCH_ID : null),
    leave: leaveFlow,
  },
  handlers: { Screen: HandlersScreen, place: { at: 'top', Icon: Server } },
  forward: { Screen: HandlersScreen, place: 'handlers' },
  check: { Screen: CheckScreen, place: 'handlers' },
  hooks: { Screen: HooksScreen, place: { at: 'top', Icon: Webhook }, commands: hookPalette },
  sandbox: {
    Screen: SandboxScreen,
    place: { at: 'top', Icon: FlaskConical },
    scopes: () => ['sandbox'],
    commands: sandboxPalette,
    searchId: ({ sandbox }) => (sandbox.view === 'objects' ? OBJECT_FILTER_ID : null),
  },
  settings: {
    Screen: SettingsScreen,
    place: { at: 'bottom', Icon: Settings },
    commands: lookCommands,
    searchId: () => SETTINGS_SEARCH_ID,
  },
}
