import { describe, expect, test } from 'vitest'
import {
  OFFER,
  register,
  answerWith,
  clock,
  endpoint,
  hooks,
  hasValidSignature,
  namesOf,
  sandbox,
  sandboxForEachTest,
  startAgain,
  trigger,
} from '../../../test/support/sandbox-fixture.ts'
import { times } from '../../../test/support/long-form.ts'
import type { Card, LocationStatus } from '../../shared/service/resources.ts'
import { isQualifiedEvent, shownEventTypes } from '../../shared/service/event-type.ts'
import { memoryStorage } from './records.ts'
import { guessEvents } from '../../shared/service/payload.ts'

sandboxForEachTest()

function everyPath(data: unknown, before = ''): string[] {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return []
  return Object.entries(data).flatMap(([name, value]) => [
    `${before}${name}`,
    ...everyPath(value, `${before}${name}.`),
  ])
}

describe('each event in the spec', () => {
  test.each(shownEventTypes)(
    '%s arrives signed, and its payload passes its schema, with several seeds',
    async (event) => {
      const mode = event === 'program.status' ? 'live' : 'test'
      await hooks(mode)
      for (let seed = 0; seed < times(3, 10); seed++) {
        const { sent } = await trigger({ event, environment: `sandbox-${mode}`, seed })
        expect(namesOf(sent)).toContain(event)
        for (const { call } of sent) {
          expect(hasValidSignature(call)).toBe(true)
          expect(guessEvents(call.body)).toContain(call.path.slice(1))
        }
      }
    },
  )

  test.each(shownEventTypes)(
    '%s: the same seed gives the same payloads in another sandbox, another seed different ones',
    async (event) => {
      const environment = event === 'program.status' ? 'sandbox-live' : 'sandbox-test'
      const bodies: string[][] = []
      for (const seed of [7, 7, 8]) {
        await sandbox.close()
        await startAgain(memoryStorage())
        await hooks(environment === 'sandbox-live' ? 'live' : 'test')
        bodies.push(
          (await trigger({ event, environment, seed })).sent.map(({ call }) =>
            call.body.toString(),
          ),
        )
      }
      expect(bodies[1]).toEqual(bodies[0])
      // A program's status is about the existing program: nothing is generated.
      if (event !== 'program.status') expect(bodies[2]).not.toEqual(bodies[0])
    },
  )

  test.each(shownEventTypes)(
    '%s with a strange field value is sent with it or rejected as a typo, and never fails',
    async (event) => {
      const environment = event === 'program.status' ? 'sandbox-live' : 'sandbox-test'
      await hooks(environment === 'sandbox-live' ? 'live' : 'test')
      const { events } = await sandbox.preview({ event, environment, seed: 1 })
      for (const path of everyPath(events[0]?.payload))
        for (const odd of [null, 'odd', { odd: true }]) {
          const sent = await sandbox
            .preview({ event, environment, seed: 1, set: { [path]: odd } })
            .catch((error: unknown) => error)
          expect([path, sent]).toEqual([
            path,
            expect.objectContaining(
              sent instanceof Error ? { code: 'INVALID_INPUT' } : { seed: 1 },
            ),
          ])
        }
    },
  )

  test('an object of a payload can be sent as null; the stored object keeps it', async () => {
    await hooks('test')
    const { sent, objects } = await trigger(
      { event: 'transaction.auth', seed: 1, set: { card: null, amount: 7 } },
      true,
    )
    expect(sent.map(({ payload }) => [payload.card, payload.amount])).toEqual(
      sent.map(() => [null, 7]),
    )
    const [kept] = sandbox.objects.list({ kind: 'transaction' })
    expect(kept?.data).toMatchObject({
      id: objects['transaction'],
      amount: 7,
      card: { id: objects['card'] },
    })
  })

  test.each(['marketplace.offer.live', 'credits.balance.low', 'no.such'])(
    "%s can't be sent, with the reason",
    async (event) => {
      await expect(sandbox.trigger({ event })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining(event),
      })
    },
  )
})

describe('locations and programs', () => {
  test('only in live mode can a scheme fail', async () => {
    await hooks('live')
    const set = { scheme: 'amex', status: 'location.failed' }
    const environment = 'sandbox-live'
    const { sent } = await trigger<LocationStatus>({ event: 'location.status', environment, set })
    expect(sent[0]?.payload).toMatchObject({ ...set, location: { live: true } })
    await expect(sandbox.trigger({ event: 'location.status', set })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
  })

  test('program.status is live only, and the error says so', async () => {
    await hooks('test')
    await expect(
      sandbox.trigger({ event: 'program.status', environment: 'sandbox-test' }),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('live mode only'),
    })
    expect(endpoint.calls).toHaveLength(0)
  })
})

