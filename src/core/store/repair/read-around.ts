/**
 * Reads a table's rows around damaged pages. An unreadable page hides only its own rows: reading continues at the next reachable
 * row id, found by growing steps and then by bisection.
 */
import type { Database } from 'better-sqlite3'
import { isCorrupt } from '../damaged.ts'

/** Every column by its name; text as its exact bytes. */
export type SourceRow = Readonly<Record<string, unknown>>

export interface SourceTable {
  readonly name: string
  /** What to select, in the order of the columns to insert. */
  readonly select: string
  /** The row id for tables that have one, otherwise the primary key's columns. */
  readonly key: readonly string[]
  readonly hasRowIds: boolean
}

/** A gap in the row ids from `from` up to, but not including, `to`; a single unreadable row is a gap of one. */
export interface Hole {
  readonly from: number
  readonly to: number
}

/** Row ids are integers that JavaScript represents exactly. */
const LEAST = Number.MIN_SAFE_INTEGER
const MOST = Number.MAX_SAFE_INTEGER
/** In gaps up to this size every row id is tried, because sound pages may be between two damaged ones. */
const TRIED_ONE_BY_ONE = 50_000

export const quotedName = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Runs a read; null if it meets damage. */
function tryRead<Result>(read: () => Result): { readonly result: Result } | null {
  try {
    return { result: read() }
  } catch (error) {
    if (isCorrupt(error)) return null
    throw error
  }
}

/** Reads every reachable row and calls `onHole` for each gap. Tables without row ids are read from both ends. */
export function readAround(
  db: Database,
  table: SourceTable,
  onHole: (hole: Hole | null) => void,
): Generator<SourceRow> {
  return table.hasRowIds ? readByRowId(db, table, onHole) : readFromBothEnds(db, table, onHole)
}

function* readByRowId(
  db: Database,
  table: SourceTable,
  onHole: (hole: Hole) => void,
): Generator<SourceRow> {
  const name = quotedName(table.name)
  const rows = db.prepare<[number, number], SourceRow>(
    `SELECT rowid AS "rowid", ${table.select} FROM ${name} NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid`,
  )
  const next = db
    .prepare<[number, number], number>(
      `SELECT rowid FROM ${name} NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid LIMIT 1`,
    )
    .pluck()
  /** The first row id from `from` on; null after the last; undefined if the way to it is damaged. */
  const reach = (from: number, to: number): number | null | undefined => {
    const found = tryRead(() => next.get(from, to) ?? null)
    return found === null ? undefined : found.result
  }

  /** Reads a range of row ids; returns where it found damage, or null. */
  function* read(from: number, to: number): Generator<SourceRow, number | null> {
    let last = from - 1
    try {
      for (const row of rows.iterate(from, to)) {
        const rowId = row['rowid'] as number
        // Keys that don't increase come from a wrong page.
        if (rowId <= last) return last + 1
        last = rowId
        yield row
      }
      return null
    } catch (error) {
      if (!isCorrupt(error)) throw error
      return last + 1
    }
  }

  /** The smallest row id between `from` and `to` after which the table can be reached again. */
  const behind = (from: number, to: number): number => {
    let bad = from
    let good = to
    for (let step = 1; ; step *= 2) {
      const at = from + step
      if (at >= to) break
      if (reach(at, to) !== undefined) {
        good = at
        break
      }
      bad = at
    }
    while (good - bad > 1) {
      const middle = Math.floor((bad + good) / 2)
      if (reach(middle, to) === undefined) bad = middle
      else good = middle
    }
    return good
  }

  for (let from = LEAST; from <= MOST;) {
    const stopped = yield* read(from, MOST)
    if (stopped === null) return
    const reached = reach(stopped, MOST)
    // The row exists, but its overflow pages are damaged.
    if (typeof reached === 'number') {
      onHole({ from: reached, to: reached + 1 })
      from = reached + 1
      continue
    }
    if (reached === null) return
    const to = Math.max(stopped + 1, behind(stopped, MOST))
    if (to - stopped > 1 && to - stopped <= TRIED_ONE_BY_ONE) {
      let lost = stopped
      for (let at = stopped; at < to; at++) {
        const single = tryRead(() => rows.get(at, at))
        if (single?.result === undefined) continue
        if (at > lost) onHole({ from: lost, to: at })
        lost = at + 1
        yield single.result
      }
      if (to > lost) onHole({ from: lost, to })
    } else {
      onHole({ from: stopped, to })
    }
    from = to
  }
}

/** A table without row ids can't be entered after a damaged page, so it is read from both ends. */
function* readFromBothEnds(
  db: Database,
  table: SourceTable,
  onHole: (hole: null) => void,
): Generator<SourceRow> {
  const name = quotedName(table.name)
  const key = table.key.map(quotedName)
  const where = key.map((column) => `${column} IS ?`).join(' AND ')
  const whole = db.prepare<unknown[], SourceRow>(
    `SELECT ${table.select} FROM ${name} WHERE ${where}`,
  )
  const done = new Set<string>()
  for (const order of ['ASC', 'DESC']) {
    const keys = db.prepare<[], unknown[]>(
      `SELECT ${key.join(', ')} FROM ${name} ORDER BY ${key.map((column) => `${column} ${order}`).join(', ')}`,
    )
    const found: unknown[][] = []
    // Only the keys: a row whose overflow pages are damaged doesn't end the list.
    const isWhole = tryRead(() => {
      for (const values of keys.raw().iterate()) found.push(values)
    })
    for (const values of found) {
      const id = JSON.stringify(values)
      if (done.has(id)) continue
      done.add(id)
      const row = tryRead(() => whole.get(...values))
      if (row?.result === undefined) onHole(null)
      else yield row.result
    }
    if (isWhole !== null) return
  }
  onHole(null)
}
