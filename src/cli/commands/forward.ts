/** `countersign forward`: passes each new delivery on to an endpoint, until it is stopped; its target ends with it. */
import { Option } from 'commander'
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { ForwardAnswer, ForwardTarget } from '../../shared/model/forward.ts'
import { readOnce } from '../arguments.ts'
import { UsageError } from '../failure.ts'
import { checkGivenQuery, addViewOption, searchOf, type ViewOption } from '../saved-view.ts'
import { withStop } from '../lifetime.ts'
import type { Output } from '../output.ts'
import { createSendPrinter } from '../delivery-sends.ts'
import { withInstance, type Session } from '../session.ts'
import { addTargetOptions, readTargetOptions, type TargetOptions } from '../target-options.ts'

interface ForwardOptions extends DataOption, TargetOptions, ViewOption {
  readonly to?: string
  readonly query?: string
  readonly name?: string
  readonly answer?: true
  readonly hold?: 'debugger' | 'by-hand'
  readonly asReceived?: true
  readonly registeredUrl?: string
  readonly json?: true
}

function answerOf({ answer, hold }: ForwardOptions): ForwardAnswer {
  if (answer === true && hold !== undefined) throw new UsageError('Give either --answer or --hold: a delivery has one answer.')
  if (answer === true) return 'handler'
  return hold === undefined ? 'rule' : hold === 'debugger' ? 'at-once' : 'by-hand'
}

async function begin({ client }: Session, options: ForwardOptions): Promise<ForwardTarget> {
  const { to, query, view, name, asReceived, registeredUrl } = options
  const { target } = await client.call('forward.add', {
    name: name ?? '',
    url: to ?? '',
    query: await searchOf(client, query ?? '', view),
    answer: answerOf(options),
    sign: asReceived === true ? 'as-received' : 'now',
    registeredUrl: registeredUrl ?? null,
    temporary: true,
    ...(await readTargetOptions(options)),
  })
  return target
}

/** Says which deliveries never come to a target that answers, since one made before it answers them. */
async function tellWhoAnswersFirst({ client }: Session, mine: ForwardTarget, output: Output): Promise<void> {
  if (mine.answer === 'rule') return
  const { targets } = await client.call('forward.list', {})
  const earlier = targets.slice(
    0,
    targets.findIndex(({ id }) => id === mine.id),
  )
  for (const { name, query, on, paused, answer } of earlier) {
    if (!on || paused || answer === 'rule') continue
    const which = query === '' ? 'every delivery' : `each delivery that fits ${query}`
    output.note(
      `${name}, made before, answers ${which}: of those this one answers none. Pause, turn off or remove ${name} in the app to change that.`,
    )
  }
}

/** Says on the terminal how the target does, each time that this is different from before, and what waits for an answer by hand. */
function createTeller(output: Output): (target: ForwardTarget, held: readonly { readonly deliveryId: string }[]) => void {
  let told: ForwardTarget['light'] = 'new'
  let withheld = 0
  const known = new Set<string>()
  return (target, held) => {
    const { light, problem, queue } = target
    if (light !== told && (light === 'down' || light === 'failing')) {
      const name = light === 'down' ? 'Down' : 'Failing'
      const waiting = queue.waiting === 0 ? '' : ` ${queue.waiting} ${queue.waiting === 1 ? 'waits' : 'wait'}.`
      output.note(`${name}: ${problem ?? ''}${waiting}`)
    }
    if (light !== told && light === 'up' && told !== 'new') output.note('Up again.')
    told = light
    if (target.withheld > withheld)
      output.note(`Kept back: ${target.withheld} of live environments that were not agreed to with --live.`)
    withheld = target.withheld
    for (const { deliveryId } of held) {
      if (!known.has(deliveryId)) output.note(`${deliveryId} waits for its answer: give it in the app, within 19 s.`)
      known.add(deliveryId)
    }
  }
}

/** Passes on until it is told to stop, or the instance has gone. */
async function pass(context: CommandContext, options: ForwardOptions, session: Session, stopped: Promise<string>): Promise<void> {
  const { client } = session
  const target = await begin(session, options)
  const { id, name } = target
  // The target ends with this call, however the command ends.
  client.call('forward.keep', { id }).catch(() => undefined)
  const print = createSendPrinter(context.output, options.json === true)
  const tell = createTeller(context.output)
  client.on('forward.sent', ({ sends }) => {
    print(sends.filter(({ jobId }) => jobId === id))
  })
  client.on('forward.changed', ({ targets, held }) => {
    const now = targets.find((one) => one.id === id)
    if (now !== undefined)
      tell(
        now,
        held.filter(({ targetId }) => targetId === id),
      )
  })
  context.output.note(
    options.to === undefined
      ? 'Holding new deliveries for an answer by hand. Ctrl+C ends it.'
      : `Passing new deliveries on to ${options.to}. Ctrl+C ends it.`,
  )
  await tellWhoAnswersFirst(session, target, context.output)
  const reason = await Promise.race([stopped, session.closed.then(() => null)])
  if (reason === null)
    throw new AppError(
      'DISCONNECTED',
      `The running instance has stopped, so nothing is passed on any more. What still waited is kept with the target ${name}, paused, in the app.`,
    )
  const { dropped } = await client.call('forward.remove', { id })
  if (dropped > 0)
    context.output.note(
      dropped === 1
        ? '1 delivery was not passed on; it is stored, and can be replayed.'
        : `${dropped} deliveries were not passed on; they are stored, and can be replayed.`,
    )
}

export function addForward(command: Command, context: CommandContext): void {
  command
    .description(
      'Passes each delivery that arrives from now on to an endpoint, in order, until it is stopped, and tells what came of each. While the endpoint is down they wait. Its target ends with the command; lasting ones are made in the app.',
    )
    .option('--to <url>', 'where to; may be left out only with --hold by-hand', readOnce)
    .option('--query <query>', 'only those that match (see docs/query.md)', readOnce)
    .option('--name <name>', 'what the target is called meanwhile (default: the host)', readOnce)
    .option('--answer', "answer the service with the endpoint's answer")
    .addOption(
      new Option(
        '--hold <how>',
        'debugger: answer 200 at once and leave the endpoint as long as it likes; by-hand: hold the answer and give it in the app',
      ).choices(['debugger', 'by-hand']),
    )
    .option('--as-received', 'pass on the signature and timestamp that came (default: signed anew)')
    .option('--registered-url <url>', "the URL to sign (default: each hook's registered one)", readOnce)
  addViewOption(command)
  addTargetOptions(command, 'allow forwarding deliveries of live hooks')
    .option('--json', 'print one JSON object a line')
    .run(async (options: ForwardOptions) => {
      if (options.to === undefined && options.hold !== 'by-hand') throw new UsageError('Say where to, with --to URL.')
      answerOf(options)
      // A query that cannot be read is wrong whether or not anything runs.
      checkGivenQuery(context.output, options.query ?? '')
      const dataFolder = dataFolderOf(context, options)
      await withInstance(dataFolder, 'Passing deliveries on', (session) =>
        withStop(context.env, (stopped) => pass(context, options, session, stopped)),
      )
    })
}
