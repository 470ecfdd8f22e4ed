import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  SECRET,
  answerWith,
  clock,
  endpoint,
  firstOf,
  hooks,
  isGenuine,
  plainEvents,
  sandbox,
  trigger,
  sandboxForEachTest,
} from '../../../test/support/sandbox-fixture.ts'

sandboxForEachTest()

describe('faults', () => {
  test.each([
    ['wrong-secret', false],
    ['single-pass', false],
    ['altered-body', false],
    ['stale', true],
    ['late', true],
    ['duplicate', true],
  ] as const)('%s: valid signature: %s', async (fault, genuine) => {
    await hooks('test', plainEvents)
    const { sent } = await trigger({ event: 'transaction.auth', fault, seed: 1 })
    for (const { call } of sent) expect(isGenuine(call)).toBe(genuine)
    const age = clock.now() - Number(sent[0]?.call.headers['x-service-timestamp'])
    expect(age).toBe(fault === 'stale' ? 600_000 : 0)
    const late = clock.now() - Date.parse(sent[0]?.payload.created ?? '')
    expect(late).toBe(fault === 'late' ? 86_400_000 : 0)
    expect(sent).toHaveLength(fault === 'duplicate' ? 2 : 1)
    if (fault === 'duplicate')
      expect(sent[1]?.call.body.equals(sent[0]?.call.body ?? Buffer.alloc(0))).toBe(true)
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
    expect(isGenuine({ ...altered, body: right.call.body })).toBe(true)
    expect(isGenuine((await only('wrong-secret')).call, 'not-the-secret-of-this-hook')).toBe(true)
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

  test('a duplicate follows when a later attempt is acknowledged', async () => {
    await hooks('test', ['card.linked'])
    answerWith(503)
    await sandbox.trigger({ event: 'card.linked', fault: 'duplicate' })
    expect(endpoint.calls).toHaveLength(1)
    answerWith(200)
    await clock.advance(60_000)
    await endpoint.received(3)
    await expect
      .poll(() => sandbox.notifications().map(({ state, attempts }) => [state, attempts.length]))
      .toEqual([
        ['acknowledged', 1],
        ['acknowledged', 2],
      ])
  })
})
