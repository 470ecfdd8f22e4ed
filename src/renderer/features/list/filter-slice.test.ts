import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openWindow } from '../../../../test/browser/open-window.ts'
import { createAnsweredClient } from '../../../../test/support/asked-client.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { COUNT_PAUSE_MS } from './filter-slice.ts'

beforeEach(() => {
  vi.stubGlobal('location', { hash: '' })
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A window whose counts of views take this long. */
function start(countMs: number) {
  let asked = 0
  const { client, emit } = createAnsweredClient((command, { queries }) => {
    if (command !== 'deliveries.counts') return {}
    asked++
    return new Promise((resolve) => {
      setTimeout(() => {
        resolve({ counts: (queries as string[]).map(() => ({ count: asked, more: false })) })
      }, countMs)
    })
  })
  const { state } = openWindow(client)
  let stored = 0
  return {
    views: () => state().views,
    asked: () => asked,
    /** What a delivery changes is known only after it was stored. */
    describe() {
      const updated = [deliveryRow(stored)]
      emit('deliveries.changed', { added: [], updated, skipped: 0, total: stored })
    },
    /** Deliveries arrive ten times per second. */
    async receiveFor(ms: number) {
      for (let passed = 0; passed < ms; passed += 100) {
        const added = [deliveryRow(++stored)]
        emit('deliveries.changed', { added, updated: [], skipped: 0, total: stored })
        await vi.advanceTimersByTimeAsync(100)
      }
    },
  }
}

test('while deliveries arrive, views are counted at most once per second, and not at all once nobody shows them', async () => {
  const { views, asked, receiveFor } = start(1)
  const stop = views().watch()
  await receiveFor(12_500)
  expect(asked()).toBeGreaterThanOrEqual(11)
  expect(asked()).toBeLessThanOrEqual(13)
  expect(views().counts.size).toBeGreaterThan(5)
  stop()
  const before = asked()
  await receiveFor(10_000)
  expect(asked()).toBe(before)
})

test('a delivery that arrives after a quiet time is counted at once', async () => {
  const { views, asked, receiveFor } = start(1)
  const stop = views().watch()
  await vi.advanceTimersByTimeAsync(5_000)
  const before = asked()
  await receiveFor(200)
  stop()
  expect(asked()).toBe(before + 1)
})

test('a delivery that is described after its count, or during it, is counted again', async () => {
  const { views, asked, receiveFor, describe } = start(100)
  const stop = views().watch()
  await vi.advanceTimersByTimeAsync(5_000)
  await receiveFor(1_000)
  const counted = asked()
  describe()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(asked()).toBe(counted + 1)
  await vi.advanceTimersByTimeAsync(3_000)
  describe()
  await vi.advanceTimersByTimeAsync(COUNT_PAUSE_MS + 50)
  describe()
  await vi.advanceTimersByTimeAsync(6_000)
  stop()
  expect(asked()).toBe(counted + 3)
})

test('slow counts are repeated for at most a twentieth of the time', async () => {
  const { views, asked, receiveFor } = start(1_000)
  const stop = views().watch()
  await receiveFor(60_000)
  stop()
  expect(asked()).toBeGreaterThanOrEqual(3)
  expect(asked()).toBeLessThanOrEqual(4)
})
