/** Inserts captured deliveries, one batch per transaction: every acknowledgement waits for it. */
import { statSync } from 'node:fs'
import type { DeliveryFlow } from '../../shared/model/delivery.ts'
import { capturedValues, INSERT_CAPTURED, type CapturedDelivery } from './delivery-columns.ts'
import type { WritableDb } from './database.ts'
import { type ImportedFacts, prepareImportedFacts } from './imported-facts.ts'
import { unpackBodies } from './packed-bodies.ts'
import { withStoredResponses } from './stored-responses.ts'
import { prepareFlowDelivery } from './flow-runs.ts'

export interface IngestRow extends CapturedDelivery {
  readonly importedFacts?: ImportedFacts
  readonly flowRun?: Pick<DeliveryFlow, 'flow' | 'run'>
  /** Set if a user reported or composed the delivery. */
  readonly origin?: 'reported' | 'composed'
  /** Bytes of the batch for this delivery. */
  readonly keptBytes: number
}

export interface IngestBatch {
  readonly rows: readonly IngestRow[]
  readonly bodies: ArrayBuffer
}

/** Creates a check that the file wasn't deleted or moved, which SQLite wouldn't notice. */
function preparePresence(db: WritableDb): () => void {
  if (db.memory) return () => undefined
  const inode = () => statSync(db.name, { bigint: true, throwIfNoEntry: false })?.ino
  const openedInode = inode()
  return () => {
    if (inode() === openedInode) return
    throw new Error(
      'the database file was deleted or moved. Put it back, or quit Countersign and start it again',
    )
  }
}

export function prepareIngest(db: WritableDb): (batch: IngestBatch) => void {
  const insertDelivery = db.prepare(INSERT_CAPTURED)
  const insertBody = db.prepare('INSERT INTO bodies (seq, bytes) VALUES (?, ?)')
  const setImportedFacts = prepareImportedFacts(db)
  const markFlow = prepareFlowDelivery(db)
  const setOrigin = db.prepare('UPDATE deliveries SET origin = ? WHERE seq = ?')
  const markComposed = db.prepare('INSERT INTO composed (seq) VALUES (?)')
  const ingest = db.transaction((rows: readonly IngestRow[], bodies: readonly Uint8Array[]) => {
    for (const [index, row] of rows.entries()) {
      insertDelivery.run(capturedValues(row))
      insertBody.run(row.seq, bodies[index])
      if (row.importedFacts !== undefined) setImportedFacts(row.seq, row.importedFacts)
      if (row.flowRun !== undefined) markFlow({ ...row.flowRun, seq: row.seq, step: null })
      if (row.origin !== undefined) setOrigin.run(row.origin, row.seq)
      if (row.origin === 'composed') markComposed.run(row.seq)
    }
  })
  const requirePresence = preparePresence(db)
  return ({ rows, bodies: packed }) => {
    requirePresence()
    const nextBody = unpackBodies(new Uint8Array(packed))
    const bodies = rows.map(({ keptBytes }) => nextBody(keptBytes))
    withStoredResponses(db, () => ingest.immediate(rows, bodies))
  }
}
