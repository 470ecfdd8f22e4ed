import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSandboxChanges } from './run-sandbox.ts'
import { memoryStorage } from '../sandbox/records.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function watched() {
  const told: (readonly string[])[] = []
  const changes = createSandboxChanges((parts) => told.push(parts))
  return { told, changes, storage: changes.watch(memoryStorage()) }
}

const record = (kind: string, id: string) => ({ kind, id, mode: 'test', data: { id } }) as const

test('a burst of changes is reported once, with each part once', async () => {
  const { storage, told } = watched()
  await storage.put(record('card', '1'))
  await storage.put(record('payment', '2'))
  await storage.put(record('settlement', '2'))
  await storage.delete('notification', '3')
  expect(told).toEqual([])
  vi.advanceTimersByTime(100)
  expect(told).toEqual([['objects', 'clearings', 'notifications']])
  await storage.put(record('clock', 'clock'))
  vi.advanceTimersByTime(100)
  expect(told[1]).toEqual(['clock'])
})

test('hooks are excluded, and nothing is reported after the end', async () => {
  const { changes, storage, told } = watched()
  await storage.put(record('hook', '1'))
  vi.advanceTimersByTime(100)
  await storage.put(record('card', '1'))
  changes.close()
  vi.advanceTimersByTime(100)
  expect(told).toEqual([])
  expect(await storage.load()).toHaveLength(2)
})
