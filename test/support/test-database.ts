/** A database without worker threads: the writer's own connection, with deliveries inserted as the writer does. */
import { cpSync } from 'node:fs'
import { deliveriesBySeq, matchingSeqs } from '../../src/core/store/deliveries.ts'
import { prepareEnrichment, type AnswerRow } from '../../src/core/store/enrich.ts'
import type { QueuedCapture } from '../../src/core/store/group-commit.ts'
import { prepareIngest } from '../../src/core/store/ingest.ts'
import { databaseFileOf, openForWriting, type WritableDb } from '../../src/core/store/open.ts'
import type { Delivery } from '../../src/shared/model/delivery.ts'
import { EVERYTHING, type Query } from '../../src/shared/query/query.ts'
import { describePayload } from '../../src/shared/service/payload.ts'

export interface TestDatabase {
  readonly db: WritableDb
  readonly folder: string
  readonly file: string
  put(captures: readonly QueuedCapture[]): number[]
  /** Stores our responses, and describes everything that is stored. */
  describe(answers?: readonly AnswerRow[], lenientEnvironments?: readonly string[]): void
  list(query?: Query): Delivery[]
  close(): void
}

/** Opens the database of an existing folder; with `copyOf` it starts as a copy of that folder's database, which must be closed. */
export function openTestDatabase(folder: string, copyOf?: string): TestDatabase {
  if (copyOf !== undefined) cpSync(copyOf, folder, { recursive: true })
  const file = databaseFileOf(folder)
  const db = openForWriting(file)
  const ingest = prepareIngest(db)
  const describing = prepareEnrichment(db)
  let seq =
    db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM deliveries').pluck().get() ?? 0
  return {
    db,
    folder,
    file,
    put(captures) {
      const rows = captures.map(({ row, body }) => ({ ...row, seq: ++seq, keptBytes: body.length }))
      const bodies = new Uint8Array(Buffer.concat(captures.map(({ body }) => body)))
      ingest({ rows, bodies: bodies.buffer })
      return rows.map((row) => row.seq)
    },
    describe(answers = [], lenientEnvironments = []) {
      let described = describing.describe({ answers, lenientEnvironments }, describePayload)
      while (described.hasMore)
        described = describing.describe({ answers: [], lenientEnvironments }, describePayload)
    },
    list(query = EVERYTHING) {
      const seqs = db.prepare<[], number>('SELECT seq FROM deliveries').pluck().all()
      return deliveriesBySeq(db, matchingSeqs(db, { query, seqs }))
    },
    close: () => db.close(),
  }
}
