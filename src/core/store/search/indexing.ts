/**
 * Fills the index: reads deliveries, adds their words, facts and links to their partition, and moves the partition's mark in the
 * same transaction. The newest partition comes first. Deliveries that change later are indexed again, deleted ones are removed.
 */
import { SEARCHED_BYTES, searchedBodyText, wordsOfDelivery } from '../../../shared/query/words.ts'
import type { RawHeaders } from '../../../shared/model/delivery.ts'
import { systemClock } from '../../base/system-clock.ts'
import { releaseMemory } from '../../base/threads/memory.ts'
import type { ReadableDb } from '../open.ts'
import {
  MOST_READ,
  type ContentRow,
  documentEvidence,
  contentsOf,
  linkKeyOf,
  linksTable,
  EXPONENT,
  FACT_COLUMNS,
  FACT_SELECTION,
  LARGER,
  factWords,
  deliveryFacts,
  type FactRow,
  type FactSet,
} from './contents.ts'
import {
  BLOCK_SEQS,
  PARTITION_SEQS,
  emptyPartition,
  ensurePartition,
  partitionOf,
  wordsTable,
  type SearchDb,
} from './open-search.ts'
import { prepareSeenFields } from './seen-fields.ts'

// Adds the objects and fields of payloads to the index, and removes them again. Runs inside the filling's transactions.

function prepareContents(search: SearchDb, main: ReadableDb) {
  const identities = main.prepare<[string], { seq: number; id: string; body_sha256: string }>(
    'SELECT seq, id, body_sha256 FROM deliveries WHERE seq IN (SELECT value FROM json_each(?))',
  )
  const eventOfSet = search
    .prepare<[number], string | null>('SELECT event FROM fact_sets WHERE id = ?')
    .pluck()
  const isEventLeft = search
    .prepare<[string], number>(
      'SELECT EXISTS (SELECT 1 FROM fact_counts JOIN fact_sets ON fact_sets.id = fact_set WHERE event = ? AND deliveries > 0)',
    )
    .pluck()
  const seenFields = prepareSeenFields(search)
  let present: {
    readonly partition: number
    readonly link: ReturnType<typeof prepareLink>
  } | null = null

  const prepareLink = (partition: number) =>
    search.prepare<[number, number]>(
      `INSERT OR IGNORE INTO ${linksTable(partition)} (key, seq) VALUES (?, ?)`,
    )

  function linkOf(partition: number) {
    if (present?.partition !== partition) present = { partition, link: prepareLink(partition) }
    return present.link
  }

  return {
    /** Adds a payload's objects and fields. */
    add(row: ContentRow & { readonly seq: number }, partition: number) {
      const { links, fields } = contentsOf(row)
      if (fields !== null) seenFields.remember(row.seq, fields)
      const link = linkOf(partition)
      for (const key of new Set(links.map(linkKeyOf))) link.run(key, row.seq)
    },
    /** Removes the links of deliveries that were deleted or replaced; deliveries that only changed keep theirs. */
    unlink(
      indexed: readonly { readonly seq: number; readonly evidence: number }[],
      partition: number,
    ) {
      const stored = new Map(
        identities
          .all(JSON.stringify(indexed.map(({ seq }) => seq)))
          .map((row) => [row.seq, documentEvidence(row)]),
      )
      const others = indexed
        .filter(({ seq, evidence }) => stored.get(seq) !== evidence)
        .map(({ seq }) => seq)
      if (others.length === 0) return
      // A delivery's links can only be found by reading all links of its partition: about ten milliseconds, however many are
      // removed.
      search
        .prepare(
          `DELETE FROM ${linksTable(partition)} WHERE seq IN (SELECT value FROM json_each(?))`,
        )
        .run(JSON.stringify(others))
    },
    /** Deliveries with these fact sets were removed: fields of events without deliveries are forgotten. */
    forgetEvents(factSets: ReadonlySet<number>) {
      const events = new Set(Array.from(factSets, (set) => eventOfSet.get(set) ?? null))
      for (const event of events)
        if (event !== null && isEventLeft.get(event) === 0) seenFields.drop(event)
    },
    /** The transaction failed, or tables were dropped: forgets everything cached about them. */
    forget() {
      present = null
      seenFields.forget()
    },
  }
}

/** The input for one delivery's evidence. */
export interface EvidenceRow extends FactRow {
  readonly seq: number
  readonly id: string
  readonly body_sha256: string
  readonly received_at: number
}

interface IndexedRow
  extends
    EvidenceRow,
    Pick<ContentRow, 'event' | 'event_candidates' | 'malformed' | 'truncated' | 'bytes'> {
  readonly path: string | null
  readonly headers: string
  /** The body's bytes; large ones are read separately. */
  readonly size: number | null
}

export const EVIDENCE_COLUMNS = `d.seq, d.id, d.body_sha256, d.received_at, ${FACT_SELECTION}`

