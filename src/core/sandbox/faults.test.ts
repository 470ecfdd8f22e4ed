import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  SECRET,
  answerWith,
  clock,
  endpoint,
  firstOf,
  hooks,
  hasValidSignature,
  plainEvents,
  sandbox,
  trigger,
  sandboxForEachTest,
} from '../../../test/support/sandbox-fixture.ts'

sandboxForEachTest()

describe('faults', () => {
  test('late: paid a day ago, signed now', async () => {
    await hooks('test', plainEvents)
    const { call, payload } = firstOf(
      (await trigger({ event: 'transaction.auth', fault: 'late', seed: 1 })).sent,
    )
    expect(hasValidSignature(call)).toBe(true)
    expect(clock.now() - Number(call.headers['x-service-timestamp'])).toBe(0)
    expect(clock.now() - Date.parse(payload.created)).toBe(86_400_000)
  })

  test('wrong-secret, single-pass and altered-body do what they say', async () => {
    await hooks('test')
    const only = async (fault: 'single-pass' | 'altered-body' | 'wrong-secret') =>
      firstOf((await trigger({ event: 'transaction.auth', fault, seed: 1 })).sent)
    const { call } = await only('single-pass')
    const text = Buffer.concat([
      call.body,
      Buffer.from(`${endpoint.origin}${call.path}`),
      Buffer.from(call.headers['x-service-timestamp'] ?? ''),
    ])
    expect(call.headers['x-service-signature']).toBe(
      createHmac('sha256', SECRET).update(text).digest('base64'),
    )
    const altered = (await only('altered-body')).call
    const right = firstOf((await trigger({ event: 'transaction.auth', seed: 1 })).sent)
    expect(altered.body).toHaveLength(right.call.body.length)
    expect(hasValidSignature({ ...altered, body: right.call.body })).toBe(true)
    expect(
      hasValidSignature((await only('wrong-secret')).call, 'not-the-secret-of-this-hook'),
    ).toBe(true)
  })

  test('out-of-order needs two deliveries', async () => {
    await hooks('test', ['transaction.auth', 'card.linked'])
    await expect(
      sandbox.trigger({ event: 'transaction.auth', fault: 'out-of-order' }),
    ).rejects.toMatchObject({ code: 'NO_HOOK' })
    await expect(
      sandbox.trigger({ event: 'card.linked', fault: 'out-of-order' }),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
  })

  test('a duplicate follows at once, or when a later attempt is acknowledged', async () => {
    await hooks('test', ['card.linked'])
    const { deliveries } = await sandbox.trigger({ event: 'card.linked', fault: 'duplicate' })
    expect(deliveries).toMatchObject([{ state: 'acknowledged' }, { state: 'acknowledged' }])
    answerWith(503)
    await sandbox.trigger({ event: 'card.linked', fault: 'duplicate' })
    expect(endpoint.calls).toHaveLength(3)
    answerWith(200)
    await clock.advance(60_000)
    await endpoint.received(5)
    await expect
      .poll(() => sandbox.notifications().map(({ state, attempts }) => [state, attempts.length]))
      .toEqual([
        ['acknowledged', 1],
        ['acknowledged', 2],
        ['acknowledged', 1],
        ['acknowledged', 1],
      ])
  })

  test('no duplicate follows a delivery that is never acknowledged', async () => {
    await hooks('test', ['card.linked'])
    answerWith(503)
    await sandbox.trigger({ event: 'card.linked', fault: 'duplicate' })
    const results = () =>
      sandbox.notifications().map(({ state, attempts }) => [state, attempts.length])
    await expect
      .poll(async () => {
        await clock.advance(86_400_000)
        return results()
      })
      .toEqual([['failed', 3]])
    await clock.advance(0)
    expect(results()).toEqual([['failed', 3]])
  })
})
