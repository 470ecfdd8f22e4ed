/**
 * An index of the sends that have settled: each that ends is held against the last of its like, which is found there without
 * reading what else is kept of the delivery's sends, however many those are.
 */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 100,
  name: 'settled-sends',
  up(db) {
    db.exec(`
      CREATE INDEX sends_settled ON sends (delivery_seq, started_at, seq, target, tamper, variant, passed) WHERE state = 'settled';
    `)
  },
}
