/** The search for the smallest body that still fails: subject, progress and result. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { ShrinkResult, ShrinkRun } from '../../../shared/model/shrink.ts'
import type { EntitiesSlice } from '../../state/entities-slice.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { isQuiet } from '../../state/slice-context.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'

export interface ShrinkSlice {
  readonly subject: DeliveryRow | null
  /** The initial target; null if unknown. */
  readonly target: string | null
  /** Why the last search couldn't reach the handler, and whether because of its certificate; null if it could. */
  readonly unreached: { readonly message: string; readonly isCertificate: boolean } | null
  readonly run: ShrinkRun | null
  /** Null while running. */
  readonly result: ShrinkResult | null
  /** Opens the dialog, with the last search of the same delivery if there is one. */
  open(subject: DeliveryRow, target?: string): Promise<void>
  /** Rejects on errors and while consent is missing. */
  start(input: InputOf<'shrink.start'>): Promise<void>
  cancel(): Promise<void>
  /** Discards the result and shows the form again. */
  again(): void
  changed(run: ShrinkRun): void
  /** Loads the running search again, because events may have been missed. */
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
}: FeatureTools<
  ShrinkSlice,
  { readonly core: EntitiesSlice; readonly navigation: NavigationSlice }
>): ShrinkSlice {
  const finish = async (runId: string) => {
    try {
      const result = await client.call('shrink.get', { runId })
      if (get().run?.id === runId)
        set({ run: result.run, result: result.run.outcome === null ? null : result })
    } catch (error) {
      // A restarted instance doesn't know the search, so show the form.
      if (!isQuiet(error) && get().run?.id === runId) set({ run: null })
      fail("Couldn't load the smallest body", error)
    }
  }
  /** Announces the end of a search whose dialog is hidden. */
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
  /** The current handler, otherwise the last target of this hook or at all. */
  const lastTarget = async (hookId: string | null) => {
    const current = app().core.handlers.find((one) => one.current)
    if (current !== undefined) return handlerRef(current)
    try {
      const { byHook, recent } = await client.call('replay.targets', {})
      return (hookId === null ? null : byHook[hookId]) ?? recent[0] ?? null
    } catch {
      // Only a suggestion: the URL can be typed.
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
      // Another delivery or dialog may have been opened meanwhile.
      if (get().subject !== subject || app().navigation.overlay !== overlay) return
      set({ target: likely, unreached: null })
      app().navigation.openOverlay('shrink')
    },
    async start(input) {
      const { run } = await client.call('shrink.start', input)
      set({ run, result: null })
      // The search may have finished before its ID was known here.
      await finish(run.id)
    },
    async cancel() {
      const runId = get().run?.id
      if (runId === undefined) return
      await act("Couldn't cancel the search", async () => {
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
