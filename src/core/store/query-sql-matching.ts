/** Which of some deliveries a query finds: for marking rows that are shown anyway. */
import type { Query } from '../../shared/query/query.ts'
import type { ReadableDb } from './open.ts'
import { whereOf } from './query-sql.ts'

export function matchingSeqs(
  db: ReadableDb,
  { query, seqs }: { readonly query: Query; readonly seqs: readonly number[] },
): number[] {
  const { sql, values } = whereOf(query)
  return db
    .prepare<unknown[], number>(
      `SELECT d.seq FROM deliveries d WHERE d.seq IN (SELECT value FROM json_each(?)) AND d.seq NOT IN (SELECT seq FROM deleted) AND ${sql}`,
    )
    .pluck()
    .all(JSON.stringify(seqs), ...values)
}
