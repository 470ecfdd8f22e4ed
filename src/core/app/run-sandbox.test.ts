import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSandboxChanges } from './run-sandbox.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function watched() {
  const told: (readonly string[])[] = []
  return { told, changes: createSandboxChanges((parts) => told.push(parts)) }
}

test('a burst of changes is reported once, with each part once', () => {
  const { changes, told } = watched()
  for (const kind of ['card', 'payment', 'notification'] as const) changes.note(kind)
  expect(told).toEqual([])
  vi.advanceTimersByTime(100)
  expect(told).toEqual([['objects', 'clearings', 'notifications']])
  changes.note('clock')
  vi.advanceTimersByTime(100)
  expect(told[1]).toEqual(['clock'])
})

test('hooks are excluded, and nothing is reported after the end', () => {
  const { changes, told } = watched()
  changes.note('hook')
  vi.advanceTimersByTime(100)
  changes.note('card')
  changes.close()
  vi.advanceTimersByTime(100)
  expect(told).toEqual([])
})
