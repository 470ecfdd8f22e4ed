/** The fields that followed a chunked body. Very few deliveries have any. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 170,
  name: 'trailers',
  up(db) {
    db.exec(`
      -- trailers: JSON, like headers; null for none.
      ALTER TABLE deliveries ADD COLUMN trailers TEXT;
    `)
  },
}
