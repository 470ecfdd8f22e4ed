import { beforeEach, describe, expect, test } from 'vitest'
import {
  OFFER,
  register,
  clock,
  endpoint,
  hooks,
  namesOf,
  sandbox,
  sandboxForEachTest,
  trigger,
} from '../../../test/support/sandbox-fixture.ts'

const DAY = 86_400_000
const OTHER_OFFER = '7d7e0d0e-6f1c-4c8e-9f5b-0d6f7f3d9a01'

sandboxForEachTest()

async function offer(set: Record<string, unknown>): Promise<void> {
  const [own] = sandbox.objects.list({ environment: 'sandbox-test', kind: 'offer' })
  await sandbox.objects.update({ id: own?.id ?? '', set })
}

function at(ms: number): string {
  return new Date(clock.now() + ms).toISOString()
}

function names(
  event: string,
  input: { of?: string | undefined; set?: Record<string, unknown> } = {},
): Promise<string[]> {
  return trigger({ event, ...input }).then(({ sent }) => namesOf(sent))
}

const PURCHASE = ['transaction.auth', 'transaction.auth.qualified']
const CLEARING = ['transaction.clearing', 'transaction.clearing.qualified']
const REFUND = ['transaction.refund', 'transaction.clearing']

describe('a purchase', () => {
  beforeEach(() => hooks('test'))

  test('that qualifies sends the plain event without the offer, then the .qualified event with it, whichever is triggered', async () => {
    for (const event of PURCHASE) {
      const { sent, objects } = await trigger({
        event,
        set: { amount: 100, 'offer.message': ['note'] },
      })
      expect(namesOf(sent)).toEqual(PURCHASE)
      expect(sent[0]?.payload.offer).toBeNull()
      expect(sent[1]?.payload.offer).toMatchObject({
        qualified: true,
        id: objects['offer'],
        message: ['note'],
      })
      expect({ ...sent[1]?.payload, offer: null }).toEqual(sent[0]?.payload)
    }
  })

  test.each([
    ['of too small an amount', { minimumAmount: 20 }, 'at least 20'],
    ['before the offer', { startsAt: '2999-01-01T00:00:00Z' }, 'starts at 2999'],
    ['after the offer', { endsAt: '2001-01-01T00:00:00Z' }, 'ended at 2001'],
  ])(
    '%s sends only the plain event; triggering .qualified is rejected with the reason',
    async (_, set, reason) => {
      await offer(set)
      expect(await names('transaction.auth', { set: { amount: 19.99 } })).toEqual([
        'transaction.auth',
      ])
      expect(await names('transaction.clearing', { set: { amount: 19.99 } })).toEqual([
        'transaction.clearing',
      ])
      for (const event of ['transaction.auth.qualified', 'transaction.clearing.qualified']) {
        await expect(sandbox.trigger({ event, set: { amount: 19.99 } })).rejects.toMatchObject({
          code: 'SANDBOX_STATE',
          message: expect.stringContaining(reason),
        })
      }
    },
  )

  test.each([
    ['EUR', /^\d+\.\d\d?$/],
    ['KRW', /^\d+$/],
  ])("in %s has a cashback of the currency's digits", async (currency, written) => {
    const { sent } = await trigger({ event: 'transaction.auth', set: { amount: 1234.5, currency } })
    expect(String(sent[1]?.payload.offer?.cashback)).toMatch(written)
  })

  test('at the ends of the period and at the minimum amount qualifies', async () => {
    await offer({ startsAt: at(0), endsAt: at(0), minimumAmount: 20 })
    expect(await names('transaction.auth', { set: { amount: 20 } })).toEqual(PURCHASE)
  })

  test('is decided by payment time: its clearing qualifies after the offer has ended', async () => {
    const { objects } = await trigger({ event: 'transaction.auth' })
    await offer({ endsAt: at(1_000) })
    await clock.advance(2_000)
    expect(await names('transaction.auth')).toEqual(['transaction.auth'])
    expect(await names('transaction.clearing', { of: objects['transaction'] })).toEqual(CLEARING)
  })

  test("that didn't qualify does so at its clearing if the rules changed in between", async () => {
    await offer({ minimumAmount: 1e9 })
    const { objects } = await trigger({ event: 'transaction.auth' })
    expect(objects).not.toHaveProperty('offer')
    await offer({ minimumAmount: 0 })
    expect(await names('transaction.clearing', { of: objects['transaction'] })).toEqual(CLEARING)
  })

  test('with invalid fields is sent as requested', async () => {
    const { sent } = await trigger(
      { event: 'transaction.auth.qualified', set: { amount: 'ten' } },
      true,
    )
    expect(sent[1]?.payload).toMatchObject({
      amount: 'ten',
      offer: { cashback: 0, performanceFee: 0 },
    })
  })
})

