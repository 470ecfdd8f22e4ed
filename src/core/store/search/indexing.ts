/** Fills the index, one transaction per call. */
import type { Transaction } from 'better-sqlite3'
import {
  SEARCHED_BYTES,
  searchedBodyText,
  wordsOfDelivery,
} from '../../../shared/query/search-words.ts'
import { systemClock } from '../../base/system-clock.ts'
import { releaseMemory } from '../../base/threads/memory.ts'
import { headersOf } from '../rows.ts'
import { rowStatement, columnStatement } from '../statements.ts'
import type { ReadableDb } from '../database.ts'
import { MAX_PARSED_BYTES, type ContentRow, contentsOf } from './contents.ts'
import { BLOCK_SEQS, type SearchDb } from './open-search.ts'
import {
  linkWord,
  EXPONENT_WORD,
  FACT_COLUMNS,
  FACT_SELECTION,
  LARGE_BODY_WORD,
  factWords,
  deliveryFacts,
  type FactRow,
  type FactSet,
} from './index-facts.ts'
import { readIndexChanges } from './index-changes.ts'
import { prepareSeenFields } from './seen-fields.ts'

interface IndexedRow
  extends
    FactRow,
    Pick<ContentRow, 'event' | 'event_candidates' | 'malformed' | 'truncated' | 'bytes'> {
  readonly seq: number
  readonly id: string
  readonly received_at: number
  readonly path: string | null
  readonly headers: string
  /** Bytes; large bodies are read separately. */
  readonly size: number | null
}

export interface IndexProgress {
  readonly behind: boolean
  /** Seq up to which everything is indexed. */
  readonly indexed: number
  /** Rows of `index_changes` that are indexed now. */
  readonly taken: readonly number[]
}

/** Pattern of a number with an exponent; a false positive costs a check. */
const EXPONENT_NUMBER = /(?:^|[[:,\s])-?\d+(?:\.\d+)?[eE][+-]?\d/

export function bodyMarks(body: Uint8Array): string[] {
  return [
    ...(EXPONENT_NUMBER.test(searchedBodyText(body)) ? [EXPONENT_WORD] : []),
    ...(body.length > SEARCHED_BYTES ? [LARGE_BODY_WORD] : []),
  ]
}

/** Rows between two checks of the clock. */
const ROWS_PER_CHECK = 16
const CHANGES_AT_ONCE = 256

function prepareStatements(search: SearchDb, main: ReadableDb) {
  const readRow = `SELECT d.seq, d.id, d.received_at, ${FACT_SELECTION}, d.path, d.headers, length(b.bytes) AS size,
    iif(length(b.bytes) > ${MAX_PARSED_BYTES}, NULL, b.bytes) AS bytes FROM deliveries d LEFT JOIN bodies b ON b.seq = d.seq`
  return {
    rowsFrom: rowStatement<IndexedRow>(
      main,
      `${readRow} WHERE d.seq > ? AND d.seq <= ? ORDER BY d.seq`,
    ),
    rowsOf: rowStatement<IndexedRow>(
      main,
      `${readRow} WHERE d.seq IN (SELECT value FROM json_each(?))`,
    ),
    // An iteration would keep a second copy of a large body.
    startOf: columnStatement<Uint8Array>(
      main,
      `SELECT substr(bytes, 1, ${MAX_PARSED_BYTES + 1}) FROM bodies WHERE seq = ?`,
    ),
    described: columnStatement<number>(main, 'SELECT described_seq FROM progress'),
    idOf: columnStatement<string>(main, 'SELECT id FROM deliveries WHERE seq = ?'),
    indexed: columnStatement<number>(search, 'SELECT indexed_seq FROM state'),
    setIndexed: search.prepare('UPDATE state SET indexed_seq = ?, indexed_id = ?'),
    putFactSet: search.prepare(
      `INSERT OR IGNORE INTO fact_sets (facts, ${FACT_COLUMNS.join(', ')}) VALUES (?, ${FACT_COLUMNS.map(() => '?').join(', ')})`,
    ),
    putBlock: search.prepare(
      `INSERT INTO blocks (number, least_at, most_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET
     least_at = min(least_at, excluded.least_at), most_at = max(most_at, excluded.most_at)`,
    ),
    putWords: search.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)'),
    dropWords: search.prepare('DELETE FROM words WHERE rowid = ?'),
  }
}

