import { beforeEach, describe, expect, test } from 'vitest'
import {
  received,
  clock,
  endpoint,
  hooks,
  sandbox,
  sandboxForEachTest,
} from '../../../test/support/sandbox-fixture.ts'
import { sandboxObjectSchema, triggerPreviewSchema } from '../../shared/model/sandbox.ts'
import { shownEventTypes } from '../../shared/service/event-type.ts'
import { checkPayload } from '../../shared/service/payload.ts'

sandboxForEachTest()
beforeEach(async () => {
  await hooks('test')
  await hooks('live')
})

const live = 'sandbox-live'
const setLive = (id: string, set: Record<string, unknown>) =>
  sandbox.objects.update({ environment: live, id, set })

describe('creating', () => {
  test('in test mode a brand consents, a location is reported three times and a card is linked', async () => {
    const brand = await sandbox.objects.create({ kind: 'brand', set: { name: 'My Brand' } })
    expect(received()).toEqual(['brand.consent'])
    expect(brand).toMatchObject({
      object: {
        kind: 'brand',
        title: 'My Brand',
        environment: 'sandbox-test',
        data: { consent: true, live: false },
      },
    })
    expect(brand.deliveries).toMatchObject([{ event: 'brand.consent', state: 'acknowledged' }])
    await sandbox.objects.create({ kind: 'location', set: {} })
    expect(received()).toEqual(['location.status', 'location.status', 'location.status'])
    const card = await sandbox.objects.create({
      kind: 'card',
      set: { scheme: 'amex', type: 'amex' },
    })
    expect(received()).toEqual(['card.linked'])
    expect(card.object.data).toMatchObject({ scheme: 'amex' })
  })

  test('numbers are sent as typed in the event that a new or changed object triggers', async () => {
    const sent = () => endpoint.calls.at(-1)?.body.toString()
    await sandbox.objects.create({
      kind: 'card',
      literals: { lastNumbers: '"4001"', loyalty: '10.00' },
    })
    expect(sent()).toMatch(/"lastNumbers":"4001".*"loyalty":10\.00}$/)
    const { object } = await sandbox.objects.create({ kind: 'brand', environment: live })
    await sandbox.objects.update({
      environment: live,
      id: object.id,
      literals: { consent: 'true', loyalty: '1e3' },
    })
    expect(sent()).toMatch(/"loyalty":1e3}$/)
    received()
  })

  test('in live mode a brand consents when approved', async () => {
    const { object: brand } = await sandbox.objects.create({ kind: 'brand', environment: live })
    expect([received(), brand.data['consent']]).toEqual([[], false])
    const approved = await setLive(brand.id, { consent: true })
    expect([received(), approved.object.data['consent']]).toEqual([['brand.consent'], true])
  })

  test('a program is created with everything its events need', async () => {
    const { object } = await sandbox.objects.create({ kind: 'program', set: { name: 'Mine' } })
    await sandbox.trigger({ event: 'transaction.auth', programId: object.id })
    expect(JSON.parse(endpoint.calls[0]?.body.toString() ?? '')).toMatchObject({
      programId: object.id,
    })
  })

  test('no hook is needed; the same seed creates the same object', async () => {
    for (const event of shownEventTypes) await sandbox.removeHook(`test ${event}`)
    const one = await sandbox.objects.create({ kind: 'card', seed: 5 })
    const two = await sandbox.objects.create({ kind: 'card', seed: 5 })
    expect(one).toEqual({ object: two.object, deliveries: [] })
  })

  test('a transaction is created by its event, and an unknown program is not found', async () => {
    await expect(sandbox.objects.create({ kind: 'transaction' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
    await expect(sandbox.objects.create({ kind: 'offer', programId: 'x' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})

describe('a live location', () => {
  const add = async () =>
    (await sandbox.objects.create({ kind: 'location', environment: live })).object.id
  const report = (of: string, scheme: string, status = 'location.active') =>
    sandbox.trigger({ event: 'location.status', environment: live, of, set: { scheme, status } })
  const stateOf = (id: string, scheme: string) =>
    sandbox.objects
      .list({ environment: live, kind: 'location' })
      .find((location) => location.id === id)?.data[scheme]
  const pay = async (of: string) => {
    received()
    await sandbox.trigger({ event: 'transaction.auth', environment: live, of })
    return received()
  }

  test('accepts purchases once a scheme has synced, also after a failed sync', async () => {
    const id = await add()
    await expect(pay(id)).rejects.toMatchObject({ code: 'SANDBOX_STATE' })
    for (const scheme of ['visa', 'mastercard', 'amex']) await report(id, scheme)
    for (const scheme of ['visa', 'mastercard', 'amex'])
      expect(stateOf(id, scheme)).toMatchObject({
        status: 'active',
        auth: true,
        clearing: true,
        estimatedActivationDate: null,
      })
    expect(await pay(id)).toContain('transaction.auth')

    for (const scheme of ['visa', 'mastercard']) await report(id, scheme, 'location.failed')
    expect(stateOf(id, 'visa')).toMatchObject({ status: 'inactive', auth: false, clearing: false })
    await expect(pay(id)).rejects.toMatchObject({ code: 'SANDBOX_STATE' })

    for (const scheme of ['visa', 'mastercard']) await report(id, scheme)
    expect(await pay(id)).toContain('transaction.auth')
  })

  test('reports a scheme whose status is set, and its program', async () => {
    const id = await add()
    const { object, deliveries } = await setLive(id, { 'visa.status': 'active' })
    expect(received()).toEqual(['location.status', 'program.status'])
    expect(deliveries.map(({ event }) => event)).toEqual(['location.status', 'program.status'])
    expect(lastReport()).toMatchObject({
      scheme: 'visa',
      status: 'location.active',
      location: { id, visa: { auth: true } },
    })
    expect(object.data).toMatchObject({
      visa: { auth: true, clearing: true },
      mastercard: { status: 'inactive' },
    })

    await setLive(id, { 'visa.status': 'inactive' })
    expect(lastReport()).toMatchObject({
      scheme: 'visa',
      status: 'location.failed',
      location: { visa: { auth: false } },
    })
    await setLive(id, { 'amex.status': 'active', 'amex.auth': false })
    expect(lastReport()).toMatchObject({
      scheme: 'amex',
      location: { amex: { status: 'active', auth: false, clearing: true } },
    })
    expect(stateOf(id, 'amex')).toMatchObject({ auth: false, clearing: true })
    received()
    await setLive(id, { city: 'Leeds' })
    expect(received()).toEqual(['program.status'])
  })

  test('is reported if created with an active scheme', async () => {
    const { object } = await sandbox.objects.create({
      kind: 'location',
      environment: live,
      set: { 'mastercard.status': 'active' },
    })
    expect(received()).toEqual(['location.status', 'program.status'])
    expect(object.data).toMatchObject({
      mastercard: { status: 'active', auth: true },
      visa: { status: 'inactive', auth: false },
    })
  })

  const lastReport = () =>
    JSON.parse(
      endpoint.calls.findLast(({ path }) => path === '/location.status')?.body.toString() ?? 'null',
    ) as unknown
})

test("in test mode a scheme whose status is set isn't reported again", async () => {
  const [location] = sandbox.objects.list({ environment: 'sandbox-test', kind: 'location' })
  await sandbox.objects.update({ id: location?.id ?? '', set: { 'visa.status': 'inactive' } })
  expect(received()).toEqual([])
})

test('the list has all objects, each with a title, and matches its schema', async () => {
  await sandbox.trigger({
    event: 'transaction.auth',
    seed: 1,
    set: { amount: 12.5, currency: 'EUR' },
  })
  const all = sandbox.objects.list()
  expect(new Set(all.map(({ kind }) => kind)).size).toBe(6)
  for (const object of all)
    expect([sandboxObjectSchema.safeParse(object).success, object.title === '']).toEqual([
      true,
      false,
    ])
  expect(sandbox.objects.list({ kind: 'transaction' }).map(({ title }) => title)).toEqual([
    '12.5 EUR',
  ])
  expect(sandbox.objects.list({ environment: live }).every(({ mode }) => mode === 'live')).toBe(
    true,
  )
})

describe('changing', () => {
  test('fields by path; invalid values are rejected with the field', async () => {
    const [location] = sandbox.objects.list({ environment: 'sandbox-test', kind: 'location' })
    const id = location?.id ?? ''
    const { object } = await sandbox.objects.update({
      id,
      set: { 'visa.auth': false, city: 'Elsewhere' },
    })
    expect(object.data).toMatchObject({ city: 'Elsewhere', visa: { auth: false } })
    const refusal = (set: Record<string, unknown>) =>
      expect(sandbox.objects.update({ id, set })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await refusal({ currency: 'POUND' })
    for (const fixed of ['id', 'accountId', 'programId', 'live'])
      await refusal({ [fixed]: location?.data[fixed] })
    await refusal({ 'no.such': 1 })
    const [offer] = sandbox.objects.list({ environment: 'sandbox-test', kind: 'offer' })
    await expect(
      sandbox.objects.update({ id: offer?.id ?? '', set: { endsAt: 'tomorrow' } }),
    ).rejects.toThrow('`endsAt` must be a UTC time')
    await expect(setLive(id, {})).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test("an optional field can be removed, a mandatory one can't", async () => {
    const id = sandbox.objects.list({ environment: 'sandbox-test', kind: 'card' })[0]?.id ?? ''
    await sandbox.objects.update({ id, set: { 'metadata.tier': 'gold', 'metadata.since': 2024 } })
    const { object } = await sandbox.objects.update({
      id,
      set: { countryCode: 'FRA' },
      unset: ['metadata.tier'],
    })
    expect(object.data).toMatchObject({ countryCode: 'FRA', metadata: { since: 2024 } })
    expect(object.data['metadata']).not.toHaveProperty('tier')
    for (const unset of [['scheme'], ['id'], ['metadata.tier']])
      await expect(sandbox.objects.update({ id, unset })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining(unset[0] ?? ''),
      })
  })
})

test('a preview shows what a trigger with its seed sends, without sending it', async () => {
  const preview = await sandbox.preview({ event: 'transaction.refund', set: { amount: -3 } })
  expect(
    triggerPreviewSchema.parse(preview).events.map(({ event, hooks }) => [event, hooks]),
  ).toEqual([
    ['transaction.refund', 1],
    ['transaction.clearing', 1],
    ['transaction.refund.qualified', 1],
  ])
  expect([
    received(),
    sandbox.notifications(),
    sandbox.objects.list({ kind: 'transaction' }),
  ]).toEqual([[], [], []])
  for (const { event, payload } of preview.events)
    expect(checkPayload(event, JSON.stringify(payload)).findings).toEqual([])
  await sandbox.trigger({ event: 'transaction.refund', seed: preview.seed, set: { amount: -3 } })
  expect(endpoint.calls.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual(
    preview.events.map(({ payload }) => payload),
  )
})

test('a reset restores the initial objects and the current time; hooks stay', async () => {
  const before = sandbox.objects.list().map(({ id }) => id)
  await sandbox.objects.create({ kind: 'card' })
  await sandbox.trigger({ event: 'transaction.auth' })
  await sandbox.clock.jump(3_600_000)
  await sandbox.reset()
  expect(
    sandbox.objects
      .list()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(before.sort())
  expect(sandbox.notifications()).toEqual([])
  expect(sandbox.clock.state().now).toBe(new Date(clock.now()).toISOString())
  received()
  await sandbox.trigger({ event: 'card.linked' })
  expect(received()).toEqual(['card.linked'])
  await clock.advance(100 * 3_600_000)
  expect(received()).toEqual([])
})
