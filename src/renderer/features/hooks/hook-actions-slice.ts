/** Actions on hooks, at the service and locally. Each resolves with an outcome for its form. */
import type { InputOf, OutputOf } from '../../../shared/contract/contract.ts'
import { knownPrograms, type Hook, type HookSync } from '../../../shared/model/hook.ts'
import type { ReceiverStatus, AddressTest, TunnelStatus } from '../../../shared/model/status.ts'
import type { EntitiesSlice } from '../../state/entities-slice.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { isOfSandbox } from '../../state/environments.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'
import type { HookBeginning } from './hook-form.ts'

export type Repointed = OutputOf<'hooks.repoint'>['moved']
type Registered = OutputOf<'hooks.add'>
type Check = OutputOf<'hooks.check'>

export interface HookActionsSlice {
  /** The selected hook, which the dialogs act on. */
  readonly selectedId: string | null
  /** Initial values of the registration form: a gone hook to register again, or an event without a hook. */
  readonly draft: HookBeginning | null
  /** The URL that the edit form starts with, if it isn't the hook's own. */
  readonly editUrl: string | null
  /** Values that the import form starts with. */
  readonly importDraft: { readonly event: string | null; readonly url: string } | null
  /** Whether the sandbox is sending an event for a hook. */
  readonly sendingEvent: boolean
  select(id: string | null): void
  setDraft(hook: HookBeginning | null): void
  /** Opens the form of a hook with another URL. */
  editWithUrl(id: string, url: string): void
  /** Opens the import form for a URL. */
  startImport(draft: NonNullable<HookActionsSlice['importDraft']>): void
  /** Removes the values that the forms would start with. */
  clearDrafts(): void
  check(input: InputOf<'hooks.check'>, signal: AbortSignal): Promise<Check | null>
  add(input: InputOf<'hooks.add'>): Promise<CallResult<Registered>>
  /** Adds a hook created elsewhere. */
  importMade(input: InputOf<'hooks.import'>): Promise<CallResult<OutputOf<'hooks.import'>>>
  update(input: InputOf<'hooks.update'>): Promise<CallResult<Registered>>
  remove(id: string, live: boolean): Promise<CallResult<Hook>>
  /** Removes a deleted hook for good, unless something needs it. */
  purge(id: string, live: boolean): Promise<CallResult<Hook>>
  /** `live` confirms the change for a live hook, as in `removeHook`. */
  rotateSecret(id: string, secret: string, live: boolean): Promise<CallResult<Hook>>
  /** The secret of a hook. Null if it can't be read; the user then sees why. */
  revealSecret(id: string): Promise<string | null>
  setAnswering(id: string, rule: Hook['answering'], live: boolean): Promise<CallResult<Hook>>
  setPublicUrl(url: string | null): Promise<CallResult<ReceiverStatus>>
  sync(input: InputOf<'hooks.sync'>): Promise<CallResult<HookSync>>
  repoint(input: InputOf<'hooks.repoint'>): Promise<CallResult<Repointed>>
  /** Known program IDs of an environment: those of its hooks plus the sandbox's. */
  programsOf(environment: string): Promise<readonly string[]>
  /** Makes the sandbox send the hook's event and reports the handler's response. */
  sendEventOf(hook: Hook, live: boolean): Promise<void>
}

