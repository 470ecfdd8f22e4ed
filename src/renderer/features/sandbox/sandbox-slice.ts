/**
 * Drafts and actions of the Sandbox screen, usable while it is hidden; the address says what it
 * shows.
 */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { Notification } from '../../../shared/model/notification.ts'
import type { SandboxClockChange } from '../../../shared/model/sandbox.ts'
import type { Params } from '../../ui-state/routes.ts'
import { readDraft } from '../../ui-state/tab-drafts.ts'
import { settleCall } from '../../ui/call-problem.ts'
import {
  newTriggerState,
  showInSandbox,
  type SandboxState,
  type SandboxTools,
} from './sandbox-state.ts'
import { saveObject } from './save-object.ts'
import { triggerActions } from './trigger-actions.ts'
import { triggerDraftSchema } from './trigger-draft.ts'

async function setClock({ client, data }: SandboxTools, change: SandboxClockChange) {
  const state = await client.call('sandbox.setClock', change)
  data.patch('sandbox.clock', {}, () => state)
  return state
}

export function createSandboxSlice(tools: SandboxTools) {
  const { client, act, notify, app } = tools
  const initial: SandboxState = {
    trigger: newTriggerState(readDraft('sandbox', triggerDraftSchema) ?? {}),
  }
  const actions = {
    ...triggerActions(tools),
    /** Shows something else on the screen: members left out stay. */
    show: (part: Params<'sandbox'>) => showInSandbox(tools, part),
    /** Sends a notification that wasn't sent. */
    async sendAgain({ id, event }: Notification) {
      await act(`Couldn't send ${event}`, () => client.call('sandbox.send', { id }))
    },
    saveObject: (input: InputOf<'sandbox.create'> | InputOf<'sandbox.update'>) =>
      saveObject(tools, input),
    async reset() {
      const outcome = await settleCall(client.call('sandbox.reset', {}))
      if (outcome.ok) {
        actions.resetTrigger()
        actions.show({ kind: app().navigation.at.sandbox.kind })
        notify({ tone: 'ok', title: 'Sandbox reset', message: 'Hooks and keys were kept.' })
      }
      return outcome
    },
    /** Changes the clock; null if it needs a confirmation that is denied. */
    changeClock: (change: SandboxClockChange) => settleCall(setClock(tools, change)),
    /** Changes the clock, with a notice on failure. */
    async moveClock(change: SandboxClockChange) {
      await act("Couldn't change the clock", () => setClock(tools, change))
    },
  }
  return { ...initial, ...actions }
}
