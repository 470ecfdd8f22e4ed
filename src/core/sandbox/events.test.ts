import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest'
import { startEndpoint, type Endpoint, type ReceivedCall } from '../../../test/support/https-endpoint.ts'
import { createManualClock, type ManualClock } from '../../../test/support/manual-clock.ts'
import { bugs, startTestSandbox } from '../../../test/support/test-sandbox.ts'
import { makeTestTls, type TestTls } from '../../../test/support/tls.ts'
import type { Card } from '../../shared/service/card.ts'
import { shownEventTypes } from '../../shared/service/event-type.ts'
import type { LocationStatus } from '../../shared/service/location.ts'
import { checkPayload, guessEvents } from '../../shared/service/payload.ts'
import type { Transaction } from '../../shared/service/transaction.ts'
import type { Sandbox } from './sandbox.ts'
import type { TriggerInput } from './trigger.ts'

const OFFER = '6d7e0d0e-6f1c-4c8e-9f5b-0d6f7f3d9a01'
const SECRET = 'the secret of every hook here'

let tls: TestTls
let clock: ManualClock
let sandbox: Sandbox
let endpoint: Endpoint
let status = 200

beforeAll(async () => {
  tls = await makeTestTls()
})
afterAll(() => {
  expect(bugs).toEqual([])
})
beforeEach(async () => {
  clock = createManualClock()
  sandbox = await startTestSandbox(tls, { clock })
  status = 200
  endpoint = await startEndpoint(tls.leaf, () => status)
})
afterEach(async () => {
  await sandbox.close()
  await endpoint.close()
})

/** A hook for each event, whose URL ends with the event's name. */
async function hooks(mode: 'test' | 'live', events: readonly string[] = shownEventTypes): Promise<void> {
  for (const event of events) {
    await sandbox.registerHook({ id: `${mode} ${event}`, event, url: `${endpoint.origin}/${event}`, secret: SECRET, mode })
  }
}

interface Sent<T = Transaction> {
  readonly event: string
  readonly payload: T
  readonly call: ReceivedCall
}

/** Triggers, and gives what came, in the order in which it came. Everything that comes is right in its schema. */
async function trigger<T = Transaction>(
  input: TriggerInput,
  wrong = false,
): Promise<{ sent: Sent<T>[]; objects: Record<string, string> }> {
  const before = endpoint.calls.length
  const { objects } = await sandbox.trigger(input)
  const sent = endpoint.calls.slice(before).map((call) => {
    const event = call.path.slice(1)
    if (!wrong) expect([event, checkPayload(event, call.body)]).toEqual([event, { outcome: 'ok', failures: [], findings: [] }])
    return { event, payload: JSON.parse(call.body.toString()) as T, call }
  })
  return { sent, objects }
}

function firstOf(sent: readonly Sent[]): Sent {
  const [first] = sent
  if (first === undefined) throw new Error('nothing was sent')
  return first
}

function namesOf(sent: readonly Sent<unknown>[]): string[] {
  return sent.map(({ event }) => event)
}

function isGenuine({ body, path, headers }: ReceivedCall, secret = SECRET): boolean {
  const hmac = (data: Buffer | string) => createHmac('sha256', secret).update(data).digest('base64')
  const text = Buffer.concat([body, Buffer.from(`${endpoint.origin}${path}`), Buffer.from(headers['x-service-timestamp'] ?? '')])
  return hmac(hmac(text)) === headers['x-service-signature']
}

describe('each event of the interface', () => {
  test.each(shownEventTypes)('%s arrives signed, and its payload passes its schema; with ten seeds', async (event) => {
    const mode = event === 'program.status' ? 'live' : 'test'
    await hooks(mode)
    for (let seed = 0; seed < 10; seed++) {
      const { sent } = await trigger({ event, environment: `sandbox-${mode}`, seed })
      expect(namesOf(sent)).toContain(event)
      for (const { call } of sent) {
        expect(isGenuine(call)).toBe(true)
        expect(guessEvents(call.body)).toContain(call.path.slice(1))
      }
    }
  })

  test.each(['marketplace.offer.live', 'credits.balance.low', 'no.such'])(
    '%s cannot be sent, and the reason is told',
    async (event) => {
      await expect(sandbox.trigger({ event })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining(event) as string,
      })
    },
  )
})

