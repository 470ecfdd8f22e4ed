import { beforeEach, describe, expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { hideDeliveries, prepareRemoval, unhideDeliveries } from './deletion.ts'
import { attemptsOf, rowsBySeq } from './deliveries.ts'
import { readRemovedSeqs, readDeletable } from './deletable.ts'
import { findDeliveriesToMark, setMarks } from './marks.ts'
import { getDelivery } from './find-delivery.ts'

let database: TestDatabase

beforeEach(() => {
  database = databaseInFolder()
})

const seqsLeft = () => database.list().map(({ seq }) => seq)
const hide = (seqs: number[], at = 1) => hideDeliveries(database.db, { seqs, at })
const number = (sql: string) => database.db.prepare<[], number>(sql).pluck().get()

function takeOut(): number {
  const remove = prepareRemoval(database.db)
  return remove({
    deletable: readDeletable(database.db, { before: Number.MAX_SAFE_INTEGER, limit: 1_000 }),
    budgetMs: 10_000,
  })
}

function putAttempts(count: number): number[] {
  const seqs = database.put(
    Array.from({ length: count }, () =>
      captureOf('{"same":1}', { hookId: 'h', verdict: 'valid', notificationKey: 77 }),
    ),
  )
  database.describe()
  return seqs
}

describe('deleting', () => {
  test('hides deliveries from every reader immediately, and shows them again when undone', () => {
    const [first = 0, second = 0] = database.put([captureOf('{}'), captureOf('{}')])
    const { id } = rowsBySeq(database.db, [first])[0]!
    expect(hide([first, 999], 5)).toEqual([first])
    expect(seqsLeft()).toEqual([second])
    expect(rowsBySeq(database.db, [first])).toEqual([])
    expect(() => getDelivery(database.db, id)).toThrow(/^Delivery .* not found/)
    expect(() => findDeliveriesToMark(database.db, { ids: [id], identified: true })).toThrow(
      /^Delivery .* not found/,
    )
    expect(hide([first], 6)).toEqual([])
    expect(unhideDeliveries(database.db, [first])).toEqual([first])
    expect(seqsLeft()).toEqual([second, first])
  })

  test('removes the delivery, its body and its marks', () => {
    const seqs = database.put([captureOf('{}'), captureOf('{}')])
    database.describe()
    setMarks(database.db, { seqs, change: { note: 'seen', pinned: true } })
    hide(seqs.slice(0, 1))
    expect(takeOut()).toBe(1)
    for (const table of ['deliveries', 'bodies', 'marks'])
      expect(number(`SELECT count(*) FROM ${table}`), table).toBe(1)
    hide(seqs.slice(1))
    takeOut()
    expect(readRemovedSeqs(database.db)).toEqual(seqs)
    for (const table of ['deliveries', 'bodies', 'marks'])
      expect(number(`SELECT count(*) FROM ${table}`), table).toBe(0)
  })

  test('keeps undescribed deliveries until they are described', () => {
    const seqs = database.put([captureOf('{}')])
    hide(seqs)
    expect(takeOut()).toBe(0)
    database.describe()
    expect(takeOut()).toBe(1)
  })

  test('removes nothing if the deletion was undone after it was read', () => {
    const seqs = database.put([captureOf('{}')])
    database.describe()
    hide(seqs)
    const deletable = readDeletable(database.db, { before: 2, limit: 10 })
    unhideDeliveries(database.db, seqs)
    prepareRemoval(database.db)({ deletable, budgetMs: 1_000 })
    expect(seqsLeft()).toEqual(seqs)
  })

  test('removes only deliveries hidden before a given time', () => {
    database.put([captureOf('{}'), captureOf('{}')])
    database.describe()
    hide([1], 10)
    hide([2], 20)
    expect(readDeletable(database.db, { before: 20, limit: 10 }).map(({ seq }) => seq)).toEqual([1])
  })

  test('ends within its budget, with at least one removed', () => {
    const seqs = database.put(Array.from({ length: 30 }, () => captureOf('{}')))
    database.describe()
    hide(seqs)
    const deletable = readDeletable(database.db, { before: 2, limit: 100 })
    expect(prepareRemoval(database.db)({ deletable, budgetMs: 0 })).toBe(1)
    expect(number('SELECT count(*) FROM deliveries')).toBe(29)
  })
})

describe('attempts of a notification', () => {
  test('stay together and keep counting when the first of them is deleted', () => {
    const [first = 0, second = 0] = putAttempts(3)
    const gone = rowsBySeq(database.db, [first])[0]!.id
    hide([first])
    takeOut()
    const [fourth = 0] = putAttempts(1)
    const rows = attemptsOf(database.db, rowsBySeq(database.db, [fourth])[0]!.id)
    expect(rows.map(({ attempt, attemptOf }) => [attempt, attemptOf])).toEqual([
      [2, gone],
      [3, gone],
      [4, gone],
    ])
    expect(attemptsOf(database.db, rowsBySeq(database.db, [second])[0]!.id)).toEqual(rows)
  })

  test('keep counting when the latest of them is deleted', () => {
    const [first = 0, , third = 0] = putAttempts(3)
    hide([third])
    takeOut()
    expect(number('SELECT last_seq FROM notifications')).toBe(2)
    const [fourth = 0] = putAttempts(1)
    expect(rowsBySeq(database.db, [fourth])[0]).toMatchObject({
      attempt: 4,
      attemptOf: rowsBySeq(database.db, [first])[0]!.id,
    })
  })

  test('start again when all of them are deleted', () => {
    hide(putAttempts(2))
    takeOut()
    expect(number('SELECT count(*) FROM notifications')).toBe(0)
    const [next = 0] = putAttempts(1)
    expect(rowsBySeq(database.db, [next])[0]).toMatchObject({ attempt: 1, attemptOf: null })
  })
})
