/** `countersign stats`: volume, outcomes and response times of deliveries, optionally in groups. */
import {
  GROUPINGS,
  NO_STATISTICS,
  statisticsSummaries,
  statisticsSummary,
  type Grouping,
  type Percentiles,
  type StatisticsSummary,
} from '../../shared/model/statistics.ts'
import { hookNames } from '../../shared/query/interpret.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { defineCommand } from '../command.ts'
import { UsageError } from '../context.ts'
import { choiceOption, nonBlankOption } from '../options/input.ts'
import { listedSearchOf, noteNoMatch, searchOptions } from '../options/search-options.ts'
import { queryArgument } from '../options/delivery-arguments.ts'
import { right, type Cell } from '../print.ts'
import { sumReplayStatistics } from '../replay-progress.ts'
import { NOTHING_CAPTURED } from '../session.ts'

const matchStatistics = (client: Client, query: string) => client.call('statistics.read', { query })

/** Returns the JSON that scripts read; shares are null without deliveries. */
function summaryJson({
  count,
  verdicts,
  responses,
  retried,
  shares,
  ours,
  handlers,
}: StatisticsSummary) {
  return { deliveries: count, verdicts, responses, retried, shares, ms: ours, handlerMs: handlers }
}

function replaySummaryJson({ count, responses, shares, handlers }: StatisticsSummary) {
  return {
    requests: count,
    responses,
    shares: shares === null ? null : { failing: shares.failing },
    ms: handlers,
  }
}

const time = (ms: number | null) => (ms === null ? '–' : `${String(ms)} ms`)

function timeCells({ p50, p95, p99 }: Percentiles): Cell[] {
  return [p50, p95, p99].map((ms) => right(time(ms)))
}

function cellsOf(
  { count, shares, ours, handlers }: StatisticsSummary,
  of: 'ours' | 'handler' | 'replay',
): Cell[] {
  const parts =
    of === 'replay' ? [shares?.failing] : [shares?.invalid, shares?.stale, shares?.retried]
  return [
    right(count.toLocaleString('en')),
    ...parts.map((share) => right(`${(100 * (share ?? 0)).toFixed(1)}%`)),
    ...timeCells(of === 'ours' ? ours : handlers),
  ]
}

const TIMES = ['p50', 'p95', 'p99']
const HEADINGS = ['Deliveries', 'Invalid', 'Stale', 'Retried', ...TIMES].map(right)
const REPLAY_HEADINGS = ['Requests', 'Failing', ...TIMES].map(right)
const NAMES: Readonly<Record<Grouping, string>> = {
  event: 'Event',
  hook: 'Hook',
  handler: 'Handler',
}
const WITHOUT: Readonly<Record<Grouping, string>> = {
  event: 'unknown event',
  hook: 'no hook',
  handler: 'no handler',
}

export const add = defineCommand({
  description:
    "Count deliveries: volume, response times, and shares of invalid, stale and retried deliveries. Times are the receiver's, or your handler's with --by handler.",
  examples: [
    ['Summarize the last hour', 'stats after:1h'],
    ['Compare events, as JSON', 'stats --by event --json'],
    [
      'Compare the endpoints of a replay',
      'stats --replay 01a204e1-5f3c-7b21-9d40-2c6f8e13ab57 --by handler',
      { notRun: 'needs the ID of a replay' },
    ],
  ],
  args: {
    query: queryArgument(
      '[query]',
      'search, for example: event:transaction.* after:1d (see docs/query.md)',
    ),
  },
  options: {
    by: choiceOption('<group>', 'group the deliveries', GROUPINGS),
    replay: nonBlankOption(
      '<id>',
      'count the requests of a replay instead: volume, share failing, response times',
    ),
    ...searchOptions,
  },
  async run(input, run) {
    const { findData, needData, output } = run
    const { query, view, by, replay } = input
    if (replay !== undefined && (query !== '' || view !== undefined))
      throw new UsageError('Use either --replay or a query.')
    const session =
      replay === undefined
        ? await findData(output.asJson ? null : NOTHING_CAPTURED)
        : await needData(NOTHING_CAPTURED)
    const client = session?.client
    const statistics =
      client === undefined
        ? NO_STATISTICS
        : replay === undefined
          ? await matchStatistics(client, await listedSearchOf(client, input, output))
          : await sumReplayStatistics(client, replay)
    const { hooks } = (await client?.call('hooks.list', {})) ?? { hooks: [] }
    const total = statisticsSummary(statistics.all)
    const nameOf = (key: string | null): string | null => {
      const hook = by === 'hook' ? hooks.find(({ id }) => id === key) : undefined
      return hook === undefined ? key : (hookNames(hook)[0] ?? key)
    }
    const groups = by === undefined ? null : statisticsSummaries(statistics[by])
    const summary = replay === undefined ? summaryJson : replaySummaryJson
    const result = {
      ...summary(total),
      by: by ?? null,
      groups:
        groups?.map((group) => ({ key: group.key, name: nameOf(group.key), ...summary(group) })) ??
        null,
    }
    output.result(result, () => {
      if (client === undefined) return
      if (total.count === 0) {
        if (replay === undefined) noteNoMatch(run, query)
        else output.note('Nothing sent.')
        return
      }
      const of = replay !== undefined ? 'replay' : by === 'handler' ? 'handler' : 'ours'
      const headings = replay === undefined ? HEADINGS : REPLAY_HEADINGS
      output.table(
        by === undefined || groups === null
          ? [headings, cellsOf(total, of)]
          : [
              [NAMES[by], ...headings],
              ...groups.map((group) => [nameOf(group.key) ?? WITHOUT[by], ...cellsOf(group, of)]),
            ],
      )
    })
  },
})
