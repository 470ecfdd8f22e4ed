/** Forwarding state: targets and the actions on them. */
import type { InputOf, OutputOf } from '../../../shared/contract/contract.ts'
import type { ForwardState, ForwardTarget } from '../../../shared/model/forward.ts'
import type { ListedSend } from '../../../shared/model/send.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet, sentenceOf } from '../../state/slice-context.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'

export type ForwardCheck = OutputOf<'forward.check'>

export interface ForwardSlice {
  /** Null until loaded. */
  readonly state: ForwardState | null
  readonly problem: string | null
  /** The selected target. */
  readonly targetId: string | null
  /** The target being edited; null for a new one. */
  readonly editedTargetId: string | null
  /** Recent requests to the selected target; null until loaded. */
  readonly targetSends: { readonly targetId: string; readonly sends: readonly ListedSend[] } | null
  /** Why loading failed. */
  readonly targetSendsProblem: string | null
  selectTarget(id: string | null): void
  editTarget(id: string | null): void
  read(): Promise<void>
  changed(state: ForwardState): void
  readTargetSends(id: string): Promise<void>
  /** Null if the call failed. */
  checkTarget(input: InputOf<'forward.check'>, signal: AbortSignal): Promise<ForwardCheck | null>
  addTarget(input: InputOf<'forward.add'>): Promise<CallResult<ForwardTarget>>
  updateTarget(input: InputOf<'forward.update'>): Promise<CallResult<ForwardTarget>>
  removeTarget(id: string): Promise<CallResult<unknown>>
  setTargetPaused(id: string, paused: boolean): Promise<void>
  deliverWaiting(id: string): Promise<void>
  dropWaiting(id: string): Promise<void>
}

const SENDS_SHOWN = 30

export function createForwardSlice({
  client,
  resource,
  act,
  set,
  get,
}: FeatureTools<ForwardSlice>): ForwardSlice {
  /** Updates a target immediately, before its event arrives. */
  const put = (target: ForwardTarget) => {
    const { state: forward } = get()
    if (forward === null) return
    const isNew = !forward.targets.some(({ id }) => id === target.id)
    const targets = isNew
      ? [...forward.targets, target]
      : forward.targets.map((one) => (one.id === target.id ? target : one))
    set({ state: { ...forward, targets } })
  }
  const putOutcome = async (
    call: Promise<{ target: ForwardTarget }>,
  ): Promise<CallResult<ForwardTarget>> => {
    const outcome = await outcomeOf(call)
    if (!outcome.ok) return outcome
    const { target } = outcome.value
    put(target)
    set({ targetId: target.id })
    return { ok: true, value: target }
  }
  return {
    state: null,
    problem: null,
    targetId: null,
    editedTargetId: null,
    targetSends: null,
    targetSendsProblem: null,
    selectTarget(targetId) {
      if (get().targetId !== targetId) set({ targetId, targetSendsProblem: null })
    },
    editTarget(editedTargetId) {
      set({ editedTargetId })
    },
    read: resource(async () => ({ state: await client.call('forward.list', {}) }), 'problem'),
    changed(forward) {
      set({ state: forward, problem: null })
    },
    async readTargetSends(id) {
      try {
        const { sends } = await client.call('forward.sends', { id, limit: SENDS_SHOWN })
        if (get().targetId === id)
          set({ targetSends: { targetId: id, sends }, targetSendsProblem: null })
      } catch (error) {
        if (!isQuiet(error) && get().targetId === id) set({ targetSendsProblem: sentenceOf(error) })
      }
    },
    async checkTarget(input, signal) {
      try {
        return await client.call('forward.check', input, { signal })
      } catch {
        // Submitting checks the form again.
        return null
      }
    },
    addTarget: (input) => putOutcome(client.call('forward.add', input)),
    updateTarget: (input) => putOutcome(client.call('forward.update', input)),
    async removeTarget(id) {
      const outcome = await outcomeOf(client.call('forward.remove', { id }))
      if (outcome.ok) {
        const { state: forward } = get()
        if (forward !== null)
          set({ state: { ...forward, targets: forward.targets.filter((one) => one.id !== id) } })
      }
      return outcome
    },
    async setTargetPaused(id, paused) {
      await act(paused ? "Couldn't pause the target" : "Couldn't resume the target", async () => {
        put((await client.call(paused ? 'forward.pause' : 'forward.resume', { id })).target)
      })
    },
    async deliverWaiting(id) {
      await act("Couldn't send the pending deliveries", async () => {
        put((await client.call('forward.deliver', { id })).target)
      })
    },
    async dropWaiting(id) {
      await act(
        "Couldn't discard the pending deliveries",
        () => client.call('forward.drop', { id }),
        {
          done: ({ dropped }) => ({
            tone: 'ok',
            title:
              dropped === 1
                ? '1 pending delivery discarded'
                : `${dropped} pending deliveries discarded`,
            message: 'They stay stored, so you can still replay them.',
          }),
        },
      )
    },
  }
}
