import { expect, test } from 'vitest'
import {
  clock,
  endpoint,
  hooks,
  namesOf,
  plainEvents,
  sandbox,
  sandboxForEachTest,
  startAgain,
  type Sent,
} from '../../../test/support/sandbox-fixture.ts'
import type { Transaction } from '../../shared/service/resources.ts'
import { settlementTime } from './payment-events.ts'

const HOUR = 3_600_000

sandboxForEachTest()

function sent(): Pick<Sent, 'event' | 'payload'>[] {
  return endpoint.calls.map(({ path, body }) => ({
    event: path.slice(1),
    payload: JSON.parse(body.toString()) as Transaction,
  }))
}

test('Mastercard settles at noon UTC, the others every four hours; always after 48 to 72 hours', () => {
  const start = Date.UTC(2026, 10, 20, 9, 30)
  const hours = new Set<number>()
  for (let index = 0; index < 200; index++) {
    const paidAt = start + index * 17 * 60_000
    for (const scheme of ['mastercard', 'visa', 'amex']) {
      const at = settlementTime(`id ${index}`, scheme, paidAt)
      expect(at - paidAt).toBeGreaterThanOrEqual(48 * HOUR)
      expect(at - paidAt).toBeLessThanOrEqual(72 * HOUR)
      if (scheme === 'mastercard') expect(new Date(at).toISOString()).toMatch(/T12:00:00\.000Z$/)
      else hours.add(new Date(at).getUTCHours())
    }
  }
  expect([...hours].sort((left, right) => left - right)).toEqual([0, 4, 8, 12, 16, 20])
})

test('a purchase whose offer has changed is cleared without its .qualified event', async () => {
  await hooks('test')
  await sandbox.trigger({ event: 'transaction.auth.qualified', seed: 1 })
  for (const { id } of sandbox.objects.list({ kind: 'offer', environment: 'sandbox-test' })) {
    await sandbox.objects.update({ id, set: { minimumAmount: 1e9 } })
  }
  await sandbox.clock.jump(73 * HOUR)
  await endpoint.received(3)
  // All of a clearing's events are listed before the first is sent.
  expect(namesOf(sandbox.notifications())).toEqual([
    'transaction.clearing',
    'transaction.auth.qualified',
    'transaction.auth',
  ])
})

test("a purchase cleared on request isn't cleared again", async () => {
  await hooks('test', plainEvents)
  const { objects } = await sandbox.trigger({ event: 'transaction.auth', seed: 1 })
  await sandbox.trigger({ event: 'transaction.clearing', of: objects['transaction'] })
  expect(sandbox.clearings()).toEqual([])
})

test('clearings that fell due while the sandbox was closed are sent when it opens', async () => {
  await hooks('test', plainEvents)
  await sandbox.trigger({ event: 'transaction.auth', seed: 1 })
  await sandbox.close()
  await clock.advance(80 * HOUR)
  expect(endpoint.calls).toHaveLength(1)
  await startAgain()
  await endpoint.received(2)
  expect(sent()[1]?.event).toBe('transaction.clearing')
})

test('pending clearings are listed with time and mode, soonest first', async () => {
  await hooks('test', plainEvents)
  const { objects } = await sandbox.trigger({ event: 'transaction.auth', seed: 1 })
  await sandbox.trigger({ event: 'transaction.auth', seed: 2 })
  const waiting = sandbox.clearings()
  expect(waiting.map(({ mode }) => mode)).toEqual(['test', 'test'])
  expect(waiting.map(({ at }) => at)).toEqual(waiting.map(({ at }) => at).toSorted())
  expect(waiting.map(({ transactionId }) => transactionId)).toContain(objects['transaction'])
  await sandbox.clock.set(Date.parse(waiting[0]?.at ?? ''))
  await endpoint.received(3)
  expect(sandbox.clearings()).toEqual(waiting.slice(1))
})

test('no hook is needed', async () => {
  await hooks('test', plainEvents)
  await sandbox.trigger({ event: 'transaction.auth', seed: 1 })
  await sandbox.removeHook('test transaction.clearing')
  await sandbox.clock.jump(100 * HOUR)
  const isCleared = () => sandbox.objects.list({ kind: 'transaction' })[0]?.data['cleared']
  await expect.poll(isCleared).toBe(true)
  expect(endpoint.calls).toHaveLength(1)
})
