import { expect, test } from 'vitest'
import { notificationOf } from '../../../test/support/model-values.ts'
import type { SendAttempt } from './notification.ts'
import { outcomeOfNotification } from './service-outcomes.ts'

const attempt = (part: Partial<SendAttempt>): SendAttempt => ({
  attempt: 1,
  at: '2026-11-28T21:00:00.000Z',
  sandboxAt: null,
  status: 200,
  ms: 4,
  error: null,
  acknowledged: true,
  deliveryId: 'delivery',
  ...part,
})
const acknowledged = { state: 'acknowledged' as const, attempts: [attempt({})] }
const handler = {
  name: 'local',
  target: 'http://127.0.0.1:9/',
  sendId: 'send',
  at: null,
  status: 200,
  ms: 4,
  timedOut: false,
  signed: false,
  outcome: 'failing',
} as const

test('a forged or stale delivery is never green, acknowledged here or by a handler', () => {
  for (const fault of ['wrong-secret', 'altered-body', 'single-pass', 'stale'] as const) {
    const notification = notificationOf({ ...acknowledged, fault })
    const isStale = fault === 'stale'
    // This receiver stores every delivery, which proves nothing.
    expect(outcomeOfNotification(notification)).toMatchObject({
      tone: isStale ? 'warn' : 'neutral',
      word: isStale ? 'stale, as requested' : 'invalid, as requested',
    })
    const accepted = {
      tone: 'bad',
      word: isStale ? 'accepted, though stale' : 'accepted, though forged',
    }
    expect(outcomeOfNotification(notification, handler)).toMatchObject(accepted)
    const elsewhere = { ...notification, attempts: [attempt({ deliveryId: null })] }
    expect(outcomeOfNotification(elsewhere)).toMatchObject(accepted)
    const rejected = { ...handler, status: 401, outcome: 'rejected' } as const
    expect(outcomeOfNotification(notification, rejected).tone).not.toBe('bad')
  }
})

test('a forged delivery that its endpoint rejected three times is as expected', () => {
  const attempts = [attempt({ deliveryId: null, status: 401, acknowledged: false })]
  const rejected = notificationOf({ state: 'failed', attempts, fault: 'altered-body' })
  expect(outcomeOfNotification(rejected)).toMatchObject({ tone: 'neutral', glyph: 'rejected' })
  expect(outcomeOfNotification({ ...rejected, fault: null }).tone).toBe('bad')
})

test('other faults are signed correctly, so an acknowledgment is right', () => {
  for (const fault of [null, 'duplicate', 'late', 'out-of-order'] as const)
    expect(outcomeOfNotification(notificationOf({ ...acknowledged, fault })).tone).toBe('good')
})
