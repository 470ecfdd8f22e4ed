/** The account of a replay that has ended, kept with it: to count a million sends anew takes as long each time the replays are listed. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 130,
  name: 'counted-jobs',
  up(db) {
    db.exec(`
      -- counts: JSON, of a job that has ended; null before, and of those that had ended by then: their sends are counted.
      ALTER TABLE replay_jobs ADD COLUMN counts TEXT;
    `)
  },
}
