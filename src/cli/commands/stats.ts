/** `countersign stats`: volume, outcomes and response times of deliveries, as a whole or in groups. */
import { Option } from 'commander'
import {
  addStatistics,
  GROUPINGS,
  NO_STATISTICS,
  statisticsSummaries,
  statisticsSummary,
  type Grouping,
  type Percentiles,
  type Statistics,
  type StatisticsSummary,
} from '../../shared/model/statistics.ts'
import { hookNames } from '../../shared/query/meaning.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { takeQuery } from '../arguments.ts'
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { createColumns, type Cell } from '../output.ts'
import { addViewOption, checkGivenQuery, searchOf, type ViewOption } from '../saved-view.ts'
import { noDataYet, NOTHING_CAPTURED, withExistingData } from '../session.ts'

interface StatsOptions extends DataOption, ViewOption {
  readonly by?: Grouping
  readonly json?: true
}

/** Adds all pieces, newest first. */
async function readWholeStatistics(client: Client, query: string): Promise<Statistics> {
  let sum = NO_STATISTICS
  for (let place = {}; ;) {
    const { next, ...piece } = await client.call('statistics.read', { query, ...place })
    sum = addStatistics(sum, piece)
    if (next === null) return sum
    place = { from: next }
  }
}

/** What scripts read; shares are null without deliveries. */
function summaryJson({ count, verdicts, responses, retried, shares, ours, handlers }: StatisticsSummary) {
  return { deliveries: count, verdicts, responses, retried, shares, ms: ours, handlerMs: handlers }
}

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)}%`
const time = (ms: number | null) => (ms === null ? '–' : `${String(ms)} ms`)
const right = (text: string): Cell => ({ text, align: 'right' })

function timeCells({ p50, p95, p99 }: Percentiles): Cell[] {
  return [p50, p95, p99].map((ms) => right(time(ms)))
}

/** `name` is null for the whole. */
function rowOf(name: string | null, { count, verdicts, retried, ours, handlers }: StatisticsSummary, ofHandler: boolean): Cell[] {
  return [
    ...(name === null ? [] : [{ text: name }]),
    right(count.toLocaleString('en')),
    ...[verdicts.invalid, verdicts.stale, retried].map((part) => right(percent(part, count))),
    ...timeCells(ofHandler ? handlers : ours),
  ]
}

const HEADINGS = ['Deliveries', 'Invalid', 'Stale', 'Retried', 'p50', 'p95', 'p99'].map(right)
const NAMES: Readonly<Record<Grouping, string>> = { event: 'Event', hook: 'Hook', handler: 'Handler' }
const WITHOUT: Readonly<Record<Grouping, string>> = { event: 'unknown event', hook: 'no hook', handler: 'no handler' }

export function addStats(statsCommand: Command, context: CommandContext): void {
  const stats = statsCommand
    .description(
      "Count deliveries: volume, shares of invalid, stale and retried ones, and response times. The times are ours, and your handler's with --by handler.",
    )
    .example('Summarize the last hour', 'stats after:1h')
    .example('Compare events, as JSON', 'stats --by event --json')
    .argument('[query]', 'search, for example: event:transaction.* after:1d (see docs/query.md)')
    .addOption(new Option('--by <group>', 'group the deliveries').choices(GROUPINGS))
    .option('--json', 'print a JSON object')
    .run(async (query: string | undefined, options: StatsOptions) => {
      const dataFolder = dataFolderOf(context, options)
      const given = query?.trimStart() ?? ''
      checkGivenQuery(context.output, given)
      const { by } = options
      const found = await withExistingData(context, dataFolder, async ({ client }) => {
        const statistics = await readWholeStatistics(client, await searchOf(client, given, options.view))
        const { hooks } = await client.call('hooks.list', {})
        return { statistics, hooks }
      })
      const statistics = found?.statistics ?? NO_STATISTICS
      const whole = statisticsSummary(statistics.all)
      const nameOf = (key: string | null): string | null => {
        const hook = by === 'hook' ? found?.hooks.find(({ id }) => id === key) : undefined
        return hook === undefined ? key : (hookNames(hook)[0] ?? key)
      }
      const groups = by === undefined ? null : statisticsSummaries(statistics[by])
      if (options.json === true) {
        context.output.json({
          ...summaryJson(whole),
          by: by ?? null,
          groups: groups?.map((group) => ({ key: group.key, name: nameOf(group.key), ...summaryJson(group) })) ?? null,
        })
        return
      }
      if (found === null) context.output.note(noDataYet(NOTHING_CAPTURED, dataFolder))
      else if (whole.count === 0) context.output.note('No deliveries match.')
      else {
        const rows =
          by === undefined || groups === null
            ? [HEADINGS, rowOf(null, whole, false)]
            : [
                [{ text: NAMES[by] }, ...HEADINGS],
                ...groups.map((group) => rowOf(nameOf(group.key) ?? WITHOUT[by], group, by === 'handler')),
              ]
        for (const line of createColumns(context.output)(rows)) context.output.line(line)
      }
    })
  takeQuery(addViewOption(stats))
}
