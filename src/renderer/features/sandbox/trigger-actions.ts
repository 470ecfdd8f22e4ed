/** Filling in and sending a trigger. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import { settleCall } from '../../ui/call-problem.ts'
import { writeDraft } from '../../ui-state/tab-drafts.ts'
import { newTriggerState, type SandboxTools, type Trigger } from './sandbox-state.ts'
import { changedDraft, newSeed, type TriggerDraft } from './trigger-draft.ts'

/** Registers a hook for a trigger, and says so. */
async function registerHook({ client, notify }: SandboxTools, hook: InputOf<'hooks.add'>) {
  const outcome = await settleCall(client.call('hooks.add', hook))
  if (outcome.ok) {
    const { event, environment } = outcome.value.hook
    notify({
      tone: 'ok',
      title: `Added a ${event} hook in ${environment}`,
      message: 'The sandbox sends the event to it.',
    })
  }
  return outcome
}

export function triggerActions(tools: SandboxTools) {
  const { client, set, get, app } = tools

  const setTrigger = (part: Partial<Trigger>) => {
    set(({ trigger }) => ({ trigger: { ...trigger, ...part } }))
    writeDraft('sandbox', get().trigger.draft)
  }

  const actions = {
    changeTrigger(part: Partial<TriggerDraft>) {
      setTrigger({ draft: changedDraft(get().trigger.draft, part), problem: null })
    },
    /** Empties the trigger form. */
    resetTrigger() {
      setTrigger(newTriggerState())
    },
    /** Opens the trigger form with these values and defaults for the rest. */
    prepareTrigger(part: Partial<TriggerDraft>) {
      setTrigger(newTriggerState(part))
      const { mode } = app().navigation.at.sandbox
      app().navigation.go('sandbox', { mode, view: 'trigger' })
    },
    /**
     * Resolves when sent or rejected. `hook`: registered first, because no hook receives the event.
     */
    async sendTrigger(input: InputOf<'sandbox.trigger'>, hook?: InputOf<'hooks.add'>) {
      setTrigger({ sending: true, problem: null })
      const registration = hook === undefined ? null : await registerHook(tools, hook)
      const outcome =
        registration?.ok === false
          ? registration
          : await settleCall(client.call('sandbox.trigger', input))
      setTrigger({ sending: false })
      if (!outcome.ok) {
        setTrigger({ problem: outcome.problem })
        return
      }
      // A cleared payment can't be cleared again. Anything else that was chosen stays chosen.
      const isCleared = input.event.startsWith('transaction.clearing')
      actions.changeTrigger({ drawn: newSeed(), ...(isCleared ? { of: null } : {}) })
    },
  }
  return actions
}
