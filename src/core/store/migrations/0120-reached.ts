/** How far a replay may have come: one number a job, in place of a change to each of its sends before it goes. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 120,
  name: 'reached',
  up(db) {
    db.exec(`
      -- reached: sends that wait, up to this place, may have gone.
      ALTER TABLE replay_jobs ADD COLUMN reached INTEGER NOT NULL DEFAULT 0;
    `)
  },
}
