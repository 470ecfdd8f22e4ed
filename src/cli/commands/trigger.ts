/** `countersign trigger`: makes the sandbox of the running instance cause an event, and tells what it sent. */
import { Option } from 'commander'
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import type { Literals } from '../../shared/body/json-literals.ts'
import { faultSchema, type Fault, type Notification, type TriggerResult } from '../../shared/model/sending.ts'
import { readEventType, readLiteral, readMany, readOnce, readSeed } from '../arguments.ts'
import { lookOfNotification, responseWords } from '../../shared/model/outcomes.ts'
import { outcomeCell } from '../outcome-cell.ts'
import { createColumns, type Cell, type Output } from '../output.ts'
import { withInstance } from '../session.ts'

interface TriggerOptions extends DataOption {
  readonly environment?: string
  readonly program?: string
  readonly of?: string
  readonly set?: Literals
  readonly unset?: readonly string[]
  readonly seed?: number
  readonly fault?: Fault
  readonly live?: true
  readonly json?: true
}

export function notificationCells(notification: Notification): Cell[] {
  const { attempts, state } = notification
  const last = attempts.at(-1)
  const answer = last === undefined ? 'not sent yet' : (last.error ?? responseWords(last.status, last.ms))
  return [
    outcomeCell(lookOfNotification(notification), state),
    { text: notification.event },
    { text: notification.url },
    { text: answer },
  ]
}

function printForPeople(output: Output, result: TriggerResult): void {
  output.line(`${result.event} in ${result.environment}`)
  const objects = Object.entries(result.objects).map(([kind, id]): Cell[] => [{ text: kind, colour: 'grey' }, { text: id }])
  for (const line of createColumns(output)(objects)) output.line(line)
  output.line('')
  for (const line of createColumns(output)(result.deliveries.map(notificationCells))) output.line(line)
}

export function addTrigger(triggerCommand: Command, context: CommandContext): void {
  triggerCommand
    .description(
      'Makes the sandbox cause an event and send it to the hooks registered for it. Ends when each first attempt has ended.',
    )
    .argument('<event>', 'event type, for example transaction.auth', readEventType)
    .option('--environment <name>', 'sandbox-test or sandbox-live (default: sandbox-test)', readOnce)
    .option('--program <id>', 'the program it happens in (default: that of the hooks)', readOnce)
    .option('--of <id>', 'the object it is about: the auth of a clearing, the purchase of a refund', readOnce)
    .option('--set <path=value>', 'set a field of the payload as typed, for example amount=10.00 (repeatable)', readLiteral)
    .option('--unset <path>', 'leaves a field out of what is sent, for example card.scheme (again for more)', readMany)
    .option('--seed <n>', 'makes the same objects again', readSeed)
    .addOption(new Option('--fault <kind>', 'departs from the interface on purpose').choices(faultSchema.options))
    .option('--live', "agree to sending for a live environment, the sandbox's included")
    .option('--json', 'print one JSON object')
    .run(async (event: string, options: TriggerOptions) => {
      const { environment, program: programId, of, set, unset, seed, fault, live = false } = options
      await withInstance(dataFolderOf(context, options), 'Triggering an event', async ({ client }) => {
        const result = await client.call('sandbox.trigger', {
          event,
          environment,
          programId,
          of,
          literals: set,
          unset: unset && [...unset],
          seed,
          fault,
          live,
        })
        if (options.json === true) context.output.json(result)
        else printForPeople(context.output, result)
      })
    })
}
