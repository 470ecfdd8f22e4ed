import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import type { PayloadOf } from '../../shared/contract/contract.ts'
import { reportDeliveries } from './client-reports.ts'
import { createEventHub } from './event-hub.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function createStage() {
  const reported: PayloadOf<'deliveries.changed'>[] = []
  let total = 0
  let isReadable = true
  const hub = createEventHub()
  hub.on('deliveries.changed', (change) => reported.push(change))
  const close = reportDeliveries({
    hub,
    read: async (seqs) => {
      if (!isReadable) throw new Error('A damaged page.')
      return seqs.toSorted((a, b) => b - a).map((seq) => deliveryRow(seq))
    },
    total: () => total,
  })
  return {
    hub,
    close,
    reported,
    add(seq: number) {
      total++
      hub.emit('delivery.imported', seq)
    },
    damage() {
      isReadable = false
    },
  }
}

const seqsOf = (rows: PayloadOf<'deliveries.changed'>['added'] = []) => rows.map(({ seq }) => seq)

describe('the change feed', () => {
  test('reports the newest 200 of a burst, newest first, and counts the others; then what is new', async () => {
    const { close, reported, add } = createStage()
    for (let seq = 1; seq <= 1_000; seq++) add(seq)
    await vi.advanceTimersByTimeAsync(30)
    expect(reported).toHaveLength(1)
    expect(seqsOf(reported[0]?.added)).toEqual(
      Array.from({ length: 200 }, (_, index) => 1_000 - index),
    )
    expect(reported[0]).toMatchObject({ skipped: 800, total: 1_000 })
    add(1_001)
    await vi.advanceTimersByTimeAsync(100)
    expect(reported[1]).toMatchObject({ added: [{ seq: 1_001 }], skipped: 0, total: 1_001 })
    close()
  })

  test('reports a delivery that changed repeatedly once', async () => {
    const { hub, close, reported } = createStage()
    hub.emit('deliveries.updated', [1, 2])
    hub.emit('deliveries.described', [1])
    await vi.advanceTimersByTimeAsync(30)
    expect(reported.map(({ updated }) => seqsOf(updated))).toEqual([[2, 1]])
    close()
  })

  test('counts rows that cannot be read, so that a list reads them itself', async () => {
    const { close, reported, add, damage } = createStage()
    damage()
    add(1)
    await vi.advanceTimersByTimeAsync(30)
    expect(reported).toMatchObject([{ added: [], skipped: 1, updated: [], total: 1 }])
    close()
  })

  test('reports nothing after closing, and nothing if nothing happened', async () => {
    const { close, reported, add } = createStage()
    await vi.advanceTimersByTimeAsync(150)
    add(1)
    close()
    await vi.advanceTimersByTimeAsync(150)
    expect(reported).toEqual([])
  })
})