type Statements = ReturnType<typeof prepareStatements>

export class Indexing {
  readonly #main: ReadableDb
  readonly #statements: Statements
  readonly #seenFields: ReturnType<typeof prepareSeenFields>
  readonly #factTexts = new Map<string, string>()
  readonly #fillAll: Transaction<(budgetMs: number) => IndexProgress>
  readonly #refreshAll: Transaction<(seqs: readonly number[]) => void>

  constructor(search: SearchDb, main: ReadableDb) {
    this.#main = main
    this.#statements = prepareStatements(search, main)
    this.#seenFields = prepareSeenFields(search, main)
    this.#fillAll = search.transaction(this.#fillFor)
    this.#refreshAll = search.transaction(this.#refreshNow)
  }

  fill(budgetMs: number): IndexProgress {
    return this.#orForget(() => this.#fillAll.immediate(budgetMs))
  }

  refresh(seqs: readonly number[]) {
    this.#orForget(() => this.#refreshAll.immediate(seqs))
  }

  #factText(facts: FactSet): string {
    const key = JSON.stringify(facts)
    const cached = this.#factTexts.get(key)
    if (cached !== undefined) return cached
    this.#statements.putFactSet.run(key, ...facts)
    const text = factWords(facts).join(' ')
    this.#factTexts.set(key, text)
    return text
  }

  #add(stored: IndexedRow): void {
    const isLarge = (stored.size ?? 0) > MAX_PARSED_BYTES
    const row = isLarge
      ? { ...stored, bytes: this.#statements.startOf.get(stored.seq) ?? null }
      : stored
    const words = wordsOfDelivery({
      path: row.path,
      headers: headersOf(row.headers) ?? [],
      body: row.bytes ?? new Uint8Array(),
    })
    if (row.bytes !== null) words.push(...bodyMarks(row.bytes))
    const { links, fields } = contentsOf(row)
    words.push(this.#factText(deliveryFacts(row)), ...new Set(links.map(linkWord)))
    this.#statements.putWords.run(row.seq, words.join(' '))
    if (fields !== null) this.#seenFields.remember(row.seq, fields)
    if (row.bytes !== null) releaseMemory(row.bytes)
  }

  /** Indexes deliveries again, or removes deleted ones. */
  #refreshNow = (seqs: readonly number[]): void => {
    const to = this.#statements.indexed.get() ?? 0
    const indexedSeqs = [...new Set(seqs)].filter((seq) => seq <= to)
    if (indexedSeqs.length === 0) return
    for (const seq of indexedSeqs) this.#statements.dropWords.run(seq)
    for (const row of this.#statements.rowsOf.iterate(JSON.stringify(indexedSeqs))) this.#add(row)
    this.#seenFields.dropUnused()
    this.#statements.setIndexed.run(to, this.#statements.idOf.get(to) ?? null)
  }

  #fillFor = (budgetMs: number): IndexProgress => {
    const until = systemClock.monotonic() + budgetMs
    const changes = readIndexChanges(this.#main, CHANGES_AT_ONCE)
    this.#refreshNow(changes.map(({ seq }) => seq))
    const from = this.#statements.indexed.get() ?? 0
    const to = this.#statements.described.get() ?? 0
    let last = to
    let count = 0
    const times = new Map<number, { least: number; most: number }>()
    for (const row of this.#statements.rowsFrom.iterate(from, to)) {
      this.#add(row)
      const number = Math.floor(row.seq / BLOCK_SEQS)
      const { least, most } = times.get(number) ?? { least: row.received_at, most: row.received_at }
      times.set(number, {
        least: Math.min(least, row.received_at),
        most: Math.max(most, row.received_at),
      })
      count++
      if (count % ROWS_PER_CHECK === 0 && systemClock.monotonic() >= until) {
        last = row.seq
        break
      }
    }
    for (const [number, { least, most }] of times)
      this.#statements.putBlock.run(number, least, most)
    if (last > from) this.#statements.setIndexed.run(last, this.#statements.idOf.get(last) ?? null)
    return { behind: last < to, indexed: Math.max(from, last), taken: changes.map(({ id }) => id) }
  }

  /** Runs a transaction; forgets what it cached if it fails. */
  #orForget<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.#factTexts.clear()
      this.#seenFields.forget()
      throw error
    }
  }
}
