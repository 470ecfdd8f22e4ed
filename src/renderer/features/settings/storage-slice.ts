/** Storage: disk usage, retention limits; and changing the settings. */
import type { OutputOf } from '../../../shared/contract/contract.ts'
import type { Retention, Storage } from '../../../shared/model/keeping.ts'
import type { PortName, SettingsChange } from '../../../shared/model/settings.ts'
import type { NativeInputOf, UpdateState } from '../../../shared/contract/native.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { saveBlob } from '../../ui/save.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'

export interface StorageSlice {
  /** Null until loaded. */
  readonly state: Storage | null
  readonly problem: string | null
  read(): Promise<void>
  /** How many deliveries these limits would remove now. */
  previewLimits(limits: Retention): Promise<CallResult<OutputOf<'retention.preview'>>>
  setLimits(limits: Retention): Promise<CallResult<unknown>>
}

export function createStorageSlice({ client, resource }: FeatureTools<StorageSlice>): StorageSlice {
  return {
    state: null,
    problem: null,
    read: resource(async () => {
      const { storage } = await client.call('storage.get', {})
      return { state: storage }
    }, 'problem'),
    previewLimits: (limits) => outcomeOf(client.call('retention.preview', limits)),
    setLimits: (limits) => outcomeOf(client.call('settings.set', { retention: limits })),
  }
}

export const settingsSections = [
  'environments',
  'receiver',
  'handlers',
  'appearance',
  'keyboard',
  'desktop',
  'secrets',
  'storage',
  'retention',
  'transfer',
  'remote',
  'about',
] as const
export type SettingsSection = (typeof settingsSections)[number]

interface SettingsSlice {
  /** The shown section, unless a search is shown instead. */
  readonly section: SettingsSection
  readonly search: string
  /** The last change on this screen is stored. */
  readonly saved: boolean
  /** Ports changed since this page loaded: they apply after a restart. */
  readonly changedPorts: readonly PortName[]
  /** Shows a section and ends the search. */
  show(section: SettingsSection): void
  setSearch(search: string): void
  /** Null: the default port, or off. */
  setPort(name: PortName, port: number | null): Promise<CallResult<unknown>>
  readonly canShowInFolder: boolean
  /** Whether the host is the desktop app, with menus, notifications and a tray. */
  readonly isDesktop: boolean
  /** Null until the host has told it; always in a browser. */
  readonly update: UpdateState | null
  /** Shows updates, and checks for one unless one is known. */
  openUpdates(): Promise<void>
  actOnUpdate(action: NativeInputOf<'native.update'>['action']): Promise<void>
  updateChanged(update: UpdateState): void
  showInFolder(what: 'data' | 'ca'): Promise<void>
  /** Quits the desktop app. */
  quit(): Promise<void>
  /** Changes settings of the data folder. The core announces the new values. */
  change(change: SettingsChange): Promise<void>
  /** Saves a file for a bug report. */
  saveDiagnostics(): Promise<void>
}

/** Settings actions. Some hosts lack some of them. */
export function createSettingsSlice({
  client,
  act,
  capabilities,
  set,
  get,
  app,
}: FeatureTools<SettingsSlice, { readonly navigation: NavigationSlice }>): SettingsSlice {
  return {
    canShowInFolder: capabilities.showInFolder,
    isDesktop: capabilities.desktop,
    update: null,
    section: 'environments',
    search: '',
    saved: false,
    changedPorts: [],
    show(section) {
      set({ section, search: '', saved: false })
    },
    setSearch(search) {
      set({ search, saved: false })
    },
    async setPort(name, port) {
      const outcome = await outcomeOf(client.call('settings.set', { ports: { [name]: port } }))
      if (outcome.ok)
        set(({ changedPorts }) => ({ saved: true, changedPorts: [...changedPorts, name] }))
      return outcome
    },
    async openUpdates() {
      app().navigation.openOverlay('updates')
      await get().actOnUpdate('look')
      const phase = get().update?.phase
      if (phase === 'idle' || phase === 'current' || phase === 'failed')
        await get().actOnUpdate('check')
    },
    async actOnUpdate(action) {
      await act("Couldn't reach the updater", async () => {
        set({ update: await client.callNative('native.update', { action }) })
      })
    },
    updateChanged(update) {
      set({ update })
    },
    async change(change) {
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
    async showInFolder(what) {
      await act("Couldn't open the folder", async () => {
        await client.callNative('native.showInFolder', { what })
      })
    },
  }
}
