/** Values that a search can use: events, paths, header names, and body paths with their values. */
import type { StoredValues } from '../../shared/query/complete.ts'
import { printPath } from '../../shared/query/names.ts'
import { parseBody } from '../../shared/service/json-body.ts'
import { headersOf } from './rows.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'

/** Newest deliveries that are read, because people search for something recent. */
const NEWEST = 300
const NEWEST_BODIES = 60
const LARGEST_BODY = 32_768
const MOST_EVENTS = 200
const MOST_PATHS = 50
const MOST_BODY_PATHS = 200
const DEEPEST = 6
/** Distinct values above which a field is an id or amount, not a choice. */
const MOST_VALUES = 8
const LONGEST_VALUE = 40

function byFrequency(values: Iterable<string>, most: number): string[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([value]) => value)
}

function noteValues(body: unknown, valuesByPath: Map<string, Set<string>>): void {
  const pending: { readonly value: unknown; readonly steps: readonly string[] }[] = [
    { value: body, steps: [] },
  ]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, steps } = next
    if (Array.isArray(value))
      for (const item of value.slice(0, MOST_VALUES) as unknown[])
        pending.push({ value: item, steps })
    else if (typeof value === 'object' && value !== null) {
      if (steps.length < DEEPEST)
        for (const [key, member] of Object.entries(value).toReversed())
          pending.push({ value: member, steps: [...steps, key] })
    } else {
      const path = printPath(steps)
      if (!valuesByPath.has(path) && valuesByPath.size >= MOST_BODY_PATHS) continue
      const values = valuesByPath.get(path) ?? new Set()
      valuesByPath.set(path, values)
      const text = String(value)
      if (values.size <= MOST_VALUES && text !== '' && text.length <= LONGEST_VALUE)
        values.add(text)
    }
  }
}

/** Reads suggestions for a search in a few milliseconds. */
export function readStoredValues(db: ReadableDb): Omit<StoredValues, 'hooks' | 'environments'> {
  // Steps from one event to the next in the index.
  const events = columnStatement<string>(
    db,
    `WITH RECURSIVE each (event) AS (SELECT min(event) FROM deliveries
         UNION ALL SELECT (SELECT min(event) FROM deliveries WHERE event > each.event) FROM each WHERE each.event IS NOT NULL)
       SELECT event FROM each WHERE event IS NOT NULL LIMIT ?`,
  ).all(MOST_EVENTS)
  const newest = rowStatement<{ path: string | null; headers: string }>(
    db,
    'SELECT path, headers FROM deliveries ORDER BY seq DESC LIMIT ?',
  ).all(NEWEST)
  const bodies = columnStatement<Buffer>(
    db,
    `SELECT b.bytes FROM (SELECT seq, body_size FROM deliveries ORDER BY seq DESC LIMIT ?) d JOIN bodies b ON b.seq = d.seq
       WHERE d.body_size BETWEEN 1 AND ?`,
  ).all(NEWEST_BODIES, LARGEST_BODY)
  const valuesByPath = new Map<string, Set<string>>()
  for (const bytes of bodies) {
    const body = parseBody(bytes)
    if (body.ok && typeof body.value === 'object') noteValues(body.value, valuesByPath)
  }
  const names = (sql: string) => columnStatement<string>(db, sql).all(MOST_PATHS)
  return {
    events,
    handlers: names(
      'SELECT name FROM handlers WHERE removed_at IS NULL ORDER BY is_current DESC, seq LIMIT ?',
    ),
    flows: names('SELECT flow FROM flow_deliveries GROUP BY flow ORDER BY max(seq) DESC LIMIT ?'),
    paths: byFrequency(
      newest.flatMap(({ path }) => (path === null ? [] : [path])),
      MOST_PATHS,
    ),
    headers: byFrequency(
      newest.flatMap(({ headers }) =>
        (headersOf(headers) ?? []).map(([name]) => name.toLowerCase()),
      ),
      MOST_PATHS,
    ),
    bodyPaths: [...valuesByPath].map(([path, values]) => ({
      path,
      values: values.size > MOST_VALUES ? [] : [...values],
    })),
  }
}
