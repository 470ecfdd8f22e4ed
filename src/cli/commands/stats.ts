/** `countersign stats`: volume, outcomes and response times of deliveries, as a whole or in groups. */
import { Option } from 'commander'
import {
  GROUPINGS,
  NO_STATISTICS,
  statisticsSummaries,
  statisticsSummary,
  sumPieces,
  type Grouping,
  type Percentiles,
  type StatisticsSummary,
} from '../../shared/model/statistics.ts'
import { hookNames } from '../../shared/query/meaning.ts'
import type { Client } from '../../shared/rpc/client.ts'
import {
  readFilled,
  addQueryOption,
  givenQuery,
  takeQuery,
  type QueryOption,
  addViewOption,
  checkGivenQuery,
  listedSearchOf,
  type ViewOption,
} from '../arguments.ts'
import {
  type Command,
  type CommandContext,
  type DataOption,
  UsageError,
  NOTHING_CAPTURED,
  withExistingData,
  withKeptData,
  type Session,
} from '../context.ts'
import type { Cell } from '../output.ts'
import { sumReplayStatistics } from '../replay-feed.ts'

interface StatsOptions extends DataOption, QueryOption, ViewOption {
  readonly by?: Grouping
  readonly replay?: string
}

const matchStatistics = (client: Client, query: string) =>
  sumPieces((from) => client.call('statistics.read', { query, from }))

/** What scripts read; shares are null without deliveries. */
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

/** The same of a replay. */
function replaySummaryJson({ count, responses, shares, handlers }: StatisticsSummary) {
  return {
    requests: count,
    responses,
    shares: shares === null ? null : { failing: shares.failing },
    ms: handlers,
  }
}

const time = (ms: number | null) => (ms === null ? '–' : `${String(ms)} ms`)
const right = (text: string): Cell => ({ text, align: 'right' })

function timeCells({ p50, p95, p99 }: Percentiles): Cell[] {
  return [p50, p95, p99].map((ms) => right(time(ms)))
}

/** The cells of a group after its name. */
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

export function add(command: Command, context: CommandContext): void {
  const stats = command
    .description(
      "Count deliveries: volume, response times, and shares of invalid, stale and retried deliveries. Times are the receiver's, or your handler's with --by handler.",
    )
    .example('Summarize the last hour', 'stats after:1h')
    .example('Compare events, as JSON', 'stats --by event --json')
    .example(
      'Compare the endpoints of a replay',
      'stats --replay 01a204e1-5f3c-7b21-9d40-2c6f8e13ab57 --by handler',
      {
        notRun: 'needs the ID of a replay',
      },
    )
    .argument('[query]', 'search, for example: event:transaction.* after:1d (see docs/query.md)')
    .addOption(new Option('--by <group>', 'group the deliveries').choices(GROUPINGS))
    .option(
      '--replay <id>',
      'count the requests of a replay instead: volume, share failing, response times',
      readFilled,
    )
    .printsJson()
    .run(async (query: string | undefined, options: StatsOptions) => {
      const given = givenQuery(query, options) ?? ''
      checkGivenQuery(context.output, given)
      const { by, replay } = options
      if (replay !== undefined && (given !== '' || options.view !== undefined))
        throw new UsageError('Use either --replay or a query.')
      const read = async ({ client }: Session) => {
        const statistics =
          replay === undefined
            ? await matchStatistics(
                client,
                await listedSearchOf(client, given, options.view, context.output),
              )
            : await sumReplayStatistics(client, replay)
        const { hooks } = await client.call('hooks.list', {})
        return { statistics, hooks }
      }
      const missing = options.json === true ? null : NOTHING_CAPTURED
      const found =
        replay === undefined
          ? await withExistingData(context, options, missing, read)
          : await withKeptData(context, options, NOTHING_CAPTURED, read)
      const statistics = found?.statistics ?? NO_STATISTICS
      const whole = statisticsSummary(statistics.all)
      const nameOf = (key: string | null): string | null => {
        const hook = by === 'hook' ? found?.hooks.find(({ id }) => id === key) : undefined
        return hook === undefined ? key : (hookNames(hook)[0] ?? key)
      }
      const groups = by === undefined ? null : statisticsSummaries(statistics[by])
      if (options.json === true) {
        const json = replay === undefined ? summaryJson : replaySummaryJson
        context.output.json({
          ...json(whole),
          by: by ?? null,
          groups:
            groups?.map((group) => ({ key: group.key, name: nameOf(group.key), ...json(group) })) ??
            null,
        })
        return
      }
      if (found === null) return
      if (whole.count === 0)
        context.output.note(replay === undefined ? 'No deliveries match.' : 'Nothing sent.')
      else {
        const of = replay !== undefined ? 'replay' : by === 'handler' ? 'handler' : 'ours'
        const headings = replay === undefined ? HEADINGS : REPLAY_HEADINGS
        const rows =
          by === undefined || groups === null
            ? [headings, cellsOf(whole, of)]
            : [
                [{ text: NAMES[by] }, ...headings],
                ...groups.map((group) => [
                  { text: nameOf(group.key) ?? WITHOUT[by] },
                  ...cellsOf(group, of),
                ]),
              ]
        context.output.table(rows)
      }
    })
  takeQuery(addViewOption(addQueryOption(stats)))
}
