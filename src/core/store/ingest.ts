/** Inserts captured deliveries, one batch per transaction: the work that every acknowledgement waits for. */
import { statSync } from 'node:fs'
import { capturedValues, INSERT_CAPTURED, type CapturedDelivery } from './delivery-columns.ts'
import { responsesOf, storingResponses } from './enrich.ts'
import type { WritableDb, ReadableDb } from './open.ts'
import type { MarksChange } from '../../shared/model/retention.ts'
import type { Delivery, DeliveryFlow } from '../../shared/model/delivery.ts'
import { setMarks } from './settings.ts'
import { prepareFlowDelivery } from './runs.ts'
import { valuesOf } from './statements.ts'

/** One captured delivery; its body is in the batch's bytes. */
export interface IngestRow extends CapturedDelivery {
  readonly elsewhere?: KnownElsewhere
  /** The flow run whose hook received it. */
  readonly flowRun?: Pick<DeliveryFlow, 'flow' | 'run'>
  /** Copied from elsewhere by hand. */
  readonly isReported?: true
  /** How many of the batch's bytes belong to this delivery. */
  readonly keptBytes: number
}

export interface IngestBatch {
  readonly rows: readonly IngestRow[]
  /** The concatenated bodies, in row order. */
  readonly bodies: ArrayBuffer
}

/**
 * Creates the function that throws if the database's path no longer leads to its file. On macOS and Linux, SQLite continues to write
 * into a file that was deleted or moved, and what it writes is lost or elsewhere.
 */
function preparePresence(db: WritableDb): () => void {
  if (db.memory) return () => undefined
  const inode = () => statSync(db.name, { bigint: true, throwIfNoEntry: false })?.ino
  const opened = inode()
  return () => {
    if (inode() === opened) return
    throw new Error(
      'the database file was deleted or moved. Put it back, or quit Countersign and start it again',
    )
  }
}

/** Creates the function that commits one batch; statements are prepared once. */
export function prepareIngest(db: WritableDb): (batch: IngestBatch) => void {
  const insertDelivery = db.prepare(INSERT_CAPTURED)
  const insertBody = db.prepare('INSERT INTO bodies (seq, bytes) VALUES (?, ?)')
  const setElsewhere = prepareElsewhere(db)
  const markFlow = prepareFlowDelivery(db)
  const setReported = db.prepare("UPDATE deliveries SET origin = 'reported' WHERE seq = ?")
  const ingest = db.transaction((rows: readonly IngestRow[], bodies: readonly Uint8Array[]) => {
    for (const [index, row] of rows.entries()) {
      insertDelivery.run(capturedValues(row))
      insertBody.run(row.seq, bodies[index])
      if (row.elsewhere !== undefined) setElsewhere(row.seq, row.elsewhere)
      if (row.flowRun !== undefined) markFlow({ ...row.flowRun, seq: row.seq, step: null })
      if (row.isReported === true) setReported.run(row.seq)
    }
  })
  const requirePresence = preparePresence(db)
  return ({ rows, bodies: packed }) => {
    requirePresence()
    const nextBody = unpackBodies(new Uint8Array(packed))
    const bodies = rows.map(({ keptBytes }) => nextBody(keptBytes))
    storingResponses(db, () => ingest.immediate(rows, bodies))
  }
}

// What an import knows about a delivery from its place of receipt: its attempt, cause, response and marks.

type KnownElsewhere = Pick<
  Delivery,
  | 'attempt'
  | 'attemptOf'
  | 'duplicateOf'
  | 'answer'
  | 'pinned'
  | 'note'
  | 'cause'
  | 'response'
  | 'verifiedHere'
>

/** Which of the ids exist, including deleted deliveries that can still be restored. */
export function knownIds(db: ReadableDb, ids: readonly string[]): string[] {
  return valuesOf<string>(
    db,
    'SELECT id FROM deliveries WHERE id IN (SELECT value FROM json_each(?))',
  ).all(JSON.stringify(ids))
}

/** Creates the function that adds these, within the transaction that stores the delivery: all or nothing. */
function prepareElsewhere(db: WritableDb): (seq: number, known: KnownElsewhere) => void {
  const set = db.prepare(
    "UPDATE deliveries SET attempt = ?, attempt_of = ?, duplicate_of = ?, answer_status = ?, answer_ms = ?, response = ?, origin = 'imported', verified_here = ? WHERE seq = ?",
  )
  const setCause = db.prepare('INSERT OR REPLACE INTO causes (seq, cause, keys) VALUES (?, ?, 0)')
  const { keep } = responsesOf(db)
  return (seq, { answer, pinned, note, cause, response, ...known }) => {
    const key = response === null ? null : keep(JSON.stringify(response), 1)
    const { attempt, attemptOf, duplicateOf, verifiedHere } = known
    const isProved = Number(verifiedHere)
    set.run(attempt, attemptOf, duplicateOf, answer.status, answer.ms, key, isProved, seq)
    if (cause !== null) setCause.run(seq, cause)
    const change: MarksChange = { pinned, note }
    if (pinned || note !== null) setMarks(db, { seqs: [seq], change })
  }
}

// Many bodies as one buffer: passing thousands of small ones between threads costs more than storing them.

/** The concatenated bodies in their own memory, which can be transferred. */
export function packBodies(bodies: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(bodies.reduce((total, { length }) => total + length, 0))
  let offset = 0
  for (const body of bodies) {
    packed.set(body, offset)
    offset += body.length
  }
  return packed
}

/** Returns one body after the other, each with the requested length, without copying. */
export function unpackBodies({
  buffer,
  byteOffset,
  byteLength,
}: Uint8Array): (bytes: number) => Buffer {
  const packed = Buffer.from(buffer, byteOffset, byteLength)
  let offset = 0
  return (bytes) => packed.subarray(offset, (offset += bytes))
}
