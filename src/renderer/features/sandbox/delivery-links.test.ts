import { expect, test } from 'vitest'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Notification } from '../../../shared/model/sending.ts'
import { attemptKey, linkDeliveries } from './delivery-links.ts'

const hooks = [
  { id: 'own-1', remoteId: 'remote-1', path: '/h/one' },
  { id: 'own-2', remoteId: 'remote-2', path: '/h/one' },
]
const time = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 12, 0, 0) + seconds * 1_000).toISOString()

function notification(id: string, hookId: string, ...starts: number[]): Notification {
  return {
    id,
    event: 'card.linked',
    mode: 'test',
    hookId,
    url: 'https://127.0.0.1:1/h/one',
    attempts: starts.map((start, index) => ({
      attempt: index + 1,
      at: time(start),
      sandboxAt: null,
      status: 500,
      ms: 30,
      error: null,
      acknowledged: false,
    })),
    state: 'pending',
    nextAt: null,
    fault: null,
  }
}

function row(id: string, at: number, hookId: string | null, verdict: DeliveryRow['verdict'] = 'valid'): DeliveryRow {
  return { id, receivedAt: time(at), path: '/h/one', hookId, verdict } as DeliveryRow
}

test('each attempt is linked to the delivery that arrived while it was under way', () => {
  const links = linkDeliveries([notification('n', 'remote-1', 0, 60)], [row('b', 60.01, 'own-1'), row('a', 0.01, 'own-1')], hooks)
  expect([links.get(attemptKey('n', 1))?.id, links.get(attemptKey('n', 2))?.id]).toEqual(['a', 'b'])
})

test('of several hooks on one path, the proven one decides; a wrong signature goes to whose turn it was', () => {
  const both = [notification('m', 'remote-2', 0), notification('n', 'remote-1', 0)]
  const links = linkDeliveries(both, [row('b', 0.02, 'own-1'), row('a', 0.01, 'own-2')], hooks)
  expect([links.get(attemptKey('m', 1))?.id, links.get(attemptKey('n', 1))?.id]).toEqual(['a', 'b'])
  const wrong = linkDeliveries([notification('n', 'remote-1', 0)], [row('w', 0.01, null, 'invalid')], hooks)
  expect(wrong.get(attemptKey('n', 1))?.id).toBe('w')
})

test('a delivery of another time, path or hook is not taken', () => {
  const elsewhere = { ...row('c', 0.01, 'own-1'), path: '/h/two' }
  expect(linkDeliveries([notification('n', 'remote-1', 0)], [row('a', 5, 'own-1'), elsewhere], hooks).size).toBe(0)
  expect(linkDeliveries([notification('n', 'gone', 0)], [row('a', 0.01, 'own-1')], hooks).size).toBe(0)
})

test('on a busy machine an answered attempt is linked all the same; one without an answer may never have arrived', () => {
  const answered = notification('n', 'remote-1', 0)
  const lost = { ...answered, attempts: answered.attempts.map((attempt) => ({ ...attempt, status: null })) }
  expect(linkDeliveries([answered], [row('a', 0.6, 'own-1')], hooks).size).toBe(1)
  expect(linkDeliveries([lost], [row('a', 0.6, 'own-1')], hooks).size).toBe(0)
})

test('one delivery is never given to two attempts', () => {
  const two = [notification('m', 'remote-1', 0), notification('n', 'remote-1', 0.001)]
  const links = linkDeliveries(two, [row('b', 0.02, 'own-1'), row('a', 0.01, 'own-1')], hooks)
  expect([links.get(attemptKey('m', 1))?.id, links.get(attemptKey('n', 1))?.id]).toEqual(['a', 'b'])
})
