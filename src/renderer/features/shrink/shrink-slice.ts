/** The search for the smallest body that a handler fails on: what it is of, how far it is, and what it has found. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { ShrinkResult, ShrinkRun } from '../../../shared/model/shrink.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { isQuiet } from '../../state/slice-context.ts'

export interface ShrinkSlice {
  readonly subject: DeliveryRow | null
  /** Where to, as the form begins; null where nothing is known. */
  readonly target: string | null
  /** Why the last search of it could not ask its handler, and whether for its certificate; null where it could. */
  readonly unreached: { readonly message: string; readonly isCertificate: boolean } | null
  readonly run: ShrinkRun | null
  /** Null while it goes. */
  readonly result: ShrinkResult | null
  /** Opens the dialog, with the last search of the same delivery where there is one. */
  open(subject: DeliveryRow, target?: string): Promise<void>
  /** Rejects where it is refused, and until what it asks is agreed to. */
  start(input: InputOf<'shrink.start'>): Promise<void>
  cancel(): Promise<void>
  /** Leaves what was found, and shows the form again. */
  again(): void
  changed(run: ShrinkRun): void
  /** Reads the search that goes once more: events of it may have been missed. */
  read(): Promise<void>
}

export function createShrinkSlice({
  client,
  notify,
  act,
  fail,
  set,
  get,
  app,
}: FeatureTools<ShrinkSlice, { readonly navigation: NavigationSlice }>): ShrinkSlice {
  const finish = async (runId: string) => {
    try {
      const result = await client.call('shrink.get', { runId })
      if (get().run?.id === runId) set({ run: result.run, result: result.run.outcome === null ? null : result })
    } catch (error) {
      // An instance that was started anew knows nothing of it: the form is there to begin once more.
      if (!isQuiet(error) && get().run?.id === runId) set({ run: null })
      fail('Couldn’t load the smallest body', error)
    }
  }
  /** Of a search whose dialog is hidden: that it is over. */
  const tellEnd = ({ outcome, message }: ShrinkRun) => {
    const isFound = outcome === 'smallest' || outcome === 'limit'
    notify({
      tone: isFound ? 'ok' : 'warn',
      title: isFound ? 'Smallest body found' : 'Search for the smallest body ended',
      message: message ?? '',
      action: {
        label: 'Show',
        run: () => {
          app().navigation.openOverlay('shrink')
        },
      },
    })
  }
  /** Where deliveries of the hook went last, else where anything did. */
  const lastTarget = async (hookId: string | null) => {
    try {
      const { byHook, recent } = await client.call('replay.targets', {})
      return (hookId === null ? null : byHook[hookId]) ?? recent[0] ?? null
    } catch {
      // Only a suggestion: the address can be typed.
      return null
    }
  }
  return {
    subject: null,
    target: null,
    unreached: null,
    run: null,
    result: null,
    async open(subject, target) {
      const { overlay } = app().navigation
      const isSame = get().run?.deliveryId === subject.id
      set({ subject, ...(isSame ? {} : { run: null, result: null }) })
      const likely = target ?? (await lastTarget(subject.hookId))
      // Another delivery may have been asked for meanwhile, or something else been opened.
      if (get().subject !== subject || app().navigation.overlay !== overlay) return
      set({ target: likely, unreached: null })
      app().navigation.openOverlay('shrink')
    },
    async start(input) {
      const { run } = await client.call('shrink.start', input)
      set({ run, result: null })
      // It may have ended before its id was known here.
      await finish(run.id)
    },
    async cancel() {
      const runId = get().run?.id
      if (runId === undefined) return
      await act('Couldn’t cancel the search', async () => {
        const result = await client.call('shrink.cancel', { runId })
        if (get().run?.id === runId) set({ run: result.run, result })
      })
    },
    again() {
      const { run, result, target } = get()
      const { outcome = null, message = null } = run ?? {}
      set({
        run: null,
        result: null,
        target: run?.target ?? target,
        unreached:
          outcome === 'unreachable' && message !== null
            ? { message, isCertificate: result?.failure?.kind === 'certificate' }
            : null,
      })
    },
    changed(run) {
      if (get().run?.id !== run.id) return
      set({ run })
      if (run.outcome === null) return
      void finish(run.id)
      if (app().navigation.overlay !== 'shrink') tellEnd(run)
    },
    async read() {
      const { run, result } = get()
      if (run !== null && result === null) await finish(run.id)
    },
  }
}
