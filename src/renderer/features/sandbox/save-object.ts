import type { InputOf } from '../../../shared/contract/contract.ts'
import { counted } from '../../../shared/text/english.ts'
import { settleCall } from '../../ui/call-problem.ts'
import { kindWithArticle } from './catalogue.ts'
import { showInSandbox, type SandboxTools } from './sandbox-state.ts'

/** Creates an object, or changes the one whose ID is given, and shows it. */
export async function saveObject(
  tools: SandboxTools,
  input: InputOf<'sandbox.create'> | InputOf<'sandbox.update'>,
) {
  const { client, notify } = tools
  const outcome = await settleCall(
    'id' in input ? client.call('sandbox.update', input) : client.call('sandbox.create', input),
  )
  if (outcome.ok) {
    const { object, deliveries } = outcome.value
    const unsent = deliveries.filter(({ state }) => state === 'not-sent').length
    showInSandbox(tools, { view: 'objects', kind: object.kind, id: object.id })
    notify({
      tone: 'ok',
      title: 'id' in input ? 'Object saved' : `Created ${kindWithArticle(object.kind)}`,
      message:
        deliveries.length === 0
          ? 'Nothing was sent.'
          : `${counted(deliveries.length - unsent, 'notification')} sent${unsent === 0 ? '' : `, ${unsent} not sent`}. See the log.`,
    })
  }
  return outcome
}
