/** What the Settings screen shows, and the actions of the host. */
import type { PortName, SettingsChange } from '../../../shared/model/settings.ts'
import type { NativeInputOf, UpdateState } from '../../../shared/contract/native.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { saveBlob } from '../../ui/bytes.ts'
import { outcomeOf } from '../../ui/call-problem.ts'

interface SettingsState {
  /** Shown instead of the section that the address names, unless empty. */
  readonly search: string
  /** The last change on this screen is stored. */
  readonly saved: boolean
  /** Ports changed since this page loaded: they apply after a restart. */
  readonly changedPorts: readonly PortName[]

  readonly canShowInFolder: boolean
  /** Whether the host is the desktop app, with menus, notifications and a tray. */
  readonly isDesktop: boolean
  /** Null until the host has told it; always in a browser. */
  readonly update: UpdateState | null
}

/** Settings actions. Some hosts lack some of them. */
export function createSettingsSlice({
  client,
  act,
  capabilities,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<SettingsState, { readonly navigation: NavigationSlice }>) {
  subscribe(({ navigation: { at } }, { navigation: before }) => {
    if (at.settings !== before.at.settings) actions.setSearch('')
  })
  const first: SettingsState = {
    canShowInFolder: capabilities.showInFolder,
    isDesktop: capabilities.desktop,
    update: null,
    search: '',
    saved: false,
    changedPorts: [],
  }
  const actions = {
    setSearch(search: string) {
      set({ search, saved: false })
    },
    /** Stores a port; null for the default port, or off. */
    async setPort(name: PortName, port: number | null) {
      const outcome = await outcomeOf(client.call('settings.set', { ports: { [name]: port } }))
      if (outcome.ok)
        set(({ changedPorts }) => ({ saved: true, changedPorts: [...changedPorts, name] }))
      return outcome
    },
    /** Shows updates, and checks for one unless one is known. */
    async openUpdates() {
      app().navigation.openOverlay('updates')
      await actions.actOnUpdate('look')
      const phase = get().update?.phase
      if (phase === 'idle' || phase === 'current' || phase === 'failed')
        await actions.actOnUpdate('check')
    },
    async actOnUpdate(action: NativeInputOf<'native.update'>['action']) {
      await act("Couldn't reach the updater", async () => {
        set({ update: await client.callNative('native.update', { action }) })
      })
    },
    updateChanged(update: UpdateState) {
      set({ update })
    },
    /** Changes settings of the data folder. The core announces the new values. */
    async change(change: SettingsChange) {
      await act("Couldn't change the setting", async () => {
        await client.call('settings.set', change)
        set({ saved: true })
      })
    },
    async quit() {
      await act("Couldn't quit", async () => {
        await client.callNative('native.quit', {})
      })
    },
    async saveDiagnostics() {
      await act("Couldn't save the diagnostics", async () => {
        const { name, text } = await client.call('app.diagnostics', {})
        saveBlob(new Blob([text], { type: 'application/json' }), name)
      })
    },
    async signOutOthers() {
      await act("Couldn't sign out other browsers", () => client.call('app.signOut', {}), {
        done: () => ({ tone: 'ok', title: 'Signed out other browsers' }),
      })
    },
    async showInFolder(what: 'data' | 'ca') {
      await act("Couldn't open the folder", async () => {
        await client.callNative('native.showInFolder', { what })
      })
    },
  }
  return { ...first, ...actions }
}
