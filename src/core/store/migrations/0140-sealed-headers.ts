/**
 * Room for the sealed values of custom headers, which often carry credentials. Values that earlier versions stored in clear are
 * sealed when the hooks are opened (`hooks/seal-headers.ts`): only the vault can do that.
 */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 140,
  name: 'sealed-headers',
  up(db) {
    db.exec(`
      -- hooks.headers: an array of the names from now on; an object with the values is of an earlier version.
      ALTER TABLE hooks ADD COLUMN headers_backend TEXT;
      ALTER TABLE hooks ADD COLUMN headers_sealed BLOB;
      -- Of hooks and notifications; data.headers is empty then.
      ALTER TABLE sandbox_objects ADD COLUMN headers_backend TEXT;
      ALTER TABLE sandbox_objects ADD COLUMN headers_sealed BLOB;
    `)
  },
}
