/** The search for the smallest body that a handler fails on: what it is of, how far it is, and what it has found. */
import type { StateCreator } from 'zustand/vanilla'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { ShrinkResult, ShrinkRun } from '../../../shared/model/shrink.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'

export interface ShrinkSlice {
  readonly shrinkOf: DeliveryRow | null
  /** Where to, as the form begins; null where nothing is known. */
  readonly shrinkTarget: string | null
  /** Why the last search of it could not ask its handler, and whether for its certificate; null where it could. */
  readonly shrinkUnreached: { readonly message: string; readonly isCertificate: boolean } | null
  readonly shrinkRun: ShrinkRun | null
  /** Null while it goes. */
  readonly shrinkResult: ShrinkResult | null
  /** Opens the dialog, with the last search of the same delivery where there is one. */
  openShrink(subject: DeliveryRow, target?: string): Promise<void>
  /** Rejects where it is refused, and until what it asks is agreed to. */
  startShrink(input: InputOf<'shrink.start'>): Promise<void>
  cancelShrink(): Promise<void>
  /** Leaves what was found, and shows the form again. */
  shrinkAgain(): void
  shrinkChanged(run: ShrinkRun): void
  /** Reads the search that goes once more: events of it may have been missed. */
  readShrink(): Promise<void>
}

export function createShrinkSlice({
  client,
  notify,
}: SliceContext): StateCreator<ShrinkSlice & NavigationSlice, [], [], ShrinkSlice> {
  return (set, get) => {
    const finish = async (runId: string) => {
      try {
        const result = await client.call('shrink.get', { runId })
        if (get().shrinkRun?.id === runId)
          set({ shrinkRun: result.run, shrinkResult: result.run.outcome === null ? null : result })
      } catch (error) {
        if (isQuiet(error)) return
        // An instance that was started anew knows nothing of it: the form is there to begin once more.
        if (get().shrinkRun?.id === runId) set({ shrinkRun: null })
        notify({ tone: 'bad', title: 'The smallest body could not be read', message: sentenceOf(error) })
      }
    }
    /** Of a search whose dialog is hidden: that it is over. */
    const tellEnd = ({ outcome, message }: ShrinkRun) => {
      const isFound = outcome === 'smallest' || outcome === 'limit'
      notify({
        tone: isFound ? 'ok' : 'warn',
        title: isFound ? 'The smallest body is found' : 'The search for the smallest body has ended',
        message: message ?? '',
        action: {
          label: 'Show',
          run: () => {
            get().openOverlay('shrink')
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
      shrinkOf: null,
      shrinkTarget: null,
      shrinkUnreached: null,
      shrinkRun: null,
      shrinkResult: null,
      async openShrink(subject, target) {
        const { shrinkRun, overlay } = get()
        const isSame = shrinkRun?.deliveryId === subject.id
        set({ shrinkOf: subject, ...(isSame ? {} : { shrinkRun: null, shrinkResult: null }) })
        const shrinkTarget = target ?? (await lastTarget(subject.hookId))
        // Another delivery may have been asked for meanwhile, or something else been opened.
        if (get().shrinkOf !== subject || get().overlay !== overlay) return
        set({ shrinkTarget, shrinkUnreached: null })
        get().openOverlay('shrink')
      },
      async startShrink(input) {
        const { run } = await client.call('shrink.start', input)
        set({ shrinkRun: run, shrinkResult: null })
        // It may have ended before its id was known here.
        await finish(run.id)
      },
      async cancelShrink() {
        const run = get().shrinkRun
        if (run === null) return
        try {
          const result = await client.call('shrink.cancel', { runId: run.id })
          if (get().shrinkRun?.id === run.id) set({ shrinkRun: result.run, shrinkResult: result })
        } catch (error) {
          if (!isQuiet(error)) notify({ tone: 'bad', title: 'It could not be cancelled', message: sentenceOf(error) })
        }
      },
      shrinkAgain() {
        const { shrinkRun, shrinkResult, shrinkTarget } = get()
        const { outcome = null, message = null } = shrinkRun ?? {}
        set({
          shrinkRun: null,
          shrinkResult: null,
          shrinkTarget: shrinkRun?.target ?? shrinkTarget,
          shrinkUnreached:
            outcome === 'unreachable' && message !== null
              ? { message, isCertificate: shrinkResult?.failure?.kind === 'certificate' }
              : null,
        })
      },
      shrinkChanged(run) {
        if (get().shrinkRun?.id !== run.id) return
        set({ shrinkRun: run })
        if (run.outcome === null) return
        void finish(run.id)
        if (get().overlay !== 'shrink') tellEnd(run)
      },
      async readShrink() {
        const { shrinkRun: run, shrinkResult } = get()
        if (run !== null && shrinkResult === null) await finish(run.id)
      },
    }
  }
}
