/** Compares runs for an agent: one call that tells whether a change broke anything. */
import type { InputOf } from '../../shared/contract/contract.ts'
import { isComparisonFailed } from '../../shared/model/comparison-outcomes.ts'
import { groupExample, groupTitle } from '../../shared/text/comparison-words.ts'
import { UsageError } from '../context.ts'
import { pick } from '../print.ts'
import { followReplay } from '../replay-progress.ts'
import { facts, nextCall, type ToolResult } from './result.ts'
import { checkSearch } from './search-limits.ts'
import type { Call } from './tool.ts'

/** Requests per comparison: an agent needs few, and each may be processed. */
const MOST_COMPARED = 1_000
const CONCURRENCY = 4

interface Compared extends Pick<InputOf<'replay.start'>, 'to' | 'tamper' | 'ignore' | 'ids'> {
  readonly against: string
  readonly query: string | undefined
  readonly timestamp: 'now' | 'original'
}

/** Sends the deliveries and returns the groups of changed responses. */
export async function compareRuns(
  { query, ids, timestamp, ...input }: Compared,
  { sending, start, progress }: Call,
): Promise<ToolResult> {
  if ((query === undefined) === (ids === undefined))
    throw new UsageError('With "against", pass either "ids" or "query".')
  if (query !== undefined) checkSearch(query)
  const session = await sending()
  const { replay } = await start(session, 'replay.start', {
    ...input,
    ...(query === undefined ? { ids } : { query }),
    ...{ edits: { timestamp }, concurrency: CONCURRENCY, most: MOST_COMPARED },
  })
  if (replay.total === 0) return { outline: ['No deliveries match.'] }
  let sent = 0
  const { id, state } = await followReplay(session, replay, (sends) => {
    sent += sends.length
    progress(`${sent} of ${replay.total} sent`)
  })
  const comparison = await session.client.call('replay.comparison', { replayId: id })
  const { groups } = comparison
  const examples = groups.map(groupExample)
  const [example] = examples
  return {
    outline: [
      facts({
        broken: isComparisonFailed(comparison, 'regressed'),
        changed: isComparisonFailed(comparison, 'changed'),
        ...{ replay: id, state },
      }),
      facts({
        ...pick(comparison, 'total', 'regressed', 'changed', 'fixed', 'unreachable'),
        ...pick(comparison, 'notCompared', 'same'),
        furtherGroups: comparison.furtherGroups || null,
      }),
      ...groups.map(({ count, outcome, event, before, after }, index) =>
        facts({
          ...{ [outcome]: count, event, before: before?.status, after: after?.status },
          example: examples[index],
        }),
      ),
      ...(example === undefined ? [] : [nextCall('delivery_show', { id: example })]),
    ],
    captured: groups.map(groupTitle),
    about: examples.slice(0, 2),
  }
}
