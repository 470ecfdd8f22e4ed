import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSandboxChanges } from './sandbox-changes.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function watched() {
  const reported: (readonly string[])[] = []
  return { reported, changes: createSandboxChanges((parts) => reported.push(parts)) }
}

test('a burst of changes is reported once, with each part once', () => {
  const { changes, reported } = watched()
  for (const kind of ['card', 'payment', 'notification'] as const) changes.note(kind)
  expect(reported).toEqual([])
  vi.advanceTimersByTime(100)
  expect(reported).toEqual([['objects', 'clearings', 'notifications']])
  changes.note('clock')
  vi.advanceTimersByTime(100)
  expect(reported[1]).toEqual(['clock'])
})

test('hooks are excluded, and nothing is reported after the end', () => {
  const { changes, reported } = watched()
  changes.note('hook')
  vi.advanceTimersByTime(100)
  changes.note('card')
  changes.close()
  vi.advanceTimersByTime(100)
  expect(reported).toEqual([])
})
