/** Adds the objects and fields of payloads to the index, and removes them again. Runs inside the filling's transactions. */
import type { ReadableDb } from '../open.ts'
import {
  contentsOf,
  type ContentRow,
  evidenceOf,
  linkKeyOf,
  linksTable,
  linkSum,
} from './contents.ts'
import type { SearchDb } from './open-search.ts'
import { prepareSeenFields } from './seen-fields.ts'

export function prepareContents(search: SearchDb, main: ReadableDb) {
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
    /** Adds a payload's objects and fields; returns the sum of its links. */
    add(row: ContentRow & { readonly seq: number }, partition: number) {
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
    /** Removes the links of deliveries that were deleted or replaced; deliveries that only changed keep theirs. */
    unlink(
      indexed: readonly { readonly seq: number; readonly evidence: number }[],
      partition: number,
    ) {
      const stored = new Map(
        identities
          .all(JSON.stringify(indexed.map(({ seq }) => seq)))
          .map((row) => [row.seq, evidenceOf(row)]),
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
