/** `countersign forward`: forwards new deliveries to an endpoint until stopped. */
import { handlerNameIn } from '../../shared/http.ts'
import { forwardCommands } from '../../shared/contract/nouns/forward.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { ForwardTarget } from '../../shared/model/forward.ts'
import { defineCommand, JSON_LINES } from '../command.ts'
import { UsageError } from '../context.ts'
import { createSendPrinter } from '../replay-progress.ts'
import { whenAborted } from '../../core/base/async.ts'
import { withStop } from '../lifetime.ts'
import { choiceOption, flagOption, textOption } from '../options/input.ts'
import { searchOf, searchOptions } from '../options/search-options.ts'
import { optionsOf } from '../options/field-options.ts'
import { queryArgument } from '../options/delivery-arguments.ts'
import type { Output } from '../print.ts'
import type { Session } from '../session.ts'

async function noteEarlierTargets(
  { client }: Session,
  newTarget: ForwardTarget,
  output: Output,
): Promise<void> {
  if (newTarget.answer === 'rule') return
  const { targets } = await client.call('forward.list', {})
  const earlier = targets.slice(
    0,
    targets.findIndex(({ id }) => id === newTarget.id),
  )
  for (const { name, query, on, paused, answer } of earlier) {
    if (!on || paused || answer === 'rule') continue
    const deliveriesText = query === '' ? 'every delivery' : `deliveries that match ${query}`
    output.note(
      `The existing target ${name} already responds to ${deliveriesText}, so this one won't. To change that, pause, turn off or remove ${name} in the app.`,
    )
  }
}

function createTargetNotes(output: Output): (target: ForwardTarget) => void {
  let printedLight: ForwardTarget['light'] = 'new'
  let withheld = 0
  return (target) => {
    const { light, problem, queue } = target
    if (light !== printedLight && (light === 'down' || light === 'failing')) {
      const name = light === 'down' ? 'Down' : 'Failing'
      const waiting =
        queue.waiting === 0 ? '' : ` ${queue.waiting} ${queue.waiting === 1 ? 'waits' : 'wait'}.`
      output.note(`${name}: ${problem ?? ''}${waiting}`)
    }
    if (light !== printedLight && light === 'up' && printedLight !== 'new') output.note('Up again.')
    printedLight = light
    if (target.withheld > withheld)
      output.note(
        `Not forwarded: ${target.withheld} from live environments. Add --live to forward those.`,
      )
    withheld = target.withheld
  }
}

export const add = defineCommand({
  description:
    'Forward new deliveries to your endpoint, in order, until stopped, and print each result. Deliveries wait while the endpoint is down. For permanent targets, use the app.',
  running: 'Forwarding',
  examples: [
    [
      'Forward every new delivery to your handler',
      'forward --to http://127.0.0.1:3000/webhooks',
      { notRun: 'runs until stopped' },
    ],
    [
      "Forward refunds and return your handler's response to the service",
      'forward --to http://127.0.0.1:3000/refunds --query event:transaction.refund --answer',
      { notRun: 'runs until stopped' },
    ],
  ],
  args: { query: queryArgument('[query]', 'only deliveries that match (see docs/query.md)') },
  json: JSON_LINES,
  options: {
    to: textOption('<url>', 'your endpoint: a URL or @NAME'),
    answer: flagOption("return the endpoint's response to the service").conflicts('hold'),
    hold: choiceOption(
      '<how>',
      'debugger: respond 200 immediately and let the endpoint take its time',
      ['debugger'],
    ),
    asReceived: flagOption('keep the received signature and timestamp (default: re-sign)'),
    ...optionsOf(forwardCommands['forward.add'].input),
    ...searchOptions,
  },
  async run(input, { needRunning, env, output }) {
    const { to, answer, hold, asReceived, query: _, view: _view, ...settings } = input
    if (to === undefined) throw new UsageError('Add your endpoint with --to URL.')
    const session = await needRunning()
    const { client } = session
    await withStop(env, async (signal) => {
      const { target } = await client.call('forward.add', {
        ...settings,
        url: to,
        query: await searchOf(client, input),
        answer: answer ? 'handler' : hold === undefined ? 'rule' : 'at-once',
        sign: asReceived ? 'as-received' : 'now',
        temporary: true,
      })
      const { id } = target
      // Ends the target with this connection, however the command ends.
      client.call('forward.keep', { id }).catch(() => undefined)
      const print = createSendPrinter(output)
      const tell = createTargetNotes(output)
      client.on('forward.sent', ({ sends }) =>
        print(sends.filter(({ replayId }) => replayId === id)),
      )
      client.on('forward.changed', ({ targets }) => {
        const now = targets.find((one) => one.id === id)
        if (now !== undefined) tell(now)
      })
      output.note(
        `Forwarding new deliveries to ${handlerNameIn(to) === null ? to : `${to} (${target.url})`}. Press Ctrl+C to stop.`,
      )
      await noteEarlierTargets(session, target, output)
      await Promise.race([whenAborted(signal), session.closed])
      if (!signal.aborted)
        throw new AppError(
          'DISCONNECTED',
          `Countersign stopped, so forwarding stopped. Pending deliveries are saved; ${target.name} is paused.`,
        )
      const { dropped } = await client.call('forward.remove', { id })
      if (dropped > 0)
        output.note(
          dropped === 1
            ? '1 delivery was not forwarded. It is stored; you can replay it.'
            : `${dropped} deliveries were not forwarded. They are stored; you can replay them.`,
        )
    })
  },
})
