import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { PayloadOf } from '../shared/contract/contract.ts'
import type { DeliveryRow } from '../shared/model/delivery.ts'
import { createChangeFeed } from './change-feed.ts'

function rowOf(seq: number): DeliveryRow {
  return {
    seq,
    id: String(seq),
    receivedAt: '2026-11-21T00:00:00.000Z',
    method: 'POST',
    path: '/',
    malformed: null,
    bodySize: 0,
    truncated: false,
    event: null,
    eventSource: null,
    eventCandidates: [],
    hookId: null,
    environment: null,
    mode: null,
    verdict: 'unsigned',
    freshness: 'missing',
    attempt: 1,
    attemptOf: null,
    duplicateOf: null,
    schema: 'unknown',
    answer: { status: null, ms: null },
    pinned: false,
    note: null,
    colour: null,
  }
}

function createStage() {
  const told: (PayloadOf<'deliveries.changed'> & { at: number })[] = []
  let total = 0
  const feed = createChangeFeed(
    { monotonic: () => performance.now() },
    () => total,
    (change) => told.push({ ...change, at: performance.now() }),
  )
  return { feed, told, add: (seq: number) => (total++, feed.added(rowOf(seq))) }
}

describe('the change feed', () => {
  test('tells the first change after a quiet moment at once', async () => {
    const { feed, told, add } = createStage()
    add(1)
    await delay(30)
    expect(told).toMatchObject([{ added: [{ seq: 1 }], skipped: 0, updated: [], total: 1 }])
    feed.close()
  })

  test('tells at most ten times a second, and of every delivery', async () => {
    const { feed, told, add } = createStage()
    const startedAt = performance.now()
    let seq = 0
    while (performance.now() - startedAt < 1_000) {
      add(++seq)
      await delay(2)
    }
    await delay(150)
    feed.close()
    const lasted = performance.now() - startedAt
    expect(told.length).toBeLessThanOrEqual(Math.ceil(lasted / 100) + 1)
    expect(told.length).toBeGreaterThan(5)
    const gaps = told.slice(1).map(({ at }, index) => at - told[index]!.at)
    expect(Math.min(...gaps)).toBeGreaterThan(95)
    expect(told.flatMap(({ added }) => added.map((row) => row.seq)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: seq }, (_, index) => index + 1),
    )
  })

  test('of a burst tells the newest 200, newest first, and counts the others', async () => {
    const { feed, told, add } = createStage()
    for (let seq = 1; seq <= 1_000; seq++) add(seq)
    await delay(30)
    expect(told).toHaveLength(1)
    expect(told[0]?.added.map(({ seq }) => seq)).toEqual(Array.from({ length: 200 }, (_, index) => 1_000 - index))
    expect(told[0]).toMatchObject({ skipped: 800, total: 1_000 })
    feed.close()
  })

  test('tells the last state of a delivery that changed more than once', async () => {
    const { feed, told } = createStage()
    feed.updated([rowOf(1), rowOf(2)])
    feed.updated([{ ...rowOf(1), schema: 'ok' }])
    await delay(30)
    expect(told[0]?.updated.map(({ seq, schema }) => [seq, schema])).toEqual([
      [1, 'ok'],
      [2, 'unknown'],
    ])
    feed.close()
  })

  test('says nothing after it was closed, and nothing where nothing happened', async () => {
    const { feed, told, add } = createStage()
    await delay(150)
    add(1)
    feed.close()
    await delay(150)
    expect(told).toEqual([])
  })
})
