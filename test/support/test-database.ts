/** A database without worker threads, with deliveries inserted as the writer does. */
import { cpSync } from 'node:fs'
import { deliveriesBySeq, matchingSeqs } from '../../src/core/store/deliveries.ts'
import { DeliveryDescriber } from '../../src/core/store/delivery-describer.ts'
import type { QueuedCapture } from '../../src/core/store/group-commit.ts'
import { prepareIngest } from '../../src/core/store/ingest.ts'
import { openForWriting } from '../../src/core/store/open.ts'
import type { Delivery } from '../../src/shared/model/delivery.ts'
import { EVERYTHING, type Query } from '../../src/shared/query/query.ts'
import { describePayload } from '../../src/shared/service/payload.ts'
import { databaseFileOf, type WritableDb } from '../../src/core/store/database.ts'
import type { AnswerRow } from '../../src/core/store/stored-responses.ts'

export interface TestDatabase {
  readonly db: WritableDb
  readonly folder: string
  readonly file: string
  put(captures: readonly QueuedCapture[]): number[]
  describe(answers?: readonly AnswerRow[], lenientEnvironments?: readonly string[]): void
  list(query?: Query): Delivery[]
  close(): void
}

/**
 * Opens the database of an existing folder.
 * @param copyOf Folder whose database, which must be closed, is copied first.
 */
export function openTestDatabase(folder: string, copyOf?: string): TestDatabase {
  if (copyOf !== undefined) cpSync(copyOf, folder, { recursive: true })
  const file = databaseFileOf(folder)
  const db = openForWriting(file)
  const ingest = prepareIngest(db)
  const describing = new DeliveryDescriber(db)
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
