/** Actions on the sandbox. Each resolves with an outcome for its form. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type {
  SandboxClockChange,
  SandboxClockState,
  SandboxChange,
  TriggerPreview,
  TriggerResult,
} from '../../../shared/model/sandbox.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { outcomeOf, type CallProblem, type CallResult } from '../../ui/call-problem.ts'
import { aKind } from './object-words.ts'
import type { SandboxSlice } from './sandbox-slice.ts'
import { changedDraft, emptyDraft, type TriggerDraft } from './trigger-draft.ts'

export interface SandboxActionsSlice {
  readonly triggerDraft: TriggerDraft
  /** Result of the last trigger; null before the first. */
  readonly triggerResult: TriggerResult | null
  readonly triggering: boolean
  /** Why the last trigger failed. Cleared by the next one or by editing the draft. */
  readonly triggerProblem: CallProblem | null
  changeTrigger(part: Partial<TriggerDraft>): void
  /** Opens the trigger form with these values and defaults for the rest. */
  prepareTrigger(part: Partial<TriggerDraft>): void
  previewTrigger(input: InputOf<'sandbox.preview'>): Promise<CallResult<TriggerPreview>>
  /** Resolves when sent or rejected. The result stays in the state. `hook`: registered first, because no hook receives the event. */
  sendTrigger(input: InputOf<'sandbox.trigger'>, hook?: InputOf<'hooks.add'>): Promise<void>
  createObject(input: InputOf<'sandbox.create'>): Promise<CallResult<SandboxChange>>
  updateObject(input: InputOf<'sandbox.update'>): Promise<CallResult<SandboxChange>>
  reset(): Promise<CallResult<unknown>>
  /** A clock change to confirm, because sandbox-live has pending items. */
  readonly clockToConfirm: SandboxClockChange | null
  /** Null if it failed; the user sees why, or a confirmation dialog. */
  changeClock(change: SandboxClockChange, live?: boolean): Promise<SandboxClockState | null>
  setClock(time: string): Promise<CallResult<SandboxClockState>>
}

export function createSandboxActionsSlice({
  client,
  data,
  fail,
  notify,
  set,
  get,
  app,
}: FeatureTools<
  SandboxActionsSlice & SandboxSlice,
  { readonly navigation: NavigationSlice }
>): SandboxActionsSlice {
  const changed = async (
    call: Promise<SandboxChange>,
    what: string,
  ): Promise<CallResult<SandboxChange>> => {
    const outcome = await outcomeOf(call)
    if (outcome.ok) {
      const { object, deliveries } = outcome.value
      get().showObject(object)
      const sent =
        deliveries.length === 0
          ? 'Nothing was sent.'
          : `${deliveries.length === 1 ? '1 notification' : `${deliveries.length} notifications`} sent. See the log.`
      notify({ tone: 'ok', title: what, message: sent })
    }
    return outcome
  }
  const askToConfirm = (change: SandboxClockChange) => {
    set({ clockToConfirm: change })
    // The command may come from another screen.
    app().navigation.go('sandbox')
    app().navigation.openOverlay('clock-live')
  }
  return {
    triggerDraft: emptyDraft,
    triggerResult: null,
    triggering: false,
    triggerProblem: null,
    clockToConfirm: null,
    changeTrigger(part) {
      set(({ triggerDraft, triggerProblem }) => ({
        triggerDraft: changedDraft(triggerDraft, part),
        // A random seed for the preview doesn't affect why the last trigger failed.
        triggerProblem: Object.keys(part).every((name) => name === 'drawn') ? triggerProblem : null,
      }))
    },
    prepareTrigger(part) {
      set({
        triggerDraft: { ...emptyDraft, ...part },
        view: 'trigger',
        triggerResult: null,
        triggerProblem: null,
      })
    },
    previewTrigger: (input) => outcomeOf(client.call('sandbox.preview', input)),
    async sendTrigger(input, hook) {
      set({ triggering: true, triggerProblem: null })
      const made = hook === undefined ? null : await outcomeOf(client.call('hooks.add', hook))
      if (made?.ok === true) {
        const { event, environment } = made.value.hook
        notify({
          tone: 'ok',
          title: `Added a ${event} hook in ${environment}`,
          message: 'The sandbox sends the event to it.',
        })
      }
      const outcome =
        made?.ok === false ? made : await outcomeOf(client.call('sandbox.trigger', input))
      set({ triggering: false })
      if (outcome.ok) {
        set({ triggerResult: outcome.value })
        // The next trigger uses a new random seed unless one was entered.
        get().changeTrigger({ drawn: null, of: null })
      } else set({ triggerProblem: outcome.problem })
    },
    createObject: (input) =>
      changed(client.call('sandbox.create', input), `Created ${aKind(input.kind)}`),
    updateObject: (input) => changed(client.call('sandbox.update', input), 'Object saved'),
    async reset() {
      const outcome = await outcomeOf(client.call('sandbox.reset', { live: true }))
      if (outcome.ok) {
        set({
          objectId: null,
          notificationId: null,
          triggerDraft: emptyDraft,
          triggerResult: null,
          triggerProblem: null,
        })
        notify({ tone: 'ok', title: 'Sandbox reset', message: 'Hooks and keys were kept.' })
      }
      return outcome
    },
    async changeClock(change, live = false) {
      try {
        const state = await client.call('sandbox.setClock', { ...change, live })
        data.patch('sandbox.clock', {}, () => state)
        return state
      } catch (error) {
        if (error instanceof AppError && error.code === 'CONFIRMATION_REQUIRED')
          askToConfirm(change)
        else fail("Couldn't change the clock", error)
        return null
      }
    },
    async setClock(time) {
      const outcome = await outcomeOf(client.call('sandbox.setClock', { action: 'set', time }))
      const { ok } = outcome
      if (ok) data.patch('sandbox.clock', {}, () => outcome.value)
      else if (outcome.problem.code === 'CONFIRMATION_REQUIRED')
        askToConfirm({ action: 'set', time })
      return outcome
    },
  }
}
