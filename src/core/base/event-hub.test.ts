import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import type { PayloadOf } from '../../shared/contract/contract.ts'
import { createChangeFeed } from './event-hub.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function createStage() {
  const told: (PayloadOf<'deliveries.changed'> & { at: number })[] = []
  let total = 0
  const feed = createChangeFeed(
    () => total,
    (change) => told.push({ ...change, at: performance.now() }),
  )
  return { feed, told, add: (seq: number) => (total++, feed.added(deliveryRow(seq))) }
}

describe('the change feed', () => {
  test('reports the first change after a quiet moment immediately', () => {
    const { feed, told, add } = createStage()
    add(1)
    vi.advanceTimersByTime(30)
    expect(told).toMatchObject([{ added: [{ seq: 1 }], skipped: 0, updated: [], total: 1 }])
    feed.close()
  })

  test('reports at most ten times per second, and every delivery', () => {
    const { feed, told, add } = createStage()
    const startedAt = performance.now()
    let seq = 0
    while (performance.now() - startedAt < 1_000) {
      add(++seq)
      vi.advanceTimersByTime(2)
    }
    vi.advanceTimersByTime(150)
    feed.close()
    const lasted = performance.now() - startedAt
    expect(told.length).toBeLessThanOrEqual(Math.ceil(lasted / 100) + 1)
    expect(told.length).toBeGreaterThan(5)
    const gaps = told.slice(1).map(({ at }, index) => at - told[index]!.at)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100)
    expect(
      told.flatMap(({ added }) => added.map((row) => row.seq)).toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: seq }, (_, index) => index + 1))
  })

  test('reports the newest 200 of a burst, newest first, and counts the others', () => {
    const { feed, told, add } = createStage()
    for (let seq = 1; seq <= 1_000; seq++) add(seq)
    vi.advanceTimersByTime(30)
    expect(told).toHaveLength(1)
    expect(told[0]?.added.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 200 }, (_, index) => 1_000 - index),
    )
    expect(told[0]).toMatchObject({ skipped: 800, total: 1_000 })
    feed.close()
  })

  test('reports the last state of a delivery that changed repeatedly', () => {
    const { feed, told } = createStage()
    const undescribed = (seq: number) => deliveryRow(seq, { schema: 'unknown' })
    feed.updated([undescribed(1), undescribed(2)])
    feed.updated([deliveryRow(1, { schema: 'ok' })])
    vi.advanceTimersByTime(30)
    expect(told[0]?.updated.map(({ seq, schema }) => [seq, schema])).toEqual([
      [1, 'ok'],
      [2, 'unknown'],
    ])
    feed.close()
  })

  test('reports nothing after closing, and nothing if nothing happened', () => {
    const { feed, told, add } = createStage()
    vi.advanceTimersByTime(150)
    add(1)
    feed.close()
    vi.advanceTimersByTime(150)
    expect(told).toEqual([])
  })
})
