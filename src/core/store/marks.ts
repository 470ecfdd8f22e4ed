/** Pins and notes of deliveries, in their own table. */
import { AppError } from '../../shared/contract/errors.ts'
import type { MarksChange } from '../../shared/model/marks.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { getDelivery } from './find-delivery.ts'

export interface MarksBatch {
  readonly seqs: readonly number[]
  readonly change: MarksChange
}

/** Changes the given marks; skips deleted deliveries. */
export function setMarks(db: WritableDb, { seqs, change }: MarksBatch): void {
  const put = db.prepare<[number]>(
    'INSERT OR IGNORE INTO marks (seq, pinned) SELECT seq, 0 FROM deliveries WHERE seq = ? AND seq NOT IN (SELECT seq FROM deleted)',
  )
  const pin = db.prepare('UPDATE marks SET pinned = ? WHERE seq = ?')
  const note = db.prepare('UPDATE marks SET note = ? WHERE seq = ?')
  const dropEmpty = db.prepare('DELETE FROM marks WHERE seq = ? AND pinned = 0 AND note IS NULL')
  db.transaction(() => {
    for (const seq of seqs) {
      put.run(seq)
      if (change.pinned !== undefined) pin.run(change.pinned ? 1 : 0, seq)
      if (change.note !== undefined) note.run(change.note, seq)
      dropEmpty.run(seq)
    }
  }).immediate()
}

export function countPinned(db: ReadableDb): number {
  return (
    columnStatement<number>(
      db,
      'SELECT count(*) FROM marks WHERE pinned = 1 AND seq NOT IN (SELECT seq FROM deleted)',
    ).get() ?? 0
  )
}

export interface DeliveryToMark {
  readonly seq: number
  readonly pinned: boolean
}

function wholeIdOf(db: ReadableDb, ref: string, options: { readonly identified: boolean }): string {
  try {
    return getDelivery(db, ref, options).id
  } catch (error) {
    if (error instanceof AppError)
      throw new AppError(error.code, `${error.message} Nothing was changed.`, { cause: error })
    throw error
  }
}

/** Finds the deliveries to mark or delete, each once. Throws `NOT_FOUND`. */
export function findDeliveriesToMark(
  db: ReadableDb,
  { ids, identified }: { readonly ids: readonly string[]; readonly identified: boolean },
): DeliveryToMark[] {
  const find = rowStatement<{ seq: number; pinned: number }>(
    db,
    `SELECT d.seq, coalesce(m.pinned, 0) AS pinned FROM deliveries d LEFT JOIN marks m ON m.seq = d.seq
       WHERE d.id = ? AND d.seq NOT IN (SELECT seq FROM deleted)`,
  )
  const bySeq = new Map<number, DeliveryToMark>()
  for (const id of ids) {
    const row = find.get(id) ?? find.get(wholeIdOf(db, id, { identified }))
    if (row === undefined)
      throw new AppError('NOT_FOUND', `Delivery ${id} not found. Nothing was changed.`)
    bySeq.set(row.seq, { seq: row.seq, pinned: row.pinned === 1 })
  }
  return [...bySeq.values()]
}
