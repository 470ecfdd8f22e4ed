/** Values that a search can use: events, paths, header names, and paths into the newest bodies with their values. */
import type { StoredValues } from '../../shared/query/complete.ts'
import { printPath } from '../../shared/query/names.ts'
import { parseBody } from '../../shared/service/json-body.ts'
import type { ReadableDb } from './open.ts'
import { headersOf } from './rows.ts'
import { rowStatement, valuesOf } from './statements.ts'

/** Deliveries to read: people nearly always search for something recent. */
const NEWEST = 300
const NEWEST_BODIES = 60
const LARGEST_BODY = 32_768
const MOST_EVENTS = 200
const MOST_PATHS = 50
const MOST_BODY_PATHS = 200
const DEEPEST = 6
/** A field with more values than this is an id or an amount, not a choice: none of its values is offered. */
const MOST_VALUES = 8
const LONGEST_VALUE = 40

/** Most frequent first. */
function byFrequency(values: Iterable<string>, most: number): string[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([value]) => value)
}

function noteValues(body: unknown, found: Map<string, Set<string>>): void {
  const open: { readonly value: unknown; readonly steps: readonly string[] }[] = [
    { value: body, steps: [] },
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, steps } = next
    if (Array.isArray(value))
      for (const item of value.slice(0, MOST_VALUES) as unknown[]) open.push({ value: item, steps })
    else if (typeof value === 'object' && value !== null) {
      if (steps.length < DEEPEST)
        for (const [key, member] of Object.entries(value).toReversed())
          open.push({ value: member, steps: [...steps, key] })
    } else {
      const path = printPath(steps)
      if (!found.has(path) && found.size >= MOST_BODY_PATHS) continue
      const values = found.get(path) ?? new Set()
      found.set(path, values)
      const text = String(value)
      if (values.size <= MOST_VALUES && text !== '' && text.length <= LONGEST_VALUE)
        values.add(text)
    }
  }
}

/** Reads suggestions for a search; a few milliseconds, however much is stored. */
export function storedValues(db: ReadableDb): Omit<StoredValues, 'hooks' | 'environments'> {
  // From one event to the next by the index, skipping the deliveries between them.
  const events = valuesOf<string>(
    db,
    `WITH RECURSIVE each (event) AS (SELECT min(event) FROM deliveries
         UNION ALL SELECT (SELECT min(event) FROM deliveries WHERE event > each.event) FROM each WHERE each.event IS NOT NULL)
       SELECT event FROM each WHERE event IS NOT NULL LIMIT ?`,
  ).all(MOST_EVENTS)
  const newest = rowStatement<{ path: string | null; headers: string }>(
    db,
    'SELECT path, headers FROM deliveries ORDER BY seq DESC LIMIT ?',
  ).all(NEWEST)
  const bodies = valuesOf<Buffer>(
    db,
    `SELECT b.bytes FROM (SELECT seq, body_size FROM deliveries ORDER BY seq DESC LIMIT ?) d JOIN bodies b ON b.seq = d.seq
       WHERE d.body_size BETWEEN 1 AND ?`,
  ).all(NEWEST_BODIES, LARGEST_BODY)
  const found = new Map<string, Set<string>>()
  for (const bytes of bodies) {
    const body = parseBody(bytes)
    if (body.ok && typeof body.value === 'object') noteValues(body.value, found)
  }
  const names = (sql: string) => valuesOf<string>(db, sql).all(MOST_PATHS)
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
    bodyPaths: [...found].map(([path, values]) => ({
      path,
      values: values.size > MOST_VALUES ? [] : [...values],
    })),
  }
}
