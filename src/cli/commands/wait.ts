/** `countersign wait`: waits for new deliveries. */
import { hintOn } from '../../shared/query/hints.ts'
import { joinQueries } from '../../shared/query/edit-query.ts'
import { defineCommand, JSON_LINES } from '../command.ts'
import { EXIT } from '../context.ts'
import { followDeliveries, fetchNewestSeq } from '../delivery-feed.ts'
import { deliveryCells } from '../delivery-table.ts'
import { flagOption, parsedOption } from '../options/input.ts'
import { searchOf, noteHidden, searchOptions } from '../options/search-options.ts'
import { queryArgument } from '../options/delivery-arguments.ts'
import { readSeconds, readCount } from '../options/value-readers.ts'

export const add = defineCommand({
  description:
    'Wait for new deliveries and print them. Imported deliveries count if their signature is verified here.',
  running: 'Waiting for deliveries',
  exits: { 1: 'the time runs out first' },
  examples: [
    [
      'Wait up to 30 seconds for two valid deliveries',
      "wait --query 'event:transaction.auth is:valid' --count 2 --timeout 30",
    ],
  ],
  args: {
    query: queryArgument('[query]', 'count only deliveries that match (see docs/query.md)'),
  },
  json: JSON_LINES,
  options: {
    count: parsedOption('<n>', 'number of deliveries to wait for', readCount).default(1),
    timeout: parsedOption('<seconds>', 'max time to wait (default: until stopped)', readSeconds),
    includeSecrets: flagOption('show credentials'),
    ...searchOptions,
  },
  async run(input, run) {
    const { needRunning, now, output } = run
    const { count, timeout } = input
    const print = output.printer(deliveryCells)
    const session = await needRunning()
    const query = await searchOf(session.client, input)
    const after = await fetchNewestSeq(session.client)
    output.note(`Waiting for ${count === 1 ? 'a delivery' : `${count} deliveries`}…`)
    const begunAt = now()
    let missing = count
    const search = {
      query,
      after,
      signal: timeout === undefined ? undefined : AbortSignal.timeout(timeout),
      identified: true,
      verified: true,
    } as const
    const isDone = await followDeliveries(session, search, (deliveries) => {
      const counted = deliveries.slice(0, missing)
      print(counted)
      missing -= counted.length
      return missing === 0
    })
    if (isDone) return EXIT.done
    const hint = missing === count ? hintOn(query) : null
    output.note(
      `Timed out: ${count - missing} of ${count} arrived.${hint === null ? '' : ` ${hint}`}`,
    )
    const since = new Date(begunAt).toISOString()
    await noteHidden(session.client, joinQueries(query, `after:${since}`), output)
    return EXIT.negative
  },
})