describe('a refund', () => {
  beforeEach(() => hooks('test'))

  test("of a purchase that didn't qualify doesn't either, even if its offer would accept it now", async () => {
    await offer({ minimumAmount: 1e9 })
    const { objects } = await trigger({ event: 'transaction.auth' })
    await offer({ minimumAmount: 0 })
    const of = objects['transaction']
    expect(await names('transaction.refund', { of })).toEqual(REFUND)
    await expect(
      sandbox.trigger({ event: 'transaction.refund.qualified', of }),
    ).rejects.toMatchObject({
      code: 'SANDBOX_STATE',
      message: expect.stringContaining("didn't qualify"),
    })
  })

  test('without a match is decided by its own time and amount', async () => {
    expect(await names('transaction.refund')).toEqual([...REFUND, 'transaction.refund.qualified'])
    await offer({ minimumAmount: 20 })
    expect(await names('transaction.refund', { set: { amount: -19.99 } })).toEqual(REFUND)
    expect(await names('transaction.refund', { set: { amount: -20 } })).toEqual([
      ...REFUND,
      'transaction.refund.qualified',
    ])
    await offer({ endsAt: at(-1_000) })
    expect(await names('transaction.refund', { set: { amount: -20 } })).toEqual(REFUND)
  })

  test("of a partial amount isn't matched, so the offer's end counts", async () => {
    const { objects } = await trigger({ event: 'transaction.auth', set: { amount: 10 } })
    await offer({ endsAt: at(1_000) })
    await clock.advance(2_000)
    expect(
      await names('transaction.refund', { of: objects['transaction'], set: { amount: -4 } }),
    ).toEqual(REFUND)
  })
})

describe('hooks with an offer', () => {
  const event = 'transaction.auth.qualified'
  const reached = async (event: string, seed: number) => {
    const before = endpoint.calls.length
    const { objects } = await sandbox.trigger({ event, seed })
    const paths = endpoint.calls.slice(before).map(({ path }) => path)
    return { paths: paths.toSorted(), offer: objects['offer'] }
  }

  test("receive nothing if their offer doesn't match the purchase; the next one does", async () => {
    await register('mine', { event, offerId: OFFER })
    await register('theirs', { event, offerId: OTHER_OFFER })
    await sandbox.objects.update({ id: OFFER, set: { endsAt: at(-DAY) } })
    expect(await reached('transaction.auth', 1)).toEqual({ paths: ['/theirs'], offer: OTHER_OFFER })
  })

  test("of another program aren't affected", async () => {
    const { object: other } = await sandbox.objects.create({ kind: 'program' })
    await register('elsewhere', { event, offerId: OFFER, programId: other.id })
    const programId = sandbox.objects.list({ kind: 'program' })[0]?.id
    await register('plain', { event: 'transaction.auth', programId })
    const here = await reached('transaction.auth', 1)
    expect(here.paths).toEqual(['/plain'])
    expect(here.offer).not.toBe(OFFER)
  })

  test('decide the program of a plain event if it has no hook itself', async () => {
    const { object: other } = await sandbox.objects.create({ kind: 'program' })
    await register('elsewhere', { event, offerId: OFFER, programId: other.id })
    expect(await reached('transaction.auth', 1)).toEqual({ paths: ['/elsewhere'], offer: OFFER })
  })
})
