import { describe, expect, test } from 'vitest'
import {
  OFFER,
  clock,
  firstOf,
  hooks,
  namesOf,
  plainEvents,
  sandbox,
  trigger,
  sandboxForEachTest,
} from '../../../test/support/sandbox-fixture.ts'
import { times } from '../../../test/support/long-form.ts'

sandboxForEachTest()

describe('purchases', () => {
  test("a clearing keeps its auth's id and details", async () => {
    await hooks('test', plainEvents)
    const auth = await trigger({ event: 'transaction.auth', seed: 3, set: { amount: 99.5 } })
    await clock.advance(40 * 3_600_000)
    const { sent } = await trigger({
      event: 'transaction.clearing',
      of: auth.objects['transaction'] ?? '',
    })
    const before = auth.sent[0]?.payload
    expect(sent).toHaveLength(1)
    expect(sent[0]?.payload).toEqual({
      ...before,
      cleared: true,
      updated: new Date(clock.now()).toISOString(),
    })
    await expect(
      sandbox.trigger({ event: 'transaction.clearing', of: auth.objects['transaction'] ?? '' }),
    ).rejects.toMatchObject({
      message: expect.stringContaining('already cleared'),
    })
  })

  test("without a name a clearing settles the latest pending purchase, and with an auth's seed that auth", async () => {
    await hooks('test')
    const one = await trigger({ event: 'transaction.auth', seed: 1 })
    await clock.advance(1_000)
    const two = await trigger({ event: 'transaction.auth', seed: 2 })
    expect((await trigger({ event: 'transaction.clearing' })).objects['transaction']).toBe(
      two.objects['transaction'],
    )
    await trigger({ event: 'transaction.auth', seed: 3 })
    const { sent } = await trigger({ event: 'transaction.clearing', seed: 1 })
    expect(firstOf(sent).payload.created).toBe(firstOf(one.sent).payload.created)
  })

  test('a clearing with nothing to settle is for a purchase 48 to 72 hours ago', async () => {
    await hooks('test')
    const { sent } = await trigger({ event: 'transaction.clearing', seed: 5 })
    const hours = (clock.now() - Date.parse(sent[0]?.payload.created ?? '')) / 3_600_000
    expect(hours).toBeGreaterThanOrEqual(48)
    expect(hours).toBeLessThanOrEqual(72)
  })

  test("only the card scheme's identifiers are set, and the amount has the currency's digits", async () => {
    await hooks('test')
    const schemes = new Set<string>()
    for (let seed = 0; seed < times(12, 20); seed++) {
      const { sent } = await trigger({ event: 'transaction.auth', seed })
      const { payload } = firstOf(sent)
      schemes.add(payload.card.scheme)
      const set = Object.entries(payload.identifiers).flatMap(([name, value]) =>
        value === null || name === 'MID' ? [] : [name],
      )
      expect(set.length).toBeGreaterThan(0)
      for (const name of set) expect(name.startsWith(payload.card.scheme)).toBe(true)
      expect(Number(payload.amount.toFixed(payload.currency === 'JPY' ? 0 : 2))).toBe(
        payload.amount,
      )
    }
    expect([...schemes].sort()).toEqual(['mastercard', 'visa'])
  })

  test('a purchase can be for a card or a location', async () => {
    await hooks('test')
    for (let seed = 0; seed < times(2, 5); seed++) {
      const { objects: some } = await trigger({ event: 'transaction.auth', seed })
      const other = { event: 'transaction.auth', seed: seed + 100 }
      expect((await trigger({ ...other, of: some['card'] })).objects['card']).toBe(some['card'])
      expect((await trigger({ ...other, of: some['location'] })).objects['location']).toBe(
        some['location'],
      )
    }
    await expect(sandbox.trigger({ event: 'transaction.auth', of: OFFER })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  test('if auth is off a purchase is still settled; if clearing is off neither is sent', async () => {
    await hooks('test', plainEvents)
    const locations = sandbox.objects.list({ environment: 'sandbox-test', kind: 'location' })
    const switchOff = async (flag: string) => {
      for (const { id } of locations)
        await sandbox.objects.update({
          id,
          set: { [`visa.${flag}`]: false, [`mastercard.${flag}`]: false },
        })
    }
    await switchOff('auth')
    await expect(sandbox.trigger({ event: 'transaction.auth' })).rejects.toMatchObject({
      code: 'SANDBOX_STATE',
    })
    expect(namesOf((await trigger({ event: 'transaction.clearing' })).sent)).toEqual([
      'transaction.clearing',
    ])
    await switchOff('clearing')
    await expect(sandbox.trigger({ event: 'transaction.clearing' })).rejects.toMatchObject({
      message: expect.stringContaining("transaction.clearing isn't sent"),
    })
  })

  test('metadata of card, brand and location is in each of their transactions', async () => {
    await hooks('test', plainEvents)
    const { objects } = await trigger({ event: 'transaction.auth', seed: 1 })
    for (const kind of ['card', 'brand', 'location']) {
      await sandbox.objects.update({ id: objects[kind] ?? '', set: { 'metadata.own': kind } })
    }
    const shown = {
      card: { metadata: { own: 'card' } },
      brand: { metadata: { own: 'brand' } },
      location: { metadata: { own: 'location' } },
    }
    const { sent } = await trigger({ event: 'transaction.auth', seed: 1 })
    expect(sent[0]?.payload).toMatchObject(shown)
    const refund = await trigger({ event: 'transaction.refund', of: objects['transaction'] })
    expect(refund.sent.map(({ payload }) => payload)).toMatchObject([shown, shown])
    // `trigger` checks that the objects' own events show no new field.
    await trigger({ event: 'card.linked', of: objects['card'] })
    await trigger({ event: 'brand.consent', of: objects['brand'] })
    await trigger({ event: 'location.status', of: objects['location'] })
    const { sent: edited } = await trigger({
      event: 'transaction.auth',
      set: { 'card.metadata.tier': 'gold', 'brand.metadata.a': 1 },
    })
    expect(edited[0]?.payload).toMatchObject({
      card: { metadata: { tier: 'gold' } },
      brand: { metadata: { a: 1 } },
    })
  })
})

describe('refunds', () => {
  test('the purchase is found by card, location, merchant id, amount and time, named or not', async () => {
    await hooks('test', plainEvents)
    const auth = await trigger({ event: 'transaction.auth', seed: 3 })
    const of = auth.objects['transaction'] ?? ''
    const original = async (input: { of?: string; seed?: number; set?: Record<string, unknown> }) =>
      (await trigger({ event: 'transaction.refund', ...input })).sent[0]?.payload
        .originalTransactionId
    const { objects } = await trigger({ event: 'transaction.refund', of })
    expect(objects['originalTransaction']).toBe(of)
    expect(objects['transaction']).not.toBe(of)
    expect(await original({ seed: 3 })).toBe(of)
    expect(await original({ seed: 4 })).toBeUndefined()
    for (const set of [
      { 'card.id': OFFER },
      { 'location.id': OFFER },
      { 'identifiers.MID': 'another' },
      { amount: -0.01 },
    ]) {
      expect(await original({ of, set })).toBeUndefined()
    }
    expect(
      await original({ of, set: { created: new Date(clock.now() - 1).toISOString() } }),
    ).toBeUndefined()
    // The named purchase counts, not this later one.
    await clock.advance(1_000)
    const twin = (await trigger({ event: 'transaction.auth', seed: 3, set: { id: OFFER } }))
      .objects['transaction']
    expect([await original({ of }), await original({ seed: 3 })]).toEqual([of, twin])
  })

  test('a refund cannot be refunded, and an unknown purchase is not found', async () => {
    await hooks('test')
    const refund = await trigger({ event: 'transaction.refund' })
    const of = refund.objects['transaction'] ?? ''
    await expect(sandbox.trigger({ event: 'transaction.refund', of })).rejects.toMatchObject({
      code: 'SANDBOX_STATE',
    })
    await expect(sandbox.trigger({ event: 'transaction.refund', of: OFFER })).rejects.toMatchObject(
      { code: 'NOT_FOUND' },
    )
    await hooks('live')
    await expect(
      sandbox.trigger({ event: 'transaction.refund', of, environment: 'sandbox-live' }),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})
