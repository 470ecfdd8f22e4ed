/**
 * The drafts of the Sandbox screen and its actions, which are there while it isn't shown. The
 * address says what it shows.
 */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { SandboxClockChange, TriggerResult } from '../../../shared/model/sandbox.ts'
import type { Notification } from '../../../shared/model/notification.ts'
import { counted } from '../../../shared/text/counted.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import type { Params } from '../../ui-state/routes.ts'
import { readDraft, writeDraft } from '../../ui-state/tab-drafts.ts'
import { settleCall, type CallProblem } from '../../ui/call-problem.ts'
import { aKind } from './catalogue.ts'
import {
  changedDraft,
  newTrigger,
  newSeed,
  triggerDraftSchema,
  type TriggerDraft,
} from './trigger-draft.ts'

interface Trigger {
  readonly draft: TriggerDraft
  /** The result of the last one; null before the first. */
  readonly result: TriggerResult | null
  readonly sending: boolean
  /** Why the last one failed. Cleared by the next one and by a change of the draft. */
  readonly problem: CallProblem | null
}

interface Drafts {
  readonly trigger: Trigger
}

export function createSandboxSlice({
  client,
  data,
  act,
  notify,
  set,
  get,
  app,
}: FeatureTools<Drafts, { readonly navigation: NavigationSlice }>) {
  const setTrigger = (part: Partial<Trigger>) => {
    set(({ trigger }) => ({ trigger: { ...trigger, ...part } }))
    writeDraft('sandbox', get().trigger.draft)
  }
  const begin = (part: Partial<TriggerDraft> = {}): Trigger => ({
    draft: { ...newTrigger(), ...part },
    result: null,
    sending: false,
    problem: null,
  })
  async function setClock(change: SandboxClockChange) {
    const state = await client.call('sandbox.setClock', change)
    data.patch('sandbox.clock', {}, () => state)
    return state
  }
  const first: Drafts = {
    trigger: begin(readDraft('sandbox', triggerDraftSchema) ?? {}),
  }
  const actions = {
    /** Shows something else on the screen: members left out stay. */
    show(part: Params<'sandbox'>) {
      const { at, select } = app().navigation
      const { mode, view } = at.sandbox
      select('sandbox', { mode, view, ...part })
    },
    changeTrigger(part: Partial<TriggerDraft>) {
      setTrigger({ draft: changedDraft(get().trigger.draft, part), problem: null })
    },
    /** Opens the trigger form with these values and defaults for the rest. */
    prepareTrigger(part: Partial<TriggerDraft>) {
      setTrigger(begin(part))
      const { mode } = app().navigation.at.sandbox
      app().navigation.go('sandbox', { mode, view: 'trigger' })
    },
    /**
     * Resolves when sent or rejected. `hook`: registered first, because no hook receives the event.
     */
    async sendTrigger(input: InputOf<'sandbox.trigger'>, hook?: InputOf<'hooks.add'>) {
      setTrigger({ sending: true, problem: null })
      const made = hook === undefined ? null : await settleCall(client.call('hooks.add', hook))
      if (made?.ok === true) {
        const { event, environment } = made.value.hook
        notify({
          tone: 'ok',
          title: `Added a ${event} hook in ${environment}`,
          message: 'The sandbox sends the event to it.',
        })
      }
      const outcome =
        made?.ok === false ? made : await settleCall(client.call('sandbox.trigger', input))
      setTrigger({ sending: false })
      if (!outcome.ok) {
        setTrigger({ problem: outcome.problem })
        return
      }
      // A cleared payment can't be cleared again. Anything else that was chosen stays chosen.
      const isCleared = input.event.startsWith('transaction.clearing')
      actions.changeTrigger({ drawn: newSeed(), ...(isCleared ? { of: null } : {}) })
      setTrigger({ result: outcome.value })
    },
    /** Sends a notification that wasn't sent. */
    async sendAgain({ id, event }: Notification) {
      await act(`Couldn't send ${event}`, () => client.call('sandbox.send', { id }))
    },
    /** Creates an object, or changes the one whose ID is given, and shows it. */
    async saveObject(input: InputOf<'sandbox.create'> | InputOf<'sandbox.update'>) {
      const outcome = await settleCall(
        'id' in input ? client.call('sandbox.update', input) : client.call('sandbox.create', input),
      )
      if (outcome.ok) {
        const { object, deliveries } = outcome.value
        const unsent = deliveries.filter(({ state }) => state === 'not-sent').length
        actions.show({ view: 'objects', kind: object.kind, id: object.id })
        notify({
          tone: 'ok',
          title: 'id' in input ? 'Object saved' : `Created ${aKind(object.kind)}`,
          message:
            deliveries.length === 0
              ? 'Nothing was sent.'
              : `${counted(deliveries.length - unsent, 'notification')} sent${unsent === 0 ? '' : `, ${unsent} not sent`}. See the log.`,
        })
      }
      return outcome
    },
    async reset() {
      const outcome = await settleCall(client.call('sandbox.reset', {}))
      if (outcome.ok) {
        setTrigger(begin())
        actions.show({ kind: app().navigation.at.sandbox.kind })
        notify({ tone: 'ok', title: 'Sandbox reset', message: 'Hooks and keys were kept.' })
      }
      return outcome
    },
    /** Changes the clock; null if it needs a confirmation that is denied. */
    changeClock: (change: SandboxClockChange) => settleCall(setClock(change)),
    /** Changes the clock, with a notice on failure. */
    async moveClock(change: SandboxClockChange) {
      await act("Couldn't change the clock", () => setClock(change))
    },
  }
  return { ...first, ...actions }
}
