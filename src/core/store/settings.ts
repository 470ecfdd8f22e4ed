/** Settings, and the pins and notes of deliveries. */
import type { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import type { MarksChange } from '../../shared/model/retention.ts'
import { getDelivery } from './deliveries.ts'
import type { ReadableDb, WritableDb } from './open.ts'
import { rowStatement, valuesOf } from './statements.ts'

/** The value of a setting; null if it was never set. */
export function readSetting(db: ReadableDb, name: string): string | null {
  return valuesOf<string>(db, 'SELECT value FROM settings WHERE name = ?').get(name) ?? null
}

export function writeSetting(db: WritableDb, setting: { name: string; value: string }): void {
  db.prepare(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  ).run(setting.name, setting.value)
}

/** A setting that is stored as JSON; null if it is missing or empty, or if it doesn't match the schema: `onUnreadable` then gets the reason. */
export async function readJsonSetting<T>(
  store: { read(job: 'setting', name: string): Promise<string | null> },
  name: string,
  schema: z.ZodType<T>,
  onUnreadable?: (reason: string) => void,
): Promise<T | null> {
  const text = await store.read('setting', name)
  if (text === null || text === '') return null
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    onUnreadable?.((error as Error).message)
    return null
  }
}

// Pins and notes of deliveries, in their own narrow table: a row only if there is a mark.

export interface MarksBatch {
  readonly seqs: readonly number[]
  readonly change: MarksChange
}

/** Changes marks of deliveries in one transaction; marks that the change omits stay. Deleted deliveries are skipped. */
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
    valuesOf<number>(
      db,
      'SELECT count(*) FROM marks WHERE pinned = 1 AND seq NOT IN (SELECT seq FROM deleted)',
    ).get() ?? 0
  )
}

export interface Marked {
  readonly seq: number
  readonly pinned: boolean
}

/** Throws `NOT_FOUND` and says that nothing was changed if no delivery has this id. */
function wholeIdOf(db: ReadableDb, ref: string, identified: boolean): string {
  try {
    return getDelivery(db, ref, { identified }).id
  } catch (error) {
    if (error instanceof AppError)
      throw new AppError(error.code, `${error.message} Nothing was changed.`, { cause: error })
    throw error
  }
}

/** The deliveries with these ids, each once, named as in `getDelivery`. Throws `NOT_FOUND` if one doesn't exist. */
export function findMarked(
  db: ReadableDb,
  { ids, identified }: { readonly ids: readonly string[]; readonly identified: boolean },
): Marked[] {
  const find = rowStatement<{ seq: number; pinned: number }>(
    db,
    `SELECT d.seq, coalesce(m.pinned, 0) AS pinned FROM deliveries d LEFT JOIN marks m ON m.seq = d.seq
       WHERE d.id = ? AND d.seq NOT IN (SELECT seq FROM deleted)`,
  )
  const found = new Map<number, Marked>()
  for (const id of ids) {
    const row = find.get(id) ?? find.get(wholeIdOf(db, id, identified))
    if (row === undefined)
      throw new AppError('NOT_FOUND', `Delivery ${id} not found. Nothing was changed.`)
    found.set(row.seq, { seq: row.seq, pinned: row.pinned === 1 })
  }
  return [...found.values()]
}