describe('locations and programs', () => {
  test('in test a new location is reported three times, once a scheme, each active', async () => {
    await hooks('test')
    const { sent } = await trigger<LocationStatus>({ event: 'location.status' })
    expect(sent.map(({ payload }) => [payload.scheme, payload.status])).toEqual([
      ['visa', 'location.active'],
      ['mastercard', 'location.active'],
      ['amex', 'location.active'],
    ])
    expect(new Set(sent.map(({ payload }) => payload.location.id)).size).toBe(1)
  })

  test('in live a scheme can fail, and the location shows it', async () => {
    await hooks('live')
    const set = { scheme: 'amex', status: 'location.failed' }
    const { sent } = await trigger<LocationStatus>({ event: 'location.status', environment: 'sandbox-live', set })
    // The update of a location is what program.status is sent for, in live.
    expect(namesOf(sent)).toEqual(['location.status', 'program.status'])
    expect(sent[0]?.payload).toMatchObject({ ...set, location: { live: true, amex: { status: 'inactive', auth: false } } })
    await expect(sandbox.trigger({ event: 'location.status', set })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  test('program.status is live only, and the refusal says so', async () => {
    await hooks('test')
    await expect(sandbox.trigger({ event: 'program.status', environment: 'sandbox-test' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('live mode only') as string,
    })
    expect(endpoint.calls).toHaveLength(0)
  })
})

describe('purchases', () => {
  test('a clearing keeps the id and the particulars of its auth', async () => {
    await hooks('test')
    const auth = await trigger({ event: 'transaction.auth', seed: 3, set: { amount: 99.5 } })
    await clock.advance(40 * 3_600_000)
    const { sent } = await trigger({ event: 'transaction.clearing', of: auth.objects['transaction'] ?? '' })
    const before = auth.sent[0]?.payload
    expect(sent).toHaveLength(1)
    expect(sent[0]?.payload).toEqual({ ...before, cleared: true, updated: new Date(clock.now()).toISOString() })
    await expect(sandbox.trigger({ event: 'transaction.clearing', of: auth.objects['transaction'] ?? '' })).rejects.toMatchObject(
      {
        message: expect.stringContaining('already cleared') as string,
      },
    )
  })

  test('without a name a clearing settles the latest open purchase, and with the seed of an auth that auth', async () => {
    await hooks('test')
    const one = await trigger({ event: 'transaction.auth', seed: 1 })
    await clock.advance(1_000)
    const two = await trigger({ event: 'transaction.auth', seed: 2 })
    expect((await trigger({ event: 'transaction.clearing', seed: 1 })).objects['transaction']).toBe(one.objects['transaction'])
    expect((await trigger({ event: 'transaction.clearing' })).objects['transaction']).toBe(two.objects['transaction'])
  })

  test('a clearing with nothing to settle is of a purchase 48 to 72 hours ago', async () => {
    await hooks('test')
    const { sent } = await trigger({ event: 'transaction.clearing', seed: 5 })
    const hours = (clock.now() - Date.parse(sent[0]?.payload.created ?? '')) / 3_600_000
    expect(hours).toBeGreaterThanOrEqual(48)
    expect(hours).toBeLessThanOrEqual(72)
  })

  test('only the identifiers of the card’s scheme are set; place, currency and time zone agree', async () => {
    await hooks('test')
    const schemes = new Set<string>()
    for (let seed = 0; seed < 20; seed++) {
      const { sent } = await trigger({ event: 'transaction.auth', seed })
      const { payload } = firstOf(sent)
      schemes.add(payload.card.scheme)
      const set = Object.entries(payload.identifiers).flatMap(([name, value]) => (value === null || name === 'MID' ? [] : [name]))
      expect(set.length).toBeGreaterThan(0)
      for (const name of set) expect(name.startsWith(payload.card.scheme)).toBe(true)
      const currencies = { GBR: 'GBP', IRL: 'EUR', DEU: 'EUR', SWE: 'SEK', USA: 'USD', CAN: 'CAD', AUS: 'AUD', JPN: 'JPY' }
      expect(payload.currency).toBe(currencies[payload.location.countryCode as keyof typeof currencies])
      expect(Number(payload.amount.toFixed(payload.currency === 'JPY' ? 0 : 2))).toBe(payload.amount)
    }
    expect([...schemes].sort()).toEqual(['mastercard', 'visa'])
  })

  test('a purchase can be of a card or a location', async () => {
    await hooks('test')
    for (let seed = 0; seed < 5; seed++) {
      const { objects: some } = await trigger({ event: 'transaction.auth', seed })
      const other = { event: 'transaction.auth', seed: seed + 100 }
      expect((await trigger({ ...other, of: some['card'] })).objects['card']).toBe(some['card'])
      expect((await trigger({ ...other, of: some['location'] })).objects['location']).toBe(some['location'])
    }
    await expect(sandbox.trigger({ event: 'transaction.auth', of: OFFER })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('there is no auth where the scheme is not enabled for it', async () => {
    await hooks('live')
    await trigger({ event: 'location.status', environment: 'sandbox-live', set: { status: 'location.failed' }, seed: 1 })
    const { sent: reports } = await trigger<LocationStatus>({
      event: 'location.status',
      environment: 'sandbox-live',
      set: { status: 'location.failed' },
      seed: 2,
    })
    const failed = reports[0]?.payload.location.id
    for (let seed = 0; seed < 30; seed++) {
      const { sent } = await trigger({ event: 'transaction.auth', environment: 'sandbox-live', seed })
      expect(sent[0]?.payload.location.id).not.toBe(failed)
    }
  })

  test('fields can be set, new ones too; what the interface does not allow is sent as it is asked for', async () => {
    await hooks('test')
    const { sent } = await trigger(
      { event: 'transaction.auth', set: { 'card.metadata': { tier: 'gold' }, amount: 'ten', 'brand.new': 1 } },
      true,
    )
    expect(sent[0]?.payload).toMatchObject({ amount: 'ten', card: { metadata: { tier: 'gold' } }, brand: { new: 1 } })
    await expect(sandbox.trigger({ event: 'transaction.auth', set: { 'no.such': 1 } })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
  })
})

describe('refunds', () => {
  test('matched: refund and clearing, negative, auth false, with the purchase named', async () => {
    await hooks('test')
    const auth = await trigger({ event: 'transaction.auth', seed: 3 })
    const original = firstOf(auth.sent)
    const { sent, objects } = await trigger({ event: 'transaction.refund', of: original.payload.id })
    expect(namesOf(sent)).toEqual(['transaction.refund', 'transaction.clearing'])
    for (const { payload } of sent) {
      expect(payload).toMatchObject({
        auth: false,
        cleared: true,
        amount: -original.payload.amount,
        originalTransactionId: original.payload.id,
      })
      expect(payload.id).not.toBe(original.payload.id)
    }
    expect(objects).toMatchObject({ transaction: sent[0]?.payload.id, originalTransaction: original.payload.id })
  })

  test('unmatched: both events all the same, without the purchase', async () => {
    await hooks('test')
    const { sent } = await trigger({ event: 'transaction.refund' })
    expect(namesOf(sent)).toEqual(['transaction.refund', 'transaction.clearing'])
    for (const { payload } of sent) {
      expect(payload.amount).toBeLessThan(0)
      expect(payload).not.toHaveProperty('originalTransactionId')
    }
  })

  test('a refund of a part is not matched', async () => {
    await hooks('test')
    const auth = await trigger({ event: 'transaction.auth', set: { amount: 10 } })
    const { sent } = await trigger({ event: 'transaction.refund', of: auth.objects['transaction'] ?? '', set: { amount: -4 } })
    expect(sent[0]?.payload.amount).toBe(-4)
    expect(sent[0]?.payload).not.toHaveProperty('originalTransactionId')
  })

  test('a refund cannot be refunded, and an unknown purchase is not found', async () => {
    await hooks('test')
    const refund = await trigger({ event: 'transaction.refund' })
    const of = refund.objects['transaction'] ?? ''
    await expect(sandbox.trigger({ event: 'transaction.refund', of })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(sandbox.trigger({ event: 'transaction.refund', of: OFFER })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await hooks('live')
    await expect(sandbox.trigger({ event: 'transaction.refund', of, environment: 'sandbox-live' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})

describe('offers', () => {
  test('a qualifying purchase sends the plain event without, and its twin with the offer', async () => {
    await hooks('test')
    const { sent } = await trigger({ event: 'transaction.auth.qualified', set: { amount: 100, 'offer.message': ['note'] } })
    expect(namesOf(sent)).toEqual(['transaction.auth', 'transaction.auth.qualified'])
    expect(sent[0]?.payload.offer).toBeNull()
    expect(sent[1]?.payload.offer).toMatchObject({ qualified: true, message: ['note'] })
    expect({ ...sent[1]?.payload, offer: null }).toEqual(sent[0]?.payload)
    const clearing = await trigger({ event: 'transaction.clearing.qualified', of: sent[0]?.payload.id ?? '' })
    expect(namesOf(clearing.sent)).toEqual(['transaction.clearing', 'transaction.clearing.qualified'])
    expect(clearing.sent[1]?.payload.offer?.id).toBe(sent[1]?.payload.offer?.id)
    const refund = await trigger({ event: 'transaction.refund.qualified', of: sent[0]?.payload.id ?? '' })
    expect(namesOf(refund.sent)).toEqual(['transaction.refund', 'transaction.clearing', 'transaction.refund.qualified'])
    expect(refund.sent[2]?.payload.offer?.cashback).toBe(-(sent[1]?.payload.offer?.cashback ?? 0))
  })

  test('a hook with an offer hears of that offer only', async () => {
    const register = (id: string, offerId: string | null) =>
      sandbox.registerHook({
        id,
        event: 'transaction.auth.qualified',
        url: `${endpoint.origin}/${id}`,
        secret: SECRET,
        mode: 'test',
        offerId,
      })
    await register('any', null)
    const first = await sandbox.trigger({ event: 'transaction.auth.qualified', seed: 1 })
    expect(endpoint.calls.map(({ path }) => path)).toEqual(['/any'])
    await register('mine', OFFER)
    await register('theirs', '7d7e0d0e-6f1c-4c8e-9f5b-0d6f7f3d9a01')
    const second = await sandbox.trigger({ event: 'transaction.auth.qualified', seed: 1 })
    expect(
      endpoint.calls
        .slice(1)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['/any', '/mine'])
    expect(second.objects['offer']).toBe(OFFER)
    expect(first.objects['offer']).not.toBe(OFFER)
  })
})

describe('programs and hooks', () => {
  test('a hook that names a program hears of that program only', async () => {
    const register = (id: string, programId: string) =>
      sandbox.registerHook({ id, event: 'card.linked', url: `${endpoint.origin}/${id}`, secret: SECRET, mode: 'test', programId })
    const other = '7d7e0d0e-6f1c-4c8e-9f5b-0d6f7f3d9a01'
    await register('one', OFFER)
    await register('two', other)
    const result = await sandbox.trigger({ event: 'card.linked', programId: other })
    expect(result.objects['program']).toBe(other)
    expect(endpoint.calls.map(({ path }) => path)).toEqual(['/two'])
    expect((JSON.parse(endpoint.calls[0]?.body.toString() ?? '') as Card).programId).toBe(other)
    await expect(
      sandbox.registerHook({
        id: 'x',
        event: 'card.linked',
        url: 'https://a.example',
        secret: 's',
        mode: 'live',
        programId: other,
      }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('a removed hook gets no further attempts', async () => {
    status = 500
    await hooks('test', ['card.linked'])
    await sandbox.trigger({ event: 'card.linked' })
    await clock.sleeping()
    await sandbox.removeHook('test card.linked')
    expect(clock.waits()).toEqual([])
    expect(sandbox.notifications()).toMatchObject([{ state: 'failed', attempts: [{ status: 500 }] }])
    await expect(sandbox.trigger({ event: 'card.linked' })).rejects.toMatchObject({ code: 'NO_HOOK' })
  })
})

describe('faults', () => {
  test.each([
    ['wrong-secret', false],
    ['single-pass', false],
    ['altered-body', false],
    ['stale', true],
    ['late', true],
    ['duplicate', true],
  ] as const)('%s: the signature is genuine: %s', async (fault, genuine) => {
    await hooks('test')
    const { sent } = await trigger({ event: 'transaction.auth', fault, seed: 1 })
    for (const { call } of sent) expect(isGenuine(call)).toBe(genuine)
    const age = clock.now() - Number(sent[0]?.call.headers['x-service-timestamp'])
    expect(age).toBe(fault === 'stale' ? 600_000 : 0)
    const late = clock.now() - Date.parse(sent[0]?.payload.created ?? '')
    expect(late).toBe(fault === 'late' ? 86_400_000 : 0)
    expect(sent).toHaveLength(fault === 'duplicate' ? 2 : 1)
    if (fault === 'duplicate') expect(sent[1]?.call.body.equals(sent[0]?.call.body ?? Buffer.alloc(0))).toBe(true)
  })

  test('wrong-secret, single-pass and altered-body are each what they say', async () => {
    await hooks('test')
    const only = async (fault: 'single-pass' | 'altered-body' | 'wrong-secret') =>
      firstOf((await trigger({ event: 'transaction.auth', fault, seed: 1 })).sent)
    const { call } = await only('single-pass')
    const text = Buffer.concat([
      call.body,
      Buffer.from(`${endpoint.origin}${call.path}`),
      Buffer.from(call.headers['x-service-timestamp'] ?? ''),
    ])
    expect(call.headers['x-service-signature']).toBe(createHmac('sha256', SECRET).update(text).digest('base64'))
    const altered = (await only('altered-body')).call
    const right = firstOf((await trigger({ event: 'transaction.auth', seed: 1 })).sent)
    expect(altered.body).toHaveLength(right.call.body.length)
    expect(isGenuine({ ...altered, body: right.call.body })).toBe(true)
    expect(isGenuine((await only('wrong-secret')).call, 'not-the-secret-of-this-hook')).toBe(true)
  })

  test('out-of-order: the clearing arrives before its auth', async () => {
    await hooks('test')
    const { sent } = await trigger({ event: 'transaction.auth', fault: 'out-of-order' })
    expect(sent.map(({ event, payload }) => [event, payload.cleared])).toEqual([
      ['transaction.clearing', true],
      ['transaction.auth', false],
    ])
    expect(sent[0]?.payload.id).toBe(sent[1]?.payload.id)
  })

  test('out-of-order takes two deliveries', async () => {
    await hooks('test', ['transaction.auth', 'card.linked'])
    await expect(sandbox.trigger({ event: 'transaction.auth', fault: 'out-of-order' })).rejects.toMatchObject({ code: 'NO_HOOK' })
    await expect(sandbox.trigger({ event: 'card.linked', fault: 'out-of-order' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
  })

  test('a duplicate follows when a later attempt is acknowledged', async () => {
    await hooks('test', ['card.linked'])
    status = 503
    await sandbox.trigger({ event: 'card.linked', fault: 'duplicate' })
    expect(endpoint.calls).toHaveLength(1)
    status = 200
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

test('a handler that fails twice gets three attempts of one notification, at 0:00, 1:00 and 3:00', async () => {
  const starts: number[] = []
  const start = clock.now()
  await hooks('test', ['card.linked'])
  status = 500
  await sandbox.trigger({ event: 'card.linked' })
  await clock.sleeping()
  expect(clock.waits()).toEqual([60_000])
  await clock.advance(60_000)
  await endpoint.received(2)
  await clock.sleeping()
  expect(clock.waits()).toEqual([120_000])
  status = 200
  await clock.advance(120_000)
  await endpoint.received(3)
  await expect.poll(() => sandbox.notifications()[0]?.state).toBe('acknowledged')
  for (const { headers } of endpoint.calls) starts.push(Number(headers['x-service-timestamp']) - start)
  expect(starts).toEqual([0, 60_000, 180_000])
  expect(sandbox.notifications()).toHaveLength(1)
  for (const call of endpoint.calls) expect(isGenuine(call)).toBe(true)
})
