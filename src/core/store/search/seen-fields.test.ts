import { describe, expect, test } from 'vitest'
import { testSearch } from '../../../../test/support/test-search.ts'
import { captureOf } from '../../../../test/support/test-store.ts'
import { PARTITION_SEQS } from './open-search.ts'
import { searchJobs } from './search-jobs.ts'
import { newFields } from './seen-fields.ts'

const search = testSearch()

function put(event: string | null, payload: unknown): string {
  const [seq = 0] = search().database.put([captureOf(JSON.stringify(payload), { event })])
  search().database.db.exec(`UPDATE progress SET described_seq = ${seq}`)
  return idOf(seq)
}

/** Stores and indexes a delivery of an event; returns its new fields, which must be the same before and after. */
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
      `CREATE TRIGGER fails BEFORE UPDATE ON partitions BEGIN SELECT raise(ABORT, 'full'); END`,
    )
    expect(search().fill).toThrow('full')
    search().tools.search.exec('DROP TRIGGER fails')
    search().fill()
    put('card.linked', { id: 3, tier: 1 })
    search().fill()
    expect(newFields(search().main, id)).toEqual(['tier'])
    expect(newFields(search().main, idOf(3))).toEqual([])
  })

  test('belong to the oldest delivery that has them, whatever the indexing order, and are not reported while older ones are missing', () => {
    const older = put('card.linked', { id: 1 })
    put('card.linked', { id: 2, tier: 1 })
    search().database.db
      .exec(`UPDATE deliveries SET seq = seq + ${PARTITION_SEQS} WHERE seq = 2; UPDATE bodies SET seq = seq + ${PARTITION_SEQS} WHERE seq = 2;
      UPDATE progress SET described_seq = ${PARTITION_SEQS + 2}`)
    const newer = idOf(PARTITION_SEQS + 2)
    expect(newFields(search().main, newer)).toEqual([])
    searchJobs.fill(search().tools, 0)
    search().fill()
    expect(newFields(search().main, newer)).toEqual(['tier'])
    expect(newFields(search().main, older)).toEqual([])
    expect(
      search()
        .tools.search.prepare('SELECT path, first_seq FROM seen_fields ORDER BY path')
        .raw()
        .all(),
    ).toEqual([
      ['id', 1],
      ['tier', PARTITION_SEQS + 2],
    ])
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
