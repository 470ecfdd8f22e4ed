/**
 * Fills the index: takes over what changed, then adds the words, facts and objects of deliveries in the order of their seqs. Each
 * call is one transaction.
 */
import { SEARCHED_BYTES, searchedBodyText, wordsOfDelivery } from '../../../shared/query/words.ts'
import { systemClock } from '../../base/system-clock.ts'
import { releaseMemory } from '../../base/threads/memory.ts'
import type { ReadableDb } from '../open.ts'
import { headersOf } from '../rows.ts'
import { rowStatement, valuesOf } from '../statements.ts'
import {
  MOST_READ,
  type ContentRow,
  contentsOf,
  linkWord,
  EXPONENT,
  FACT_COLUMNS,
  FACT_SELECTION,
  LARGER,
  factWords,
  deliveryFacts,
  type FactRow,
  type FactSet,
} from './contents.ts'
import { BLOCK_SEQS, readIndexChanges, type SearchDb } from './open-search.ts'
import { prepareSeenFields } from './payloads.ts'

interface IndexedRow
  extends
    FactRow,
    Pick<ContentRow, 'event' | 'event_candidates' | 'malformed' | 'truncated' | 'bytes'> {
  readonly seq: number
  readonly id: string
  readonly received_at: number
  readonly path: string | null
  readonly headers: string
  /** The body's bytes; large ones are read separately. */
  readonly size: number | null
}

export interface IndexProgress {
  /** Whether there is more to index now. */
  readonly behind: boolean
  /** Everything up to this seq is indexed. */
  readonly indexed: number
  /** Rows of `index_changes` that the index has taken. */
  readonly taken: readonly number[]
}

export type Indexing = ReturnType<typeof prepareIndexing>

