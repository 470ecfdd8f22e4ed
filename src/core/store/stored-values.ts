/** Values that a search can use: events, paths, header names, and body paths with their values. */
import type { StoredValues } from '../../shared/query/completions.ts'
import { printPath } from '../../shared/query/term-name.ts'
import { parseBody } from '../../shared/service/json-body.ts'
import { headersOf } from './rows.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'

/** Newest deliveries that are read, because people search for something recent. */
const NEWEST_DELIVERIES = 300
const NEWEST_BODIES = 60
const MAX_BODY_BYTES = 32_768
const MAX_EVENTS = 200
const MAX_PATHS = 50
const MAX_BODY_PATHS = 200
const MAX_DEPTH = 6
/** Distinct values above which a field is an id or amount, not a choice. */
const MAX_VALUES = 8
const MAX_VALUE_LENGTH = 40

function byFrequency(values: Iterable<string>, limit: number): string[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, limit)
    .map(([value]) => value)
}

function noteValues(body: unknown, valuesByPath: Map<string, Set<string>>): void {
  const pending: { readonly value: unknown; readonly steps: readonly string[] }[] = [
    { value: body, steps: [] },
  ]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, steps } = next
    if (Array.isArray(value))
      for (const item of value.slice(0, MAX_VALUES) as unknown[])
        pending.push({ value: item, steps })
    else if (typeof value === 'object' && value !== null) {
      if (steps.length < MAX_DEPTH)
        for (const [key, member] of Object.entries(value).toReversed())
          pending.push({ value: member, steps: [...steps, key] })
    } else {
      const path = printPath(steps)
      if (!valuesByPath.has(path) && valuesByPath.size >= MAX_BODY_PATHS) continue
      const values = valuesByPath.get(path) ?? new Set()
      valuesByPath.set(path, values)
      const text = String(value)
      if (values.size <= MAX_VALUES && text !== '' && text.length <= MAX_VALUE_LENGTH)
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
  ).all(MAX_EVENTS)
  const newest = rowStatement<{ path: string | null; headers: string }>(
    db,
    'SELECT path, headers FROM deliveries ORDER BY seq DESC LIMIT ?',
  ).all(NEWEST_DELIVERIES)
  const bodies = columnStatement<Buffer>(
    db,
    `SELECT b.bytes FROM (SELECT seq, body_size FROM deliveries ORDER BY seq DESC LIMIT ?) d JOIN bodies b ON b.seq = d.seq
       WHERE d.body_size BETWEEN 1 AND ?`,
  ).all(NEWEST_BODIES, MAX_BODY_BYTES)
  const valuesByPath = new Map<string, Set<string>>()
  for (const bytes of bodies) {
    const body = parseBody(bytes)
    if (body.ok && typeof body.value === 'object') noteValues(body.value, valuesByPath)
  }
  const names = (sql: string) => columnStatement<string>(db, sql).all(MAX_PATHS)
  return {
    events,
    handlers: names(
      'SELECT name FROM handlers WHERE removed_at IS NULL ORDER BY is_current DESC, seq LIMIT ?',
    ),
    flows: names('SELECT flow FROM flow_deliveries GROUP BY flow ORDER BY max(seq) DESC LIMIT ?'),
    names: names('SELECT name FROM composed WHERE name IS NOT NULL ORDER BY seq DESC LIMIT ?'),
    paths: byFrequency(
      newest.flatMap(({ path }) => (path === null ? [] : [path])),
      MAX_PATHS,
    ),
    headers: byFrequency(
      newest.flatMap(({ headers }) =>
        (headersOf(headers) ?? []).map(([name]) => name.toLowerCase()),
      ),
      MAX_PATHS,
    ),
    bodyPaths: [...valuesByPath].map(([path, values]) => ({
      path,
      values: values.size > MAX_VALUES ? [] : [...values],
    })),
  }
}
