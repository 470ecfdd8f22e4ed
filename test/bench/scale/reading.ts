/**
 * First pages and searches over all stored deliveries, through the contract, as the window requests
 * them.
 */
import type { Table } from '../../../scripts/lib/measurement.ts'
import { countMatches } from '../../support/read-deliveries.ts'
import type { Client } from '../../../src/shared/rpc/client.ts'

const ROUNDS = 15
/** The first ones read from the disk and compile code, so they aren't counted. */
const UNCOUNTED = 3
const PAGE = 100
const FILTER_BAR_MS = 5
const SEARCH_BAR_MS = 50

const FILTERS = [
  ['everything', ''],
  ['a common verdict', 'is:valid'],
  ['a rare verdict', 'verdict:unknown-hook'],
  ['an event', 'event:transaction.refund'],
  ['a rare event', 'event:brand.consent'],
  ['events by a star', 'event:transaction.*'],
  ['a freshness', 'is:stale'],
  ['an environment', 'environment:sandbox-live'],
  ['a mode', 'mode:live'],
  ['a range of answers', 'status:500..599'],
  ['all but an answer', '-status:200'],
  ['a schema outcome', 'schema:issues'],
  ['third attempts', 'attempt:3'],
  ['duplicates', 'is:duplicate'],
  ['no delivery at all', 'is:malformed'],
  ['before a day months ago', 'before:2026-03-20'],
] as const

const SEARCHES = [
  ['a common word', 'coffee'],
  ['a word of every third delivery', 'gbp'],
  ['a begun word', 'cof'],
  ['a single letter', 'c'],
  ['a letter and a verdict', 'c is:invalid'],
  ['two letters that hardly a word begins with', 'zq'],
  ['words in a row', '"the corner coffee"'],
  ['two words and a verdict', 'coffee london is:invalid'],
  ['a word or a verdict', 'sakura OR is:unsigned'],
  ['all but a word', '-coffee'],
  ['a script without spaces', 'さくら'],
  ['a word that is nowhere', 'nosuchword'],
] as const

async function timesOf(
  client: Client,
  query: string,
): Promise<{ rows: number; times: number[]; total: number; count: number }> {
  const times: number[] = []
  let rows = 0
  for (let round = 0; round < UNCOUNTED + ROUNDS; round++) {
    const from = performance.now()
    const page = await client.call('deliveries.page', { query, limit: PAGE })
    if (round >= UNCOUNTED) times.push(performance.now() - from)
    rows = page.rows.length
  }
  const from = performance.now()
  const total = await countMatches(client, query)
  return { rows, times, total, count: performance.now() - from }
}

export async function measureReading(
  client: Client,
  progress: (message: string) => void,
): Promise<Table[]> {
  const table = async (
    title: string,
    bar: number,
    queries: readonly (readonly [string, string])[],
  ): Promise<Table> => {
    const rows: Table['rows'][number][] = []
    for (const [label, query] of queries) {
      progress(`${title}: ${label}`)
      const { times, total, count } = await timesOf(client, query)
      rows.push([label, `\`${query}\``, total, times, Math.max(...times), bar, count])
    }
    return {
      title,
      columns: [
        'what',
        'query',
        'found',
        'first page (ms)',
        'slowest (ms)',
        'bar (ms)',
        'counted after (ms)',
      ],
      rows,
    }
  }
  return [
    await table(
      `First page by a filter that has an index, median of ${ROUNDS}`,
      FILTER_BAR_MS,
      FILTERS,
    ),
    await table(`First page of a full-text search, median of ${ROUNDS}`, SEARCH_BAR_MS, SEARCHES),
  ]
}

const COUNT_BAR_MS = 50
const MINUTE = 60_000

/**
 * Measures the timeline and the statistics over all stored deliveries, as the window requests them.
 * @param zone Offset of the bars.
 */
export async function measureCounting(
  client: Client,
  progress: (message: string) => void,
): Promise<Table> {
  const first = (await client.call('timeline.start', {})).at ?? 0
  const [row] = (await client.call('deliveries.page', { limit: 1 })).rows
  const now = Date.parse(row?.receivedAt ?? '')
  const width = Math.ceil((now - first) / 96 / (1_440 * MINUTE)) * 1_440 * MINUTE
  const rows: Table['rows'][number][] = []
  for (const [label, zone] of [
    ['timeline, days in UTC', 0],
    ['timeline, days in UTC+5:30', 330],
  ] as const) {
    progress(label)
    const start = Math.floor(first / (1_440 * MINUTE)) * 1_440 * MINUTE - zone * MINUTE
    const times: number[] = []
    for (let round = 0; round < UNCOUNTED + ROUNDS; round++) {
      const from = performance.now()
      await client.call('timeline.read', { start, width, bins: 97 })
      if (round >= UNCOUNTED) times.push(performance.now() - from)
    }
    rows.push([label, '', times, Math.max(...times), COUNT_BAR_MS])
  }
  const start = Math.floor(first / (1_440 * MINUTE)) * 1_440 * MINUTE
  const filtered = [
    ['filtered timeline', 'is:invalid'],
    ['filtered timeline', 'coffee'],
    ['filtered timeline', 'is:valid'],
  ] as const
  for (const [label, query] of filtered) {
    progress(`${label}: ${query}`)
    const from = performance.now()
    await client.call('timeline.read', { query, start, width, bins: 97 })
    const took = performance.now() - from
    rows.push([label, `\`${query}\``, took, took, ''])
  }
  for (const query of ['is:invalid', '']) {
    progress(`statistics: ${query}`)
    const from = performance.now()
    await client.call('statistics.read', { query })
    const took = performance.now() - from
    rows.push(['statistics', `\`${query}\``, took, took, ''])
  }
  return {
    title: 'Timeline and statistics of all deliveries',
    columns: ['what', 'query', 'count (ms)', 'slowest (ms)', 'bar (ms)'],
    rows,
  }
}
