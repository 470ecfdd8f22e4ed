import { describe, expect, test } from 'vitest'
import { testSearch } from '../../../../test/support/test-search.ts'
import { captureOf } from '../../../../test/support/test-store.ts'
import { searchJobs } from './search-jobs.ts'
import { newFields } from './seen-fields.ts'

const search = testSearch()

function put(event: string | null, payload: unknown): string {
  const [seq = 0] = search().database.put([captureOf(JSON.stringify(payload), { event })])
  search().database.db.exec(`UPDATE progress SET described_seq = ${seq}`)
  return idOf(seq)
}

/**
 * Stores and indexes a delivery of an event; returns its new fields, which must be equal before and
 * after.
 */
function arrive(event: string | null, payload: unknown): string[] {
  const id = put(event, payload)
  const before = newFields(search().main, id)
  search().fill()
  expect(newFields(search().main, id)).toEqual(before)
  return before
}

function idOf(seq: number): string {
  return (
    search()
      .database.db.prepare<[number], string>('SELECT id FROM deliveries WHERE seq = ?')
      .pluck()
      .get(seq) ?? ''
  )
}

describe('new fields', () => {
  test("are those of this delivery, per event, without the first delivery's", () => {
    expect(arrive('card.linked', { id: 1, type: 'visa' })).toEqual([])
    expect(arrive('card.linked', { id: 2, type: 'visa' })).toEqual([])
    expect(arrive('card.linked', { id: 3, wallet: { 'a b': 1 } }).toSorted()).toEqual([
      '$.wallet["a b"]',
      'wallet',
    ])
    expect(arrive('card.linked', { id: 4, wallet: { 'a b': 1 } })).toEqual([])
    expect(arrive('card.failed', { id: 5, wallet: null })).toEqual([])
  })

  test('stay marked at their first delivery, whatever follows', () => {
    arrive('card.linked', { id: 1 })
    arrive('card.linked', { id: 2, tier: 1 })
    arrive('card.linked', { id: 3, tier: 1 })
    expect(newFields(search().main, idOf(2))).toEqual(['tier'])
    expect(newFields(search().main, idOf(3))).toEqual([])
  })

  test('are reported for the first deliveries, before any of them is indexed', () => {
    const first = put('card.linked', { id: 1 })
    const second = put('card.linked', { id: 2, tier: 1 })
    put('card.failed', { other: 1 })
    const third = put('card.linked', { id: 3, tier: 1 })
    expect([first, second, third].map((id) => newFields(search().main, id))).toEqual([
      [],
      ['tier'],
      [],
    ])
  })

  test("are not reported for a delivery with an unknown event, nor for a body that isn't an object", () => {
    arrive('card.linked', { id: 1 })
    expect(arrive(null, { id: 1, more: 2 })).toEqual([])
    expect(arrive('card.linked', 'text')).toEqual([])
    expect(arrive('card.linked', [])).toEqual([])
  })

  test('are stored up to a limit per event, however many keys a client invents', () => {
    arrive('card.linked', { id: 1 })
    for (let delivery = 0; delivery < 6; delivery++)
      arrive(
        'card.linked',
        Object.fromEntries(
          Array.from({ length: 499 }, (_, index) => [`k${delivery}_${index}`, index]),
        ),
      )
    const kept = search()
      .tools.search.prepare<[], number>('SELECT count(*) FROM seen_fields')
      .pluck()
      .get()
    expect(kept).toBe(2_000)
  })

  test('from a failed transaction are learned again', () => {
    arrive('card.linked', { id: 1 })
    const id = put('card.linked', { id: 2, tier: 1 })
    search().tools.search.exec(
      `CREATE TRIGGER fails BEFORE UPDATE ON state BEGIN SELECT raise(ABORT, 'full'); END`,
    )
    expect(search().fill).toThrow('full')
    search().tools.search.exec('DROP TRIGGER fails')
    search().fill()
    put('card.linked', { id: 3, tier: 1 })
    search().fill()
    expect(newFields(search().main, id)).toEqual(['tier'])
    expect(newFields(search().main, idOf(3))).toEqual([])
  })

  test('are not reported while too many older deliveries are missing from the index', () => {
    const first = put('card.linked', { id: 1 })
    for (let id = 2; id <= 201; id++) put('card.linked', { id })
    const last = put('card.linked', { id: 202, tier: 1 })
    expect(newFields(search().main, last)).toEqual([])
    search().fill()
    expect(newFields(search().main, last)).toEqual(['tier'])
    expect(newFields(search().main, first)).toEqual([])
  })

  test('are forgotten with the last delivery of their event', () => {
    arrive('card.linked', { id: 1 })
    arrive('card.linked', { id: 2, tier: 1 })
    const left = () =>
      search().tools.search.prepare<[], number>('SELECT count(*) FROM seen_fields').pluck().get()
    const remove = (seq: number) => {
      search().database.db.exec(`DELETE FROM deliveries WHERE seq = ${seq}`)
      searchJobs.refresh(search().tools, [seq])
    }
    remove(1)
    expect(left()).toBe(2)
    remove(2)
    expect(left()).toBe(0)
    expect(arrive('card.linked', { other: 1 })).toEqual([])
    expect(left()).toBe(1)
  })
})
