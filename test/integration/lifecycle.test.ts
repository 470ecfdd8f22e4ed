import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { subjectWord, type Lifecycle } from '../../src/shared/model/lifecycle.ts'
import { waitForDeliveries } from '../support/read-deliveries.ts'
import { signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { samplePayloads } from '../support/sample-payloads.ts'
import type { TestCore } from '../support/test-core.ts'

const events = ['transaction.auth', 'transaction.clearing', 'transaction.refund', 'location.status']
const DAY = 86_400_000
const SECRET = 'whsec_of_all_hooks'

let core: TestCore
beforeAll(async () => {
  core = await coreInFolder()
  for (const event of events) await importHook(event)
})
afterAll(async () => {
  expect(core.bugs).toEqual([])
})

function importHook(event: string) {
  const url = `${core.receiver}/h/${event}`
  return core.call('hooks.import', { event, url, secret: SECRET })
}

async function trigger(event: string, of?: string) {
  const { objects } = await core.call('sandbox.trigger', {
    event,
    ...(of === undefined ? {} : { of }),
  })
  return objects['transaction'] ?? objects['location'] ?? ''
}

/**
 * Resolves with the lifecycle of the latest delivery that contains a text, once there are this
 * many.
 */
async function lifecycleOf(text: string, count: number): Promise<Lifecycle> {
  const found = await waitForDeliveries(core.client, count, `"${text}"`)
  expect(found).toHaveLength(count)
  return core.call('lifecycle.get', { deliveryId: found.at(-1)?.id ?? '' })
}

const summary = ({ stages }: Lifecycle) =>
  stages.map(({ part, name, isProved, deliveries }) => [part, name, isProved, deliveries.length])
const codes = ({ findings }: Lifecycle) => findings.map(({ code, level }) => `${code} ${level}`)

/** Sends a payload as the service does, with a valid signature or an invalid one. */
async function deliver(event: string, payload: object, isProved = true) {
  const body = JSON.stringify(payload)
  const url = `${core.receiver}/h/${event}`
  await core.send(url, {
    body,
    headers: signedHeaders(isProved ? SECRET : 'another', body, url),
  })
}

const id = (digits: string) => `${digits.padStart(8, '0')}-1111-4111-8111-111111111111`
const auth = samplePayloads['transaction.auth']
const refund = samplePayloads['transaction.refund']

describe('a purchase in the sandbox', () => {
  test('an auth waits for its clearing; three days later it is cleared; its refund is cleared separately', async () => {
    const purchase = await trigger('transaction.auth')
    const waiting = await lifecycleOf(purchase, 1)
    expect(waiting).toMatchObject({
      kind: 'purchase',
      objectId: purchase,
      findings: [],
      isCut: false,
    })
    expect(summary(waiting)).toEqual([['purchase', 'Auth', true, 1]])
    expect(waiting.missing).toMatchObject([{ event: 'transaction.clearing', isLate: false }])
    const paidAt = Date.parse(waiting.stages[0]?.happenedAt ?? '')
    expect(Date.parse(waiting.missing[0]?.to ?? '') - paidAt).toBe(3 * DAY)

    await core.call('sandbox.setClock', { action: 'jump', ms: 3 * DAY + DAY / 2 })
    const cleared = await lifecycleOf(purchase, 2)
    expect(summary(cleared)).toEqual([
      ['purchase', 'Auth', true, 1],
      ['purchase', 'Clearing', true, 1],
    ])
    expect(cleared.missing).toEqual([])
    expect(codes(cleared)).toEqual([])
    const [first, second] = cleared.stages
    expect(
      Date.parse(second?.happenedAt ?? '') - Date.parse(first?.happenedAt ?? ''),
    ).toBeGreaterThan(2 * DAY)
    expect(Date.parse(second?.receivedAt ?? '') - Date.parse(first?.receivedAt ?? '')).toBeLessThan(
      60_000,
    )
    expect(second?.amount).toBe(first?.amount)

    await trigger('transaction.refund', purchase)
    const refunded = await lifecycleOf(purchase, 4)
    expect(summary(refunded)).toEqual([
      ['purchase', 'Auth', true, 1],
      ['purchase', 'Clearing', true, 1],
      ['refund', 'Refund', true, 1],
      ['refund', 'Refund clearing', true, 1],
    ])
    expect(codes(refunded)).toEqual(['negative-clearing note'])
    // Each of its deliveries shows the same lifecycle.
    for (const stage of refunded.stages) {
      const again = await core.call('lifecycle.get', {
        deliveryId: stage.deliveries[0]?.id ?? '',
      })
      expect({ ...again, now: refunded.now, related: [] }).toEqual({ ...refunded, related: [] })
    }
    expect(refunded.related.map(({ kind, deliveries }) => [kind, deliveries])).toContainEqual([
      'card',
      4,
    ])

    const [refundDelivery] = refunded.stages[2]?.deliveries ?? []
    const { offers } = await core.call('compare.offers', {
      deliveryId: refundDelivery?.id ?? '',
    })
    expect(offers.map(({ reason, delivery }) => [reason, delivery.event])).toEqual([
      ['original', 'transaction.clearing'],
      ['original', 'transaction.auth'],
    ])
  })

  test('the three schemes of a location are listed together', async () => {
    const location = await trigger('location.status')
    const lifecycle = await lifecycleOf(location, 3)
    expect(lifecycle).toMatchObject({
      kind: 'location',
      objectId: location,
      missing: [],
      findings: [],
    })
    expect(lifecycle.stages.map(({ name, status }) => [name, status])).toEqual([
      ['Visa', 'location.active'],
      ['Mastercard', 'location.active'],
      ['American Express', 'location.active'],
    ])
  })

  test('matching .qualified events appear next to the plain events', async () => {
    await importHook('transaction.auth.qualified')
    const purchase = await trigger('transaction.auth.qualified')
    const lifecycle = await lifecycleOf(purchase, 2)
    expect(summary(lifecycle)).toEqual([
      ['purchase', 'Auth', true, 1],
      ['purchase', 'Auth, qualified', true, 1],
    ])
    expect(lifecycle.stages[1]?.offer?.cashback).toMatch(/^\d/)
  })
})

describe('issues', () => {
  test('a clearing before its auth, with another amount and currency, and delivered again', async () => {
    const purchase = id('1001')
    const clearing = { ...auth, id: purchase, cleared: true, amount: 13, currency: 'EUR' }
    await deliver('transaction.clearing', clearing)
    await deliver('transaction.auth', { ...auth, id: purchase })
    await deliver('transaction.clearing', clearing)
    const lifecycle = await lifecycleOf(purchase, 3)
    expect(codes(lifecycle)).toEqual([
      'amount-drift warn',
      'currency-change warn',
      'out-of-order warn',
      'duplicate warn',
    ])
    expect(lifecycle.findings[0]?.message).toBe(
      'The amount changed from 12.5 GBP (Auth) to 13 EUR (Clearing).',
    )
    expect(lifecycle.findings[2]?.deliveryIds).toHaveLength(2)
  })

  test('an amount in another notation has not changed', async () => {
    const purchase = id('1002')
    await deliver('transaction.auth', { ...auth, id: purchase })
    const body = JSON.stringify({ ...auth, id: purchase, cleared: true }).replace(
      '"amount":12.5,',
      '"amount":12.50,',
    )
    const url = `${core.receiver}/h/transaction.clearing`
    await core.deliver({ url, secret: SECRET }, body)
    const lifecycle = await lifecycleOf(purchase, 2)
    expect(lifecycle.stages.map(({ amount }) => amount)).toEqual(['12.5', '12.50'])
    expect(codes(lifecycle)).toEqual([])
  })

  test('an auth that is uncleared for more than 72 hours of sandbox time', async () => {
    const { now } = await core.call('sandbox.clock', {})
    const purchase = id('1003')
    const created = new Date(Date.parse(now) - 4 * DAY).toISOString()
    await deliver('transaction.auth', { ...auth, id: purchase, created, updated: created })
    const lifecycle = await lifecycleOf(purchase, 1)
    expect(codes(lifecycle)).toEqual(['uncleared warn'])
    expect(lifecycle.findings[0]?.message).toMatch(/^Still not cleared 4 days after the payment/)
    expect(lifecycle.missing).toMatchObject([{ event: 'transaction.clearing', isLate: true }])
  })

  test('a clearing without an auth; the auth of the same card, place, amount and time under another ID is named', async () => {
    const clearing = {
      ...auth,
      id: id('1004'),
      cleared: true,
      amount: 77.25,
      card: { ...auth.card, id: id('9004') },
    }
    await deliver('transaction.clearing', clearing)
    expect(codes(await lifecycleOf(id('1004'), 1))).toEqual(['clearing-without-auth warn'])
    await deliver('transaction.auth', { ...clearing, id: id('1005'), cleared: false })
    const lifecycle = await lifecycleOf(id('1004'), 1)
    expect(lifecycle.findings[0]?.message).toContain(id('1005'))
    expect(lifecycle.findings[0]?.deliveryIds).toHaveLength(2)
    // And from the auth's side.
    const back = await lifecycleOf(id('1005'), 1)
    expect(codes(back)).toContain('clearing-without-auth note')
    expect(back.findings.find(({ level }) => level === 'note')?.message).toContain(
      `The clearing ${id('1004')} has no auth`,
    )
  })

  test('a negative clearing without a refund; a refund that names an unknown purchase', async () => {
    const refundId = id('1006')
    await deliver('transaction.clearing', {
      ...refund,
      id: refundId,
      originalTransactionId: id('1007'),
    })
    const lifecycle = await lifecycleOf(refundId, 1)
    expect(codes(lifecycle)).toEqual(['negative-clearing warn'])
    expect(lifecycle.objectId).toBe(id('1007'))
    expect(lifecycle.missing.map(({ event }) => event)).toEqual([
      'transaction.auth',
      'transaction.refund',
    ])
  })

  test("the sign of a clearing's amount decides whose it is; without an amount, auth does", async () => {
    const clearingOf = async (number: string, changes: object) => {
      await deliver('transaction.clearing', {
        ...refund,
        id: id(number),
        originalTransactionId: undefined,
        card: { ...refund.card, id: id(`9${number}`) },
        ...changes,
      })
      const { stages, findings } = await lifecycleOf(id(number), 1)
      const found = findings.find(({ code }) => code === 'negative-clearing')
      return [stages[0]?.name, found?.fix]
    }
    const negative = "Don't count it as a purchase: the amount is negative."
    expect(await clearingOf('1020', { amount: 12.5, auth: false })).toEqual(['Clearing', undefined])
    expect(await clearingOf('1021', { amount: -12.5, auth: true })).toEqual([
      'Refund clearing',
      negative,
    ])
    expect(await clearingOf('1022', { amount: null, auth: false })).toEqual([
      'Refund clearing',
      "Don't count it as a purchase: auth is false.",
    ])
  })

  test('an unmatched refund names the purchase that it may belong to; refunds beyond the purchase are reported', async () => {
    const purchase = { ...auth, id: id('1008'), amount: 41, card: { ...auth.card, id: id('9008') } }
    await deliver('transaction.auth', purchase)
    await deliver('transaction.clearing', { ...purchase, cleared: true })
    const { originalTransactionId: _, ...unmatched } = {
      ...refund,
      ...purchase,
      id: id('1009'),
      auth: false,
      cleared: true,
      amount: -41,
    }
    await deliver('transaction.refund', unmatched)
    await deliver('transaction.clearing', unmatched)
    const lifecycle = await lifecycleOf(id('1009'), 2)
    expect(lifecycle.findings[0]).toMatchObject({ code: 'unmatched-refund' })
    expect(lifecycle.findings[0]?.message).toContain(
      `Possible match: ${id('1008')} (same card, location and amount)`,
    )
    expect(subjectWord(lifecycle)).toBe('Refund')
    // And from the purchase's side.
    const back = await lifecycleOf(id('1008'), 2)
    expect(subjectWord(back)).toBe('Purchase')
    expect(back.findings).toMatchObject([{ code: 'unmatched-refund', level: 'note' }])
    expect(back.findings[0]?.message).toContain(`The refund ${id('1009')} names no purchase`)
    // If the place is unknown, it isn't reported; a purchase in another currency doesn't count.
    const { location: __, ...nowhere } = { ...unmatched, id: id('1013') }
    await deliver('transaction.refund', nowhere)
    expect((await lifecycleOf(id('1013'), 1)).findings[0]?.message).toContain('Possible match')
    await deliver('transaction.refund', { ...unmatched, id: id('1014'), currency: 'SEK' })
    expect((await lifecycleOf(id('1014'), 1)).findings[0]?.message).toContain(
      "the service couldn't match it",
    )
    await deliver('transaction.refund', {
      ...unmatched,
      id: id('1010'),
      originalTransactionId: id('1008'),
      amount: -50,
    })
    const exceeded = await lifecycleOf(id('1008'), 3)
    expect(codes(exceeded)).toContain('refund-exceeds warn')
  })

  test("an unverified delivery is shown, but doesn't count", async () => {
    const purchase = id('1011')
    await deliver('transaction.auth', { ...auth, id: purchase })
    await deliver(
      'transaction.clearing',
      { ...auth, id: purchase, cleared: true, amount: 99 },
      false,
    )
    const lifecycle = await lifecycleOf(purchase, 2)
    expect(summary(lifecycle)).toEqual([
      ['purchase', 'Auth', true, 1],
      ['purchase', 'Clearing', false, 1],
    ])
    expect(codes(lifecycle)).toEqual(['uncleared warn', 'unproved warn'])
    // The clearing is still pending: unverified deliveries don't count.
    expect(lifecycle.missing.map(({ event }) => event)).toEqual(['transaction.clearing'])
    expect(lifecycle.findings.at(-1)?.fix).toMatch(/^Open it/)
    await deliver('transaction.auth', { ...auth, id: purchase, amount: 98 }, false)
    expect((await lifecycleOf(purchase, 3)).findings.at(-1)).toMatchObject({
      message: expect.stringMatching(/^2 deliveries name/),
      fix: expect.stringMatching(/^Open each/),
    })
  })

  test('the same event with different content', async () => {
    const purchase = id('1012')
    await deliver('transaction.auth', { ...auth, id: purchase })
    await deliver('transaction.auth', { ...auth, id: purchase, authCode: '999999' })
    expect(codes(await lifecycleOf(purchase, 2))).toEqual([
      'uncleared warn',
      'content-differs warn',
    ])
  })

  test('a delivery that names neither purchase nor location has no lifecycle', async () => {
    await deliver('transaction.auth', { some: 'thing' })
    const lifecycle = await core.call('lifecycle.get', { deliveryId: 'latest' })
    expect(lifecycle).toMatchObject({
      kind: 'none',
      objectId: null,
      stages: [],
      missing: [],
      findings: [],
    })
    await expect(core.call('lifecycle.get', { deliveryId: 'nowhere' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})

test('the attempts of a notification show which values should differ, and compares gaps with responses', async () => {
  const { hooks } = await core.call('hooks.list', {})
  const hook = hooks.find(({ event }) => event === 'transaction.refund')
  await core.call('hooks.answer', { id: hook?.id ?? '', rule: { status: 500 } })
  const payload = { ...refund, id: id('2001') }
  await deliver('transaction.refund', payload)
  await new Promise((resolve) => setTimeout(resolve, 5))
  await deliver('transaction.refund', payload)
  await waitForDeliveries(core.client, 2, `"${id('2001')}"`)
  const { attempts } = await core.call('lifecycle.attempts', { deliveryId: 'latest' })
  expect(attempts.map(({ row }) => row.attempt)).toEqual([1, 2])
  const [first, second] = attempts
  expect(first).toMatchObject({ gapMs: null, expectedGapMs: null, checks: [] })
  expect(first?.message).toMatch(/^Responded 500: failed\. The next attempt follows after 1 min\.$/)
  expect(Math.round((second?.expectedGapMs ?? 0) / 1_000)).toBe(60)
  expect(second?.message).toMatch(/earlier than the expected 1 min/)
  expect(second?.checks.map(({ what, must, holds }) => [what, must, holds])).toEqual([
    ['signature', 'differ', true],
    ['timestamp', 'differ', true],
    ['body', 'stay', true],
    ['url', 'stay', true],
    ['headers', 'stay', true],
  ])
})

test('a delivery without a hook is compared with the previous one at its path and event, never with a malformed request', async () => {
  const { client } = core
  const send = async (path: string, body: object, count: number) => {
    await core.send(`${core.receiver}${path}`, { body: JSON.stringify(body), headers: [] })
    return (await waitForDeliveries(client, count, `path:${path}`)).at(-1)?.id ?? ''
  }
  const sendMalformed = async (count: number) => {
    const socket = connect(Number(new URL(core.receiver).port), '127.0.0.1').end(
      'GET / HTTP/1.1\r\n\r\n',
    )
    await once(socket.resume(), 'close')
    return (await waitForDeliveries(client, count, 'is:malformed')).at(-1)?.id ?? ''
  }
  const offersOf = async (deliveryId: string) => {
    const { offers } = await client.call('compare.offers', { deliveryId })
    const { row } = await client.call('compare.neighbour', { deliveryId, by: -1 })
    expect(row?.id).toBe(offers.at(-1)?.delivery.id)
    return offers.map(({ name, delivery }) => [name, delivery.id])
  }
  await sendMalformed(1)
  const first = await send('/nobody', { hello: 1 }, 1)
  expect(await offersOf(first)).toEqual([])
  await send('/elsewhere', { hello: 2 }, 1)
  const malformed = await sendMalformed(2)
  const second = await send('/nobody', { hello: 3 }, 2)
  expect(await offersOf(second)).toEqual([['the previous delivery at this path', first]])
  expect(await offersOf(malformed)).toEqual([])
})
