/**
 * Where a delivery is from, and whether its verdict was computed here. A file's verdict is a claim until a signature proves it, so the
 * index finds the claims among any number of received deliveries.
 */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 150,
  name: 'origin',
  up(db) {
    db.exec(`
      -- origin: null if it was received here, as nearly all are.
      ALTER TABLE deliveries ADD COLUMN origin TEXT;
      ALTER TABLE deliveries ADD COLUMN verified_here INTEGER NOT NULL DEFAULT 1;
      -- A hook that only the file names must not sign: the signature finds the hook again.
      UPDATE deliveries SET origin = 'imported', verified_here = 0,
          hook_id = CASE WHEN hook_id IN (SELECT id FROM hooks) THEN NULL ELSE hook_id END
        WHERE remote LIKE 'imported:%';
      CREATE INDEX deliveries_claims ON deliveries (seq) WHERE verified_here = 0;
    `)
  },
}