export function createHookActionsSlice({
  client,
  act,
  set,
  app,
}: FeatureTools<
  HookActionsSlice,
  { readonly core: EntitiesSlice; readonly navigation: NavigationSlice }
>): HookActionsSlice {
  /** Stores the returned hook immediately: its event may arrive after the response. */
  const keeping = async <T extends Hook>(call: Promise<T>): Promise<CallResult<T>> => {
    const outcome = await outcomeOf(call)
    if (outcome.ok) app().core.putHook(outcome.value)
    return outcome
  }
  const keepingRegistered = async (call: Promise<Registered>): Promise<CallResult<Registered>> => {
    const outcome = await outcomeOf(call)
    if (outcome.ok) app().core.putHook(outcome.value.hook)
    return outcome
  }
  return {
    selectedId: null,
    draft: null,
    editUrl: null,
    importDraft: null,
    sendingEvent: false,
    select(id) {
      set({ selectedId: id })
    },
    setDraft(hook) {
      set({ draft: hook })
    },
    editWithUrl(selectedId, editUrl) {
      set({ selectedId, editUrl })
      app().navigation.openOverlay('edit-hook')
    },
    startImport(importDraft) {
      set({ importDraft })
      app().navigation.openOverlay('import-hook')
    },
    clearDrafts() {
      set({ editUrl: null, importDraft: null })
    },
    async check(input, signal) {
      try {
        return await client.call('hooks.check', input, { signal })
      } catch {
        // A check only advises. Submitting the form reports all problems again.
        return null
      }
    },
    async add(input) {
      const outcome = await keepingRegistered(client.call('hooks.add', input))
      if (outcome.ok) set({ selectedId: outcome.value.hook.id })
      return outcome
    },
    importMade: (input) => keeping(client.call('hooks.import', input)),
    update: (input) => keepingRegistered(client.call('hooks.update', input)),
    remove: (id, live) => keeping(client.call('hooks.remove', { id, live })),
    async purge(id, live) {
      const outcome = await outcomeOf(client.call('hooks.remove', { id, purge: true, live }))
      if (outcome.ok) app().core.dropHook(id)
      return outcome
    },
    rotateSecret: (id, secret, live) => keeping(client.call('hooks.rotate', { id, secret, live })),
    async revealSecret(id) {
      const revealed = await act("Couldn't show the secret", () =>
        client.call('hooks.reveal', { id }),
      )
      return revealed?.secret ?? null
    },
    setAnswering: (id, rule, live) => keeping(client.call('hooks.answer', { id, rule, live })),
    async setPublicUrl(url) {
      const outcome = await outcomeOf(client.call('receiver.setPublicUrl', { url }))
      if (outcome.ok) app().core.setReceiver(outcome.value)
      return outcome
    },
    sync: (input) => outcomeOf(client.call('hooks.sync', input)),
    async repoint(input) {
      const outcome = await outcomeOf(client.call('hooks.repoint', input))
      if (!outcome.ok) return outcome
      for (const { hook } of outcome.value.moved) app().core.putHook(hook)
      return { ok: true, value: outcome.value.moved }
    },
    async programsOf(environment) {
      const ofSandbox = isOfSandbox(environment)
        ? await client.call('sandbox.objects', { environment, kind: 'program' }).then(
            ({ objects }) => objects.map(({ id }) => id),
            // The sandbox isn't running. A program ID can still be typed.
            () => [],
          )
        : []
      return knownPrograms(environment, app().core.hooks, ofSandbox)
    },
    async sendEventOf({ event, environment, programId, remoteId }, live) {
      const input = { event, environment, live, ...(programId === null ? {} : { programId }) }
      await act(`Couldn't send ${event}`, () => client.call('sandbox.trigger', input), {
        busy: (sendingEvent) => set({ sendingEvent }),
        done({ deliveries }) {
          const [last] =
            deliveries.find(({ hookId }) => hookId === remoteId)?.attempts.slice(-1) ?? []
          const answer =
            last === undefined
              ? ''
              : last.status === null
                ? (last.error ?? 'No response.')
                : `Returned ${last.status}.`
          return last?.acknowledged === false
            ? { tone: 'bad', title: `${event} sent, but not acknowledged`, message: answer }
            : { tone: 'ok', title: `${event} sent`, message: answer }
        },
      })
    },
  }
}

// The tunnel, and the test of the public URL.

interface TunnelSlice {
  /** Null until loaded. */
  readonly state: TunnelStatus | null
  changed(tunnel: TunnelStatus): void
  /** Loads the tunnel's status. `sync.ts` calls it with each snapshot. */
  read(): Promise<void>
  start(input: InputOf<'tunnels.start'>): Promise<CallResult<TunnelStatus>>
  stop(): Promise<CallResult<TunnelStatus>>
  testPublicAddress(): Promise<CallResult<AddressTest>>
}

export function createTunnelSlice({ client, act, set }: FeatureTools<TunnelSlice>): TunnelSlice {
  return {
    state: null,
    changed(tunnel) {
      set({ state: tunnel })
    },
    async read() {
      await act("Couldn't load the tunnel", async () => {
        set({ state: await client.call('tunnels.status', {}) })
      })
    },
    start: (input) => outcomeOf(client.call('tunnels.start', input)),
    stop: () => outcomeOf(client.call('tunnels.stop', {})),
    testPublicAddress: () => outcomeOf(client.call('tunnels.test', {})),
  }
}
