import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import type { PayloadOf } from '../../shared/contract/contract.ts'
import { createEventHub, reportDeliveries } from './event-hub.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function createStage() {
  const reported: (PayloadOf<'deliveries.changed'> & { at: number })[] = []
  let total = 0
  const hub = createEventHub()
  hub.on('deliveries.changed', (change) => reported.push({ ...change, at: performance.now() }))
  const close = reportDeliveries(hub, () => total)
  const add = (seq: number) => (total++, hub.emit('delivery.stored', deliveryRow(seq)))
  return { hub, close, reported, add }
}

describe('the change feed', () => {
  test('reports the newest 200 of a burst, newest first, and counts the others; then what is new', () => {
    const { close, reported, add } = createStage()
    for (let seq = 1; seq <= 1_000; seq++) add(seq)
    vi.advanceTimersByTime(30)
    expect(reported).toHaveLength(1)
    expect(reported[0]?.added.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 200 }, (_, index) => 1_000 - index),
    )
    expect(reported[0]).toMatchObject({ skipped: 800, total: 1_000 })
    add(1_001)
    vi.advanceTimersByTime(100)
    expect(reported[1]).toMatchObject({ added: [{ seq: 1_001 }], skipped: 0, total: 1_001 })
    close()
  })

  test('reports the last state of a delivery that changed repeatedly', () => {
    const { hub, close, reported } = createStage()
    const undescribed = (seq: number) => deliveryRow(seq, { schema: 'unknown' })
    hub.emit('deliveries.updated', [undescribed(1), undescribed(2)])
    hub.emit('deliveries.updated', [deliveryRow(1, { schema: 'ok' })])
    vi.advanceTimersByTime(30)
    expect(reported[0]?.updated.map(({ seq, schema }) => [seq, schema])).toEqual([
      [1, 'ok'],
      [2, 'unknown'],
    ])
    close()
  })

  test('reports nothing after closing, and nothing if nothing happened', () => {
    const { close, reported, add } = createStage()
    vi.advanceTimersByTime(150)
    add(1)
    close()
    vi.advanceTimersByTime(150)
    expect(reported).toEqual([])
  })
})
