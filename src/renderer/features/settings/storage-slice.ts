/** Storage: disk usage, retention limits; and changing the settings. */
import type { OutputOf, InputOf } from '../../../shared/contract/contract.ts'
import type { Retention, Storage } from '../../../shared/model/keeping.ts'
import type { PortName, SettingsChange } from '../../../shared/model/settings.ts'
import type { NativeInputOf, UpdateState } from '../../../shared/contract/native.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { saveBlob } from '../../ui/save.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'
import type { Environment, EnvironmentCheck } from '../../../shared/model/environment.ts'
import type { EntitiesSlice } from '../../state/entities-slice.ts'

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

// Environment actions and check results.

interface EnvironmentsSlice {
  /** The environment being edited; null for a new one. */
  readonly name: string | null
  /** The last check result of each environment. */
  readonly checks: Readonly<Record<string, EnvironmentCheck | 'checking'>>
  setName(name: string | null): void
  /** Environments were added, changed or removed, in the window or from the command line. */
  changed(environments: readonly Environment[]): void
  add(input: InputOf<'environments.add'>): Promise<CallResult<Environment>>
  update(input: InputOf<'environments.update'>): Promise<CallResult<Environment>>
  remove(input: InputOf<'environments.remove'>): Promise<CallResult<object>>
  /** Sets the prefix that deliveries are signed under. Stored deliveries are then judged again. */
  usePrefix(environment: string, prefix: string): Promise<void>
  /** Rejects with `CONFIRMATION_REQUIRED` for a live environment without `live`. */
  makeCurrent(name: string, live: boolean): Promise<unknown>
  check(name: string, live: boolean): Promise<void>
}

export function createEnvironmentsSlice({
  client,
  act,
  set,
  get,
  app,
}: FeatureTools<EnvironmentsSlice, { readonly core: EntitiesSlice }>): EnvironmentsSlice {
  const forgetCheck = (name: string) =>
    set(({ checks: environmentChecks }) => ({
      checks: Object.fromEntries(Object.entries(environmentChecks).filter(([of]) => of !== name)),
    }))
  const changing = async <T>(name: string, call: Promise<T>): Promise<CallResult<T>> => {
    const outcome = await outcomeOf(call)
    if (outcome.ok) forgetCheck(name)
    return outcome
  }
  return {
    name: null,
    checks: {},
    setName(name) {
      set({ name })
    },
    changed(environments) {
      const before = app().core.environments
      app().core.setEnvironments(environments)
      for (const name of Object.keys(get().checks)) {
        const [was, is] = [before, environments].map((list) =>
          list.find((one) => one.name === name),
        )
        if (!isSameAccount(was, is)) forgetCheck(name)
      }
    },
    add: (input) => changing(input.name, client.call('environments.add', input)),
    update: (input) => changing(input.name, client.call('environments.update', input)),
    remove: (input) => changing(input.name, client.call('environments.remove', input)),
    async usePrefix(name, prefix) {
      await act(`Couldn't change ${name}`, () =>
        client.call('environments.update', { name, prefix }),
      )
    },
    makeCurrent: (name, live) => client.call('environments.use', { name, live }),
    async check(name, live) {
      if (get().checks[name] === 'checking') return
      set(({ checks }) => ({ checks: { ...checks, [name]: 'checking' } }))
      const check = await act(`Couldn't check ${name}`, () =>
        client.call('environments.check', { name, live }),
      )
      if (check === undefined) forgetCheck(name)
      else set(({ checks }) => ({ checks: { ...checks, [name]: check } }))
    },
  }
}

/** Whether a change affects check results: any except which environment is current. */
function isSameAccount(one: Environment | undefined, other: Environment | undefined): boolean {
  return JSON.stringify({ ...one, current: null }) === JSON.stringify({ ...other, current: null })
}
