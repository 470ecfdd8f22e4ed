/** `countersign trigger`: triggers an event in the running sandbox and prints its deliveries. */
import { sandboxCommands } from '../../shared/contract/nouns/sandbox.ts'
import type { Notification } from '../../shared/model/notification.ts'
import { responseWords } from '../../shared/model/outcomes.ts'
import { outcomeOfNotification } from '../../shared/model/service-outcomes.ts'
import { listed } from '../../shared/text/english.ts'
import { defineCommand } from '../command.ts'
import { argument } from '../options/input.ts'
import { optionsOf } from '../options/field-options.ts'
import { readEventType } from '../options/event-names.ts'
import { type Cell, outcomeCell } from '../print.ts'

export function notificationCells(notification: Notification): Cell[] {
  const { attempts, state, reason, event, url } = notification
  const last = attempts.at(-1)
  const answer =
    reason ??
    (last === undefined ? 'not sent yet' : (last.error ?? responseWords(last.status, last.ms)))
  return [outcomeCell(outcomeOfNotification(notification), state), event, url, answer]
}

export const add = defineCommand({
  description: 'Trigger an event in the sandbox, and wait for the first attempt of each delivery.',
  running: 'Triggering an event',
  exits: { 3: "no hook subscribes to the event, or the sandbox's objects don't allow it" },
  examples: [
    ['Trigger a purchase', 'trigger transaction.auth'],
    ['Set the amount', 'trigger transaction.auth --set amount=12.50'],
    ['Sign with a wrong secret', 'trigger transaction.auth --fault wrong-secret'],
  ],
  args: { event: argument('<event>', 'event, for example transaction.auth', readEventType) },
  options: optionsOf(sandboxCommands['sandbox.trigger'].input),
  async run(input, { client, output }) {
    const result = await client.call('sandbox.trigger', input)
    const { event, environment, objects, deliveries, otherPrograms, findings } = result
    output.result(result, () => {
      output.line(`${event} in ${environment}`)
      output.facts(Object.entries(objects))
      output.line('')
      output.table(deliveries.map(notificationCells))
    })
    if (findings.length > 0)
      output.note(
        `Sent as typed, but the spec shows it otherwise: ${findings.join(' ')} To follow the spec, change --set or --unset.`,
      )
    // With hooks of several programs, name the event's.
    if (otherPrograms.length === 0) return
    const others = otherPrograms.map(({ id, name }) => `--program ${id} (${name})`)
    output.note(
      `Sent for program ${objects['program'] ?? ''}, the first with a hook. For another, add ${listed(others, 'or')}.`,
    )
  },
})