export interface Document {
  readonly seq: number
  readonly evidence: number
  readonly fact_set: number
}

/** How far the filling is. */
export interface IndexProgress {
  /** Whether there is more to index now. */
  readonly behind: boolean
  /** Deliveries indexed by this call. */
  readonly indexed: number
}

export type Indexing = ReturnType<typeof prepareIndexing>

/** A set of facts in the index, with its words. */
interface KnownSet {
  readonly id: number
  readonly text: string
}

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
const ROWS_A_LOOK = 16

export function prepareIndexing(search: SearchDb, main: ReadableDb) {
  const factSets = new Map<string, KnownSet>()
  const statements = new Map<number, ReturnType<typeof wordStatements>>()
  const readRow = `SELECT ${EVIDENCE_COLUMNS}, d.path, d.headers, length(b.bytes) AS size,
    iif(length(b.bytes) > ${MOST_READ}, NULL, b.bytes) AS bytes FROM deliveries d LEFT JOIN bodies b ON b.seq = d.seq`
  const rowsFrom = main.prepare<[number, number], IndexedRow>(
    `${readRow} WHERE d.seq > ? AND d.seq <= ? ORDER BY d.seq`,
  )
  const rowsOf = main.prepare<[string], IndexedRow>(
    `${readRow} WHERE d.seq IN (SELECT value FROM json_each(?))`,
  )
  // While iterating over rows, SQLite would keep a second copy of a large body; the index needs only its start.
  const beginning = main
    .prepare<[number], Uint8Array>(
      `SELECT substr(bytes, 1, ${MOST_READ + 1}) FROM bodies WHERE seq = ?`,
    )
    .pluck()
  const bounds = main.prepare<[], { least: number | null; described: number }>(
    'SELECT (SELECT min(seq) FROM deliveries) AS least, (SELECT described_seq FROM progress) AS described',
  )
  const marks = search.prepare<[], { number: number; mark: number }>(
    'SELECT number, mark FROM partitions',
  )
  const setMark = search.prepare('UPDATE partitions SET mark = ? WHERE number = ?')
  const setDirty = search.prepare('UPDATE state SET dirty = 1 WHERE dirty = 0')
  const readDocument = search.prepare<[number], Document>('SELECT * FROM documents WHERE seq = ?')
  const putDocument = search.prepare(
    'INSERT OR REPLACE INTO documents (seq, evidence, fact_set) VALUES (?, ?, ?)',
  )
  const dropDocument = search.prepare('DELETE FROM documents WHERE seq = ?')
  const putFactSet = search
    .prepare<unknown[], number>(
      `INSERT INTO fact_sets (facts, ${FACT_COLUMNS.join(', ')}) VALUES (?, ${FACT_COLUMNS.map(() => '?').join(', ')})
       ON CONFLICT DO UPDATE SET facts = facts RETURNING id`,
    )
    .pluck()
  const count = search.prepare(
    `INSERT INTO fact_counts (fact_set, partition, deliveries) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET deliveries = deliveries + excluded.deliveries`,
  )
  const countBlock = search.prepare(
    `INSERT INTO blocks (number, deliveries, least_at, most_at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
     deliveries = deliveries + excluded.deliveries, least_at = min(least_at, excluded.least_at), most_at = max(most_at, excluded.most_at)`,
  )
  const documents = search
    .prepare<[], number>('SELECT coalesce(sum(deliveries), 0) FROM blocks')
    .pluck()
  const contents = prepareContents(search, main)
  const uncountBlock = search.prepare(
    'UPDATE blocks SET deliveries = deliveries - 1 WHERE number = ?',
  )

  function wordStatements(partition: number) {
    ensurePartition(search, partition)
    const table = wordsTable(partition)
    return {
      put: search.prepare(`INSERT INTO ${table} (rowid, text) VALUES (?, ?)`),
      drop: search.prepare(`DELETE FROM ${table} WHERE rowid = ?`),
    }
  }

  function wordsOf(partition: number) {
    const known = statements.get(partition)
    if (known !== undefined) return known
    const made = wordStatements(partition)
    statements.clear()
    statements.set(partition, made)
    return made
  }

  function factSetOf(facts: FactSet): KnownSet {
    const text = JSON.stringify(facts)
    const known = factSets.get(text)
    if (known !== undefined) return known
    const made = { id: putFactSet.get(text, ...facts)!, text: factWords(facts).join(' ') }
    factSets.set(text, made)
    return made
  }

  /** A chunk's changes, summed up: one write per set or block instead of one per delivery. */
  function createTally() {
    const sets = new Map<number, number>()
    const blocks = new Map<number, { deliveries: number; least: number; most: number }>()
    return {
      add(factSet: number, seq: number, receivedAt: number) {
        sets.set(factSet, (sets.get(factSet) ?? 0) + 1)
        const number = Math.floor(seq / BLOCK_SEQS)
        const block = blocks.get(number)
        blocks.set(number, {
          deliveries: (block?.deliveries ?? 0) + 1,
          least: Math.min(block?.least ?? receivedAt, receivedAt),
          most: Math.max(block?.most ?? receivedAt, receivedAt),
        })
      },
      write(partition: number) {
        for (const [factSet, deliveries] of sets) count.run(factSet, partition, deliveries)
        for (const [number, { deliveries, least, most }] of blocks)
          countBlock.run(number, deliveries, least, most)
      },
    }
  }

  function add(found: IndexedRow, partition: number, tally: ReturnType<typeof createTally>): void {
    const isLarge = (found.size ?? 0) > MOST_READ
    const row = isLarge ? { ...found, bytes: beginning.get(found.seq) ?? null } : found
    const words = wordsOfDelivery({
      path: row.path,
      headers: JSON.parse(row.headers) as RawHeaders,
      body: row.bytes ?? new Uint8Array(),
    })
    if (row.bytes !== null) words.push(...bodyMarks(row.bytes))
    const set = factSetOf(deliveryFacts(row))
    wordsOf(partition).put.run(row.seq, `${words.join(' ')} ${set.text}`)
    contents.add(row, partition)
    putDocument.run(row.seq, documentEvidence(row), set.id)
    tally.add(set.id, row.seq, row.received_at)
    if (row.bytes !== null) releaseMemory(row.bytes)
  }

  function remove(document: Document): void {
    const partition = partitionOf(document.seq)
    wordsOf(partition).drop.run(document.seq)
    dropDocument.run(document.seq)
    count.run(document.fact_set, partition, -1)
    uncountBlock.run(Math.floor(document.seq / BLOCK_SEQS))
  }

  /** The newest incomplete partition, and its seqs to index. */
  function nextGap(): { partition: number; from: number; to: number } | null {
    const { least, described } = bounds.get()!
    if (least === null) return null
    const known = new Map(marks.all().map(({ number, mark }) => [number, mark]))
    for (let partition = partitionOf(described); partition >= partitionOf(least); partition--) {
      const to = Math.min(described, (partition + 1) * PARTITION_SEQS - 1)
      const from = known.get(partition) ?? partition * PARTITION_SEQS - 1
      if (from < to) return { partition, from, to }
    }
    return null
  }

  function fillGap(
    { partition, from, to }: { partition: number; from: number; to: number },
    until: number,
  ): number {
    wordsOf(partition)
    const tally = createTally()
    let mark = to
    let indexed = 0
    for (const row of rowsFrom.iterate(from, to)) {
      add(row, partition, tally)
      indexed++
      if (indexed % ROWS_A_LOOK === 0 && systemClock.monotonic() >= until) {
        mark = row.seq
        break
      }
    }
    tally.write(partition)
    setMark.run(mark, partition)
    return indexed
  }

  const fill = search.transaction((budgetMs: number): IndexProgress => {
    const until = systemClock.monotonic() + budgetMs
    let indexed = 0
    for (;;) {
      const gap = nextGap()
      if (gap === null) return { behind: false, indexed }
      if (systemClock.monotonic() >= until) return { behind: true, indexed }
      setDirty.run()
      indexed += fillGap(gap, until)
    }
  })

  const refresh = search.transaction((seqs: readonly number[]) => {
    const known = seqs.flatMap((seq) => readDocument.get(seq) ?? [])
    if (known.length === 0) return
    setDirty.run()
    const tallies = Map.groupBy(known, ({ seq }) => partitionOf(seq))
    for (const [partition, ofPartition] of tallies) {
      const tally = createTally()
      contents.unlink(ofPartition, partition)
      for (const document of ofPartition) remove(document)
      for (const row of rowsOf.iterate(JSON.stringify(ofPartition.map(({ seq }) => seq))))
        add(row, partition, tally)
      tally.write(partition)
    }
    contents.forgetEvents(new Set(known.map(({ fact_set: set }) => set)))
  })

  /** A name given to a fact set in a rolled-back transaction isn't known to the next one. */
  function orForget<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      factSets.clear()
      statements.clear()
      contents.forget()
      throw error
    }
  }

  return {
    /** Indexes missing deliveries, newest partition first, for about `budgetMs`, in one transaction. */
    fill: (budgetMs: number): IndexProgress => orForget(() => fill.immediate(budgetMs)),
    /** Indexes these again if they are in the index; removes those that are no longer stored. */
    refresh(seqs: readonly number[]) {
      orForget(() => refresh.immediate(seqs))
    },
    /** Empties a partition, so that it is filled again. */
    empty(partition: number) {
      orForget(() => {
        statements.clear()
        contents.forget()
        emptyPartition(search, partition)
      })
    },
    /** Number of deliveries in the index. */
    documents: () => documents.get() ?? 0,
  }
}
