/** Bodies of deliveries, compared with their hash. */
import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { releaseMemory } from '../base/threads/memory.ts'
import { rowStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'

/** Reads a piece of a body, and the body's size. */
export function readStoredBody(
  db: ReadableDb,
  {
    seq,
    offset = 0,
    length = Number.MAX_SAFE_INTEGER,
  }: { seq: number; offset?: number; length?: number },
): { bytes: Uint8Array; size: number } {
  const row = rowStatement<{ bytes: Buffer | null; size: number }>(
    db,
    'SELECT substr(bytes, ? + 1, ?) AS bytes, length(bytes) AS size FROM bodies WHERE seq = ?',
  ).get(offset, length, seq)
  return { bytes: row?.bytes ?? new Uint8Array(), size: row?.size ?? 0 }
}

const BODY_SOURCE = `deliveries d LEFT JOIN bodies b ON b.seq = d.seq`
const IS_COMPARABLE = `d.truncated = 0 AND coalesce(d.remote, '') NOT LIKE 'imported:%'`

interface DamagedBody {
  readonly seq: number
  readonly id: string
  readonly size: number
}

/** Yields deliveries whose bytes are missing or don't match their hash. */
export function* damagedBodies(db: Database): Generator<DamagedBody> {
  const rows = rowStatement<
    DamagedBody & {
      readonly sha256: string
      readonly isComparable: number
      readonly bytes: Buffer | null
    }
  >(
    db,
    `SELECT d.seq, d.id, d.body_size AS size, d.body_sha256 AS sha256, b.bytes, ${IS_COMPARABLE} AS isComparable FROM ${BODY_SOURCE}`,
  )
  for (const { bytes, sha256, isComparable, ...body } of rows.iterate())
    if (bytes === null || (isComparable === 1 && hash('sha256', bytes, 'hex') !== sha256))
      yield body
}

export function isBodyAltered(db: ReadableDb, seq: number): boolean {
  const row = rowStatement<{ readonly sha256: string; readonly bytes: Buffer | null }>(
    db,
    `SELECT d.body_sha256 AS sha256, b.bytes FROM ${BODY_SOURCE} WHERE d.seq = ? AND ${IS_COMPARABLE}`,
  ).get(seq)
  if (row === undefined || row.bytes === null) return false
  const isAltered = hash('sha256', row.bytes, 'hex') !== row.sha256
  releaseMemory(row.bytes)
  return isAltered
}
