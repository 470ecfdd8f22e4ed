/** `countersign trigger`: triggers an event in the running sandbox and prints its deliveries. */
import { Option } from 'commander'
import { type Command, type CommandContext, type DataOption, withInstance } from '../context.ts'
import type { Literals } from '../../shared/body/json-literals.ts'
import {
  faultSchema,
  type Fault,
  type Notification,
  type TriggerResult,
} from '../../shared/model/sandbox.ts'
import { readEventType, readLiteral, readMany, readOnce, readCountFromZero } from '../arguments.ts'
import { lookOfNotification, responseWords } from '../../shared/model/outcomes.ts'
import { type Cell, type Output, outcomeCell } from '../output.ts'
import { printableText } from '../../shared/text/printable.ts'
import { listed } from '../../shared/text/counted.ts'

interface TriggerOptions extends DataOption {
  readonly environment?: string
  readonly program?: string
  readonly of?: string
  readonly set?: Literals
  readonly unset?: readonly string[]
  readonly seed?: number
  readonly fault?: Fault
  readonly observed?: true
  readonly live?: true
}

export function notificationCells(notification: Notification): Cell[] {
  const { attempts, state } = notification
  const last = attempts.at(-1)
  const answer =
    last === undefined ? 'not sent yet' : (last.error ?? responseWords(last.status, last.ms))
  return [
    outcomeCell(lookOfNotification(notification), state),
    { text: notification.event },
    { text: notification.url },
    { text: answer },
  ]
}

function printForPeople(output: Output, result: TriggerResult): void {
  output.line(`${result.event} in ${result.environment}`)
  output.facts(Object.entries(result.objects))
  output.line('')
  output.table(result.deliveries.map(notificationCells))
}

/** With hooks of several programs, says which one the event was for. */
function noteProgram(output: Output, { objects, otherPrograms }: TriggerResult): void {
  if (otherPrograms.length === 0) return
  const others = listed(
    otherPrograms.map(({ id, name }) => `--program ${id} (${name})`),
    'or',
  )
  output.note(
    printableText(
      `Sent for program ${objects['program'] ?? ''}, the first with a hook. For another, add ${others}.`,
    ),
  )
}

export function add(command: Command, context: CommandContext): void {
  command
    .description(
      'Trigger an event in the sandbox, and wait for the first attempt of each delivery.',
    )
    .requiresRunning()
    .exitsWith(3, "no hook subscribes to the event, or the sandbox's objects don't allow it")
    .example('Trigger a purchase', 'trigger transaction.auth')
    .example('Set the amount', 'trigger transaction.auth --set amount=12.50')
    .example('Sign with a wrong secret', 'trigger transaction.auth --fault wrong-secret')
    .argument('<event>', 'event, for example transaction.auth', readEventType)
    .option(
      '--environment <name>',
      'sandbox-test or sandbox-live (default: sandbox-test)',
      readOnce,
    )
    .option(
      '--program <id>',
      'program of the event (default: the first with a hook for it)',
      readOnce,
    )
    .option(
      '--of <id>',
      'object it refers to: the auth of a clearing, the purchase of a refund',
      readOnce,
    )
    .option(
      '--set <path=value>',
      'set a field of the payload, as typed, for example amount=10.00 (repeatable)',
      readLiteral,
    )
    .option(
      '--unset <path>',
      'remove a field from the payload, for example card.scheme (repeatable)',
      readMany,
    )
    .option('--seed <n>', 'create the same objects again', readCountFromZero)
    .addOption(
      new Option('--fault <kind>', 'break the spec on purpose').choices(faultSchema.options),
    )
    .option('--observed', 'send the nulls and gaps seen at accounts in test mode')
    .option('--live', 'allow sending for sandbox-live')
    .printsJson()
    .run(async (event: string, options: TriggerOptions) => {
      const {
        environment,
        program: programId,
        of,
        set,
        unset,
        seed,
        fault,
        observed,
        live = false,
      } = options
      await withInstance(context, options, 'Triggering an event', async ({ client }) => {
        const result = await client.call('sandbox.trigger', {
          event,
          environment,
          programId,
          of,
          literals: set,
          unset: unset && [...unset],
          seed,
          fault,
          observed,
          live,
        })
        if (options.json === true) context.output.json(result)
        else printForPeople(context.output, result)
        noteProgram(context.output, result)
      })
    })
}
