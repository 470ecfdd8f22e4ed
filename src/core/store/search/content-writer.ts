/** Puts into the index what payloads name and which fields they have, and takes it out with them. Inside the transactions of the filling. */
import type { ReadableDb } from '../open.ts'
import { contentsOf, type ContentRow, evidenceOf, linkKeyOf, linksTable, linkSum } from './contents.ts'
import type { SearchDb } from './open-search.ts'
import { prepareSeenFields } from './seen-fields.ts'

export interface ContentWriter {
  /** Puts in what a payload names and has; gives the sum of its links. */
  add(row: ContentRow & { readonly seq: number }, partition: number): number
  /** Takes out the links of those that are gone, or another delivery now; what only changed names what it named. */
  unlink(indexed: readonly { readonly seq: number; readonly evidence: number }[], partition: number): void
  /** Of these sets of facts deliveries are gone: fields of events that have none any more are forgotten. */
  forgetEvents(factSets: ReadonlySet<number>): void
  /** The transaction failed, or tables are no longer there: nothing is remembered of them. */
  forget(): void
}

export function prepareContents(search: SearchDb, main: ReadableDb): ContentWriter {
  const identities = main.prepare<[string], { seq: number; id: string; body_sha256: string }>(
    'SELECT seq, id, body_sha256 FROM deliveries WHERE seq IN (SELECT value FROM json_each(?))',
  )
  const eventOfSet = search.prepare<[number], string | null>('SELECT event FROM fact_sets WHERE id = ?').pluck()
  const isEventLeft = search
    .prepare<[string], number>(
      'SELECT EXISTS (SELECT 1 FROM fact_counts JOIN fact_sets ON fact_sets.id = fact_set WHERE event = ? AND deliveries > 0)',
    )
    .pluck()
  const seenFields = prepareSeenFields(search)
  let present: { readonly partition: number; readonly link: ReturnType<typeof prepareLink> } | null = null

  const prepareLink = (partition: number) =>
    search.prepare<[number, number]>(`INSERT OR IGNORE INTO ${linksTable(partition)} (key, seq) VALUES (?, ?)`)

  function linkOf(partition: number) {
    if (present?.partition !== partition) present = { partition, link: prepareLink(partition) }
    return present.link
  }

  return {
    add(row, partition) {
      const { links, fields } = contentsOf(row)
      if (fields !== null) seenFields.remember(row.seq, fields)
      const link = linkOf(partition)
      let sum = 0
      for (const key of new Set(links.map(linkKeyOf))) {
        link.run(key, row.seq)
        sum += linkSum(key, row.seq)
      }
      return sum
    },
    unlink(indexed, partition) {
      const stored = new Map(
        identities.all(JSON.stringify(indexed.map(({ seq }) => seq))).map((row) => [row.seq, evidenceOf(row)]),
      )
      const others = indexed.filter(({ seq, evidence }) => stored.get(seq) !== evidence).map(({ seq }) => seq)
      if (others.length === 0) return
      // There is no way from a delivery to its links but through all of its partition's: some ten milliseconds, however many go.
      search
        .prepare(`DELETE FROM ${linksTable(partition)} WHERE seq IN (SELECT value FROM json_each(?))`)
        .run(JSON.stringify(others))
    },
    forgetEvents(factSets) {
      const events = new Set(Array.from(factSets, (set) => eventOfSet.get(set) ?? null))
      for (const event of events) if (event !== null && isEventLeft.get(event) === 0) seenFields.drop(event)
    },
    forget() {
      present = null
      seenFields.forget()
    },
  }
}
