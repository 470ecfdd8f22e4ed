import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { getDelivery, readUndescribed } from './deliveries-repo.ts'
import { describePayloads } from './describe.ts'
import { prepareDescribe, type DescribeBatch } from './describe-repo.ts'
import { newFields } from './seen-fields-repo.ts'

let database: TestDatabase
let describeBatch: (batch: DescribeBatch) => void
beforeEach(() => {
  database = openTestDatabase()
  describeBatch = prepareDescribe(database.db)
})
afterEach(() => {
  database.dispose()
})

/** Stores and describes a delivery of an event; gives the fields that are new in it. */
function arrive(event: string | null, payload: unknown): string[] {
  const seqs = database.put([captureOf(JSON.stringify(payload), { event })])
  describeBatch({ answers: [], descriptions: describePayloads(readUndescribed(database.db, seqs)), lenientEnvironments: [] })
  return newFields(database.db, idOf(seqs[0] ?? 0))
}

function idOf(seq: number): string {
  return database.db.prepare<[number], string>('SELECT id FROM deliveries WHERE seq = ?').pluck().get(seq) ?? ''
}

describe('fields never seen before', () => {
  test('are those of this delivery, event by event, and none of the first', () => {
    expect(arrive('card.linked', { id: 1, type: 'visa' })).toEqual([])
    expect(arrive('card.linked', { id: 2, type: 'visa' })).toEqual([])
    expect(arrive('card.linked', { id: 3, wallet: { 'a b': 1 } }).toSorted()).toEqual(['$.wallet["a b"]', 'wallet'])
    expect(arrive('card.linked', { id: 4, wallet: { 'a b': 1 } })).toEqual([])
    expect(arrive('card.failed', { id: 5, wallet: null })).toEqual([])
  })

  test('stay marked where they came first, whatever comes later', () => {
    arrive('card.linked', { id: 1 })
    arrive('card.linked', { id: 2, tier: 1 })
    arrive('card.linked', { id: 3, tier: 1 })
    expect(newFields(database.db, idOf(2))).toEqual(['tier'])
    expect(newFields(database.db, idOf(3))).toEqual([])
  })

  test('are not told of a delivery whose event is not known, nor of what is no object', () => {
    arrive('card.linked', { id: 1 })
    expect(arrive(null, { id: 1, more: 2 })).toEqual([])
    expect(arrive('card.linked', 'text')).toEqual([])
    expect(arrive('card.linked', [])).toEqual([])
  })

  test('are kept up to a number per event, however many keys a client makes up', () => {
    arrive('card.linked', { id: 1 })
    for (let delivery = 0; delivery < 6; delivery++)
      arrive('card.linked', Object.fromEntries(Array.from({ length: 499 }, (_, index) => [`k${delivery}_${index}`, index])))
    const kept = database.db.prepare<[], number>('SELECT count(*) FROM seen_fields').pluck().get()
    expect(kept).toBe(2_000)
  })

  test('what a failed transaction learned is learned again', () => {
    arrive('card.linked', { id: 1 })
    database.db.exec(`CREATE TRIGGER fails BEFORE UPDATE ON progress BEGIN SELECT raise(ABORT, 'full'); END`)
    expect(() => arrive('card.linked', { id: 2, tier: 1 })).toThrow('full')
    database.db.exec('DROP TRIGGER fails')
    const descriptions = describePayloads(readUndescribed(database.db, [2]))
    describeBatch({ answers: [], descriptions, lenientEnvironments: [] })
    expect(newFields(database.db, getDelivery(database.db, idOf(2)).id)).toEqual(['tier'])
  })
})
