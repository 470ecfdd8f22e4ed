/** `countersign forward`: forwards new deliveries to an endpoint until stopped; its target exists only meanwhile. */
import { Option } from 'commander'
import {
  type Command,
  type CommandContext,
  type DataOption,
  UsageError,
  withInstance,
  type Session,
} from '../context.ts'
import { handlerNameIn } from '../../shared/http.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { ForwardAnswer, ForwardTarget } from '../../shared/model/forward.ts'
import {
  readOnce,
  addQueryOption,
  givenQuery,
  takeQuery,
  type QueryOption,
  addTargetOptions,
  readTargetOptions,
  type TargetOptions,
  checkGivenQuery,
  addViewOption,
  searchOf,
  type ViewOption,
} from '../arguments.ts'
import { withStop } from '../lifetime.ts'
import type { Output } from '../output.ts'
import { createSendPrinter } from '../delivery-sends.ts'

/** The options, with the endpoint that is required. */
type ForwardTo = ForwardOptions & { readonly to: string }

interface ForwardOptions extends DataOption, QueryOption, TargetOptions, ViewOption {
  readonly to?: string
  readonly name?: string
  readonly answer?: true
  readonly hold?: 'debugger'
  readonly asReceived?: true
  readonly registeredUrl?: string
}

function answerOf({ answer, hold }: ForwardOptions): ForwardAnswer {
  if (answer === true && hold !== undefined) throw new UsageError('Use either --answer or --hold.')
  if (answer === true) return 'handler'
  return hold === undefined ? 'rule' : 'at-once'
}

async function begin({ client }: Session, options: ForwardTo): Promise<ForwardTarget> {
  const { to, query, view, name, asReceived, registeredUrl } = options
  const { target } = await client.call('forward.add', {
    name: name ?? '',
    url: to,
    query: await searchOf(client, query ?? '', view),
    answer: answerOf(options),
    sign: asReceived === true ? 'as-received' : 'now',
    registeredUrl: registeredUrl ?? null,
    temporary: true,
    ...(await readTargetOptions(options)),
  })
  return target
}

/** Says which deliveries an existing target responds to first. */
async function tellWhoAnswersFirst(
  { client }: Session,
  mine: ForwardTarget,
  output: Output,
): Promise<void> {
  if (mine.answer === 'rule') return
  const { targets } = await client.call('forward.list', {})
  const earlier = targets.slice(
    0,
    targets.findIndex(({ id }) => id === mine.id),
  )
  for (const { name, query, on, paused, answer } of earlier) {
    if (!on || paused || answer === 'rule') continue
    const which = query === '' ? 'every delivery' : `deliveries that match ${query}`
    output.note(
      `The existing target ${name} already responds to ${which}, so this one won't. To change that, pause, turn off or remove ${name} in the app.`,
    )
  }
}

/** Prints the target's status when it changes. */
function createTeller(output: Output): (target: ForwardTarget) => void {
  let told: ForwardTarget['light'] = 'new'
  let withheld = 0
  return (target) => {
    const { light, problem, queue } = target
    if (light !== told && (light === 'down' || light === 'failing')) {
      const name = light === 'down' ? 'Down' : 'Failing'
      const waiting =
        queue.waiting === 0 ? '' : ` ${queue.waiting} ${queue.waiting === 1 ? 'waits' : 'wait'}.`
      output.note(`${name}: ${problem ?? ''}${waiting}`)
    }
    if (light !== told && light === 'up' && told !== 'new') output.note('Up again.')
    told = light
    if (target.withheld > withheld)
      output.note(
        `Not forwarded: ${target.withheld} from live environments. Add --live to forward those.`,
      )
    withheld = target.withheld
  }
}

/** Forwards until stopped or disconnected. */
async function pass(
  context: CommandContext,
  options: ForwardTo,
  session: Session,
  stopped: Promise<string>,
): Promise<void> {
  const { client } = session
  const { to } = options
  const target = await begin(session, options)
  const { id, name } = target
  // The target ends with this call, however the command ends.
  client.call('forward.keep', { id }).catch(() => undefined)
  const print = createSendPrinter(context.output, options.json === true)
  const tell = createTeller(context.output)
  client.on('forward.sent', ({ sends }) => print(sends.filter(({ jobId }) => jobId === id)))
  client.on('forward.changed', ({ targets }) => {
    const now = targets.find((one) => one.id === id)
    if (now !== undefined) tell(now)
  })
  context.output.note(
    `Forwarding new deliveries to ${handlerNameIn(to) === null ? to : `${to} (${target.url})`}. Press Ctrl+C to stop.`,
  )
  await tellWhoAnswersFirst(session, target, context.output)
  const reason = await Promise.race([stopped, session.closed.then(() => null)])
  if (reason === null)
    throw new AppError(
      'DISCONNECTED',
      `Countersign stopped, so forwarding stopped. Pending deliveries are saved; ${name} is paused.`,
    )
  const { dropped } = await client.call('forward.remove', { id })
  if (dropped > 0)
    context.output.note(
      dropped === 1
        ? '1 delivery was not forwarded. It is stored; you can replay it.'
        : `${dropped} deliveries were not forwarded. They are stored; you can replay them.`,
    )
}

export function add(command: Command, context: CommandContext): void {
  const forwarding = command
    .description(
      'Forward new deliveries to your endpoint, in order, until stopped, and print each result. Deliveries wait while the endpoint is down. For permanent targets, use the app.',
    )
    .requiresRunning()
    .example(
      'Forward every new delivery to your handler',
      'forward --to http://127.0.0.1:3000/webhooks',
      {
        notRun: 'runs until stopped',
      },
    )
    .example(
      "Forward refunds and return your handler's response to the service",
      'forward --to http://127.0.0.1:3000/refunds --query event:transaction.refund --answer',
      { notRun: 'runs until stopped' },
    )
    .argument('[query]', 'only deliveries that match (see docs/query.md)')
    .option('--to <url>', 'your endpoint: a URL or @NAME', readOnce)
    .option('--name <name>', 'name of the target in the app (default: its host)', readOnce)
    .option('--answer', "return the endpoint's response to the service")
    .addOption(
      new Option(
        '--hold <how>',
        'debugger: respond 200 immediately and let the endpoint take its time',
      ).choices(['debugger']),
    )
    .option('--as-received', 'keep the received signature and timestamp (default: re-sign)')
    .option('--registered-url <url>', "URL to sign (default: each hook's registered URL)", readOnce)
  addViewOption(addQueryOption(command))
  addTargetOptions(command, 'allow forwarding deliveries of live hooks')
    .printsJson('lines')
    .run(async (argument: string | undefined, options: ForwardOptions) => {
      const { to } = options
      const query = givenQuery(argument, options) ?? ''
      if (to === undefined) throw new UsageError('Add your endpoint with --to URL.')
      answerOf(options)
      // An invalid query is an error even if Countersign isn't running.
      checkGivenQuery(context.output, query)
      await withInstance(context, options, 'Forwarding', (session) =>
        withStop(context.env, (stopped) =>
          pass(context, { ...options, query, to }, session, stopped),
        ),
      )
    })
  takeQuery(forwarding)
}
