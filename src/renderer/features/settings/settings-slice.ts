import type { PortName, SettingsChange } from '../../../shared/model/settings.ts'
import type { NativeInputOf, UpdateState } from '../../../shared/contract/native.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { settleCall } from '../../ui/call-problem.ts'
import { saveBlob } from '../../ui/save-file.ts'

interface SettingsState {
  /** Search text; its matches replace the section of the address. */
  readonly search: string
  readonly saved: boolean
  /** Ports changed since this page loaded, which apply after a restart. */
  readonly changedPorts: readonly PortName[]
  readonly canShowInFolder: boolean
  readonly isDesktop: boolean
  /** State of updates; null until the host reports it, and in a browser. */
  readonly update: UpdateState | null
}

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
  const initialState: SettingsState = {
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
    /** Stores a port; null means the default port, or off. */
    async setPort(name: PortName, port: number | null) {
      const outcome = await settleCall(client.call('settings.set', { ports: { [name]: port } }))
      if (outcome.ok)
        set(({ changedPorts }) => ({ saved: true, changedPorts: [...changedPorts, name] }))
      return outcome
    },
    /** Opens the dialog of updates, and checks for one unless one is known. */
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
    /** Changes settings of the data folder; the core announces the new values. */
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
  return { ...initialState, ...actions }
}