/** A possible JSON number with an exponent. A false positive only costs an extra check. */
const EXPONENT_NUMBER = /(?:^|[[:,\s])-?\d+(?:\.\d+)?[eE][+-]?\d/

/** Extra words that describe a body. */
export function bodyMarks(body: Uint8Array): string[] {
  return [
    ...(EXPONENT_NUMBER.test(searchedBodyText(body)) ? [EXPONENT] : []),
    ...(body.length > SEARCHED_BYTES ? [LARGER] : []),
  ]
}

/** Rows between two checks of the clock. */
const ROWS_A_CHECK = 16
const CHANGES_AT_ONCE = 256

export function prepareIndexing(search: SearchDb, main: ReadableDb) {
  /** The words of fact sets that the index has. */
  const factTexts = new Map<string, string>()
  const readRow = `SELECT d.seq, d.id, d.received_at, ${FACT_SELECTION}, d.path, d.headers, length(b.bytes) AS size,
    iif(length(b.bytes) > ${MOST_READ}, NULL, b.bytes) AS bytes FROM deliveries d LEFT JOIN bodies b ON b.seq = d.seq`
  const rowsFrom = rowStatement<IndexedRow>(
    main,
    `${readRow} WHERE d.seq > ? AND d.seq <= ? ORDER BY d.seq`,
  )
  const rowsOf = rowStatement<IndexedRow>(
    main,
    `${readRow} WHERE d.seq IN (SELECT value FROM json_each(?))`,
  )
  // While iterating over rows, SQLite would keep a second copy of a large body; the index needs only its start.
  const beginning = valuesOf<Uint8Array>(
    main,
    `SELECT substr(bytes, 1, ${MOST_READ + 1}) FROM bodies WHERE seq = ?`,
  )
  const described = valuesOf<number>(main, 'SELECT described_seq FROM progress')
  const idOf = valuesOf<string>(main, 'SELECT id FROM deliveries WHERE seq = ?')
  const indexed = valuesOf<number>(search, 'SELECT indexed_seq FROM state')
  const setIndexed = search.prepare('UPDATE state SET indexed_seq = ?, indexed_id = ?')
  const putFactSet = search.prepare(
    `INSERT OR IGNORE INTO fact_sets (facts, ${FACT_COLUMNS.join(', ')}) VALUES (?, ${FACT_COLUMNS.map(() => '?').join(', ')})`,
  )
  const putBlock = search.prepare(
    `INSERT INTO blocks (number, least_at, most_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET
     least_at = min(least_at, excluded.least_at), most_at = max(most_at, excluded.most_at)`,
  )
  const putWords = search.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)')
  const dropWords = search.prepare('DELETE FROM words WHERE rowid = ?')
  const seenFields = prepareSeenFields(search, main)

  function factText(facts: FactSet): string {
    const key = JSON.stringify(facts)
    const known = factTexts.get(key)
    if (known !== undefined) return known
    putFactSet.run(key, ...facts)
    const text = factWords(facts).join(' ')
    factTexts.set(key, text)
    return text
  }

  function add(found: IndexedRow): void {
    const isLarge = (found.size ?? 0) > MOST_READ
    const row = isLarge ? { ...found, bytes: beginning.get(found.seq) ?? null } : found
    const words = wordsOfDelivery({
      path: row.path,
      headers: headersOf(row.headers) ?? [],
      body: row.bytes ?? new Uint8Array(),
    })
    if (row.bytes !== null) words.push(...bodyMarks(row.bytes))
    const { links, fields } = contentsOf(row)
    words.push(factText(deliveryFacts(row)), ...new Set(links.map(linkWord)))
    putWords.run(row.seq, words.join(' '))
    if (fields !== null) seenFields.remember(row.seq, fields)
    if (row.bytes !== null) releaseMemory(row.bytes)
  }

  /** Indexes these again if they are in the index; removes those that are no longer stored. */
  function refresh(seqs: readonly number[]): void {
    const to = indexed.get() ?? 0
    const known = [...new Set(seqs)].filter((seq) => seq <= to)
    if (known.length === 0) return
    for (const seq of known) dropWords.run(seq)
    for (const row of rowsOf.iterate(JSON.stringify(known))) add(row)
    seenFields.dropUnused()
    setIndexed.run(to, idOf.get(to) ?? null)
  }

  const fill = search.transaction((budgetMs: number): IndexProgress => {
    const until = systemClock.monotonic() + budgetMs
    const changes = readIndexChanges(main, CHANGES_AT_ONCE)
    refresh(changes.map(({ seq }) => seq))
    const from = indexed.get() ?? 0
    const to = described.get() ?? 0
    let last = to
    let count = 0
    const times = new Map<number, { least: number; most: number }>()
    for (const row of rowsFrom.iterate(from, to)) {
      add(row)
      const number = Math.floor(row.seq / BLOCK_SEQS)
      const { least, most } = times.get(number) ?? { least: row.received_at, most: row.received_at }
      times.set(number, {
        least: Math.min(least, row.received_at),
        most: Math.max(most, row.received_at),
      })
      count++
      if (count % ROWS_A_CHECK === 0 && systemClock.monotonic() >= until) {
        last = row.seq
        break
      }
    }
    for (const [number, { least, most }] of times) putBlock.run(number, least, most)
    if (last > from) setIndexed.run(last, idOf.get(last) ?? null)
    return { behind: last < to, indexed: Math.max(from, last), taken: changes.map(({ id }) => id) }
  })

  const refreshAll = search.transaction(refresh)

  /** What a rolled-back transaction stored isn't known to the next one. */
  function orForget<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      factTexts.clear()
      seenFields.forget()
      throw error
    }
  }

  return {
    /** Takes changes, and indexes further deliveries for about `budgetMs`. */
    fill: (budgetMs: number): IndexProgress => orForget(() => fill.immediate(budgetMs)),
    /** Indexes these again if they are in the index; removes those that are no longer stored. */
    refresh(seqs: readonly number[]) {
      orForget(() => refreshAll.immediate(seqs))
    },
  }
}
