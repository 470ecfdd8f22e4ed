/**
 * Replays that change what they send. The changed body stands once, with the job, and not with each of its sends; what was really
 * sent stands with the send. `variant` is the same for requests that were changed alike, null for those as captured.
 */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 61,
  name: 'edited-sends',
  up(db) {
    db.exec(`
      ALTER TABLE replay_jobs ADD COLUMN body BLOB;
      ALTER TABLE sends ADD COLUMN variant TEXT;
      ALTER TABLE sends ADD COLUMN sent_method TEXT;
      ALTER TABLE sends ADD COLUMN sent_headers TEXT;
    `)
  },
}
