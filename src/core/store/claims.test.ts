/** Deliveries imported before their origin was stored. */
import { expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { deliveriesBySeq } from './deliveries.ts'
import { migrations } from './migrations.ts'

test('existing imports are recognized by their sender, become claims, and lose their hook of this data folder', () => {
  const { db, put } = databaseInFolder()
  // The state before that step of the schema.
  db.exec(`DROP INDEX deliveries_claims; DROP INDEX deliveries_imported; ALTER TABLE deliveries DROP COLUMN verified_here; ALTER TABLE deliveries DROP COLUMN origin;
    PRAGMA foreign_keys = OFF;
    INSERT INTO hooks (id, event, url, headers, environment, status, created_at) VALUES ('known', 'card.linked', 'u', '{}', 'sandbox-test', 'active', 0)`)
  const valid = { verdict: 'valid', eventSource: 'hook', event: 'card.linked' } as const
  const seqs = put([
    captureOf('{}', { ...valid, remote: '127.0.0.1:1', hookId: 'known' }),
    captureOf('{}', { ...valid, remote: 'imported:127.0.0.1:1', hookId: 'known' }),
    captureOf('{}', { ...valid, remote: 'imported:', hookId: 'elsewhere' }),
  ])
  migrations.find(({ version }) => version === 150)?.up(db)
  expect(deliveriesBySeq(db, seqs).toReversed()).toMatchObject([
    { origin: 'received', verifiedHere: true, hookId: 'known' },
    { origin: 'imported', verifiedHere: false, hookId: null },
    { origin: 'imported', verifiedHere: false, hookId: 'elsewhere' },
  ])
  const plan = db
    .prepare<[], { detail: string }>(
      'EXPLAIN QUERY PLAN SELECT seq FROM deliveries d WHERE d.verified_here = 0 AND d.seq >= 1',
    )
    .all()
  expect(plan[0]?.detail).toContain('deliveries_claims')
})