test('observed nulls and gaps are sent only on request, and never instead of a field that was set', async () => {
  await hooks('test')
  const sentBy = async (observed: boolean) =>
    (
      await trigger(
        { event: 'transaction.refund', seed: 3, observed, set: { authCode: 'A1' } },
        true,
      )
    ).sent.find(({ event }) => event === 'transaction.refund')?.payload
  expect(await sentBy(false)).toMatchObject({
    approvalCode: expect.any(String),
    offer: null,
  })
  const payload = await sentBy(true)
  expect(payload).toMatchObject({ approvalCode: null, authCode: 'A1', cardPresent: null })
  expect(payload).not.toHaveProperty('offer')
  expect(payload?.identifiers).not.toHaveProperty('amexApprovalCode')
})

describe('omitted fields', () => {
  test('are missing from all payloads of the resource, but not from the stored object', async () => {
    await hooks('test')
    const { sent, objects } = await trigger(
      { event: 'transaction.refund', seed: 3, unset: ['card.scheme', 'offer.cashback', 'brand'] },
      true,
    )
    expect(namesOf(sent)).toContain('transaction.refund.qualified')
    for (const { event, payload } of sent) {
      expect(payload.card).not.toHaveProperty('scheme')
      expect(payload).not.toHaveProperty('brand')
      if (isQualifiedEvent(event)) expect(payload.offer).not.toHaveProperty('cashback')
      else expect(payload.offer).toBeNull()
    }
    const [kept] = sandbox.objects.list({ kind: 'transaction' })
    expect(kept?.data).toMatchObject({
      id: objects['transaction'],
      card: { scheme: expect.any(String) },
    })
  })

  test('that no payload has are rejected as a typo, and nothing is sent', async () => {
    await hooks('test')
    for (const unset of [
      ['no.such'],
      ['card.scheme', 'card.scheme'],
      ['identifiers.MID.x'],
      ['__proto__'],
    ])
      await expect(sandbox.trigger({ event: 'transaction.auth', unset })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining(`\`${unset.at(-1) ?? ''}\``),
      })
    expect([endpoint.calls, sandbox.objects.list({ kind: 'transaction' })]).toEqual([[], []])
  })

  test('accompanying events stay complete; unknown fields can be added', async () => {
    await hooks('live')
    const input = {
      event: 'location.status',
      environment: 'sandbox-live',
      unset: ['location.id', 'name'],
      set: { new: { at: 1 }, name: 'x' },
    }
    const { sent } = await trigger<LocationStatus>(input, true)
    const { payload: report } = sent[0] ?? {}
    expect(report).toMatchObject({ new: { at: 1 } })
    expect(report?.location).not.toHaveProperty('id')
    expect(sent.find(({ event }) => event === 'program.status')?.payload).toHaveProperty('name')
  })
})

describe('programs and hooks', () => {
  test('a hook with a program receives events for that program only', async () => {
    const other = '7d7e0d0e-6f1c-4c8e-9f5b-0d6f7f3d9a01'
    await register('one', { event: 'card.linked', programId: OFFER })
    await register('two', { event: 'card.linked', programId: other })
    const result = await sandbox.trigger({ event: 'card.linked', programId: other })
    expect(result.objects['program']).toBe(other)
    expect(endpoint.calls.map(({ path }) => path)).toEqual(['/two'])
    expect((JSON.parse(endpoint.calls[0]?.body.toString() ?? '') as Card).programId).toBe(other)
  })

  test('a brand hook needs no program, and receives brand events for any program', async () => {
    await register('b', { event: 'brand.consent' })
    const { object: other } = await sandbox.objects.create({ kind: 'program' })
    for (const programId of [undefined, other.id])
      await sandbox.trigger({ event: 'brand.consent', programId })
    expect(endpoint.calls.map(({ path }) => path)).toEqual(['/b', '/b'])
  })

  test('every URL of an event receives it, all ten, and one registered twice receives it twice', async () => {
    for (let number = 1; number <= 9; number++)
      await register(String(number), { event: 'card.linked' })
    await register('10', { event: 'card.linked', url: `${endpoint.origin}/9` })
    await sandbox.trigger({ event: 'card.linked' })
    expect(endpoint.calls.map(({ path }) => path).toSorted()).toEqual(
      ['1', '2', '3', '4', '5', '6', '7', '8', '9', '9'].map((path) => `/${path}`),
    )
    expect(new Set(endpoint.calls.map(({ body }) => body.toString())).size).toBe(1)
    for (const call of endpoint.calls) expect(hasValidSignature(call)).toBe(true)
  })

  test('a removed hook gets no further attempts', async () => {
    answerWith(500)
    await hooks('test', ['card.linked'])
    await sandbox.trigger({ event: 'card.linked' })
    await clock.sleeping()
    await sandbox.removeHook('test card.linked')
    expect(clock.waits()).toEqual([])
    expect(sandbox.notifications()).toMatchObject([
      { state: 'failed', attempts: [{ status: 500 }] },
    ])
    await expect(sandbox.trigger({ event: 'card.linked' })).rejects.toMatchObject({
      code: 'NO_HOOK',
    })
  })
})
