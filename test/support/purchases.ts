/**
 * Deliveries of purchases, and handlers that check their order: those of one purchase must arrive
 * one at a time, in the order of their capture.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createSeededRandom } from './seeded-random.ts'
import type { RawRequest } from './replay-fixture.ts'
import { samplePayloads } from './sample-payloads.ts'
import type { TestCore } from './test-core.ts'
import { rawEndpoint } from './temporary-folder.ts'

export const PURCHASES = 120
export const SECRET = 'whsec_of_the_purchases'

export interface Sent {
  readonly event: 'transaction.auth' | 'transaction.clearing' | 'transaction.refund'
  readonly purchase: number
  readonly body: string
}

export interface Payload {
  readonly id: string
  readonly originalTransactionId?: string
  readonly amount: number
  readonly number: number
}

const idOf = (kind: string, purchase: number) =>
  `${kind.repeat(8)}-0000-4000-8000-${String(purchase).padStart(12, '0')}`

/** Lists 500 deliveries of 120 purchases in a shuffled, repeatable order; 40 are duplicates. */
export function purchaseDeliveries(): Sent[] {
  const random = createSeededRandom(7)
  const steps = Array.from({ length: PURCHASES }, (_, purchase) => {
    const payload = (event: Sent['event'], changes: object): Sent => ({
      event,
      purchase,
      body: JSON.stringify({ ...samplePayloads[event], number: purchase, ...changes }),
    })
    const [id, refundId] = [idOf('a', purchase), idOf('b', purchase)]
    const auth = payload('transaction.auth', { id, amount: 10 + purchase })
    const clearing = payload('transaction.clearing', { id, amount: 10 + purchase })
    const refund = payload('transaction.refund', {
      id: refundId,
      originalTransactionId: id,
      amount: -1 - purchase,
    })
    const second = payload('transaction.refund', {
      id: idOf('c', purchase),
      originalTransactionId: id,
      amount: -2 - purchase,
    })
    return [
      auth,
      ...(purchase < 40 ? [auth] : []),
      clearing,
      refund,
      ...(purchase < 100 ? [second] : []),
    ]
  })
  const order: Sent[] = []
  while (steps.some((left) => left.length > 0)) {
    const next = steps[random.integer(0, PURCHASES - 1)]?.shift()
    if (next !== undefined) order.push(next)
  }
  return order
}

/** Captures deliveries: those of one purchase in order, different purchases in parallel. */
export async function capturePurchases(core: TestCore, sent = purchaseDeliveries()): Promise<void> {
  for (const event of ['transaction.auth', 'transaction.clearing', 'transaction.refund'] as const)
    await core.hook(`/h/${event}`, SECRET, { event })
  const byPurchase = Map.groupBy(sent, ({ purchase }) => purchase)
  await Promise.all(
    byPurchase.values().map(async (ofOne) => {
      for (const { event, body } of ofOne)
        await core.deliver({ url: `${core.receiver}/h/${event}`, secret: SECRET }, body)
    }),
  )
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object | string
}

/** Starts a handler whose replies differ in ids and times; `mistakes` names orders that break. */
export async function startLedger(
  replyTo: (payload: Payload, event: Sent['event']) => Reply = (payload) => ({
    body: { booked: true, total: payload.amount },
  }),
) {
  const inProgress = new Map<string, string>()
  const seen: string[] = []
  const mistakes: string[] = []
  let most = 0
  let number = 0
  const endpoint = await rawEndpoint(async ({ body }: RawRequest) => {
    const payload = JSON.parse(body.toString()) as Payload & { auth: boolean; cleared: boolean }
    const event =
      payload.originalTransactionId !== undefined
        ? 'transaction.refund'
        : payload.cleared
          ? 'transaction.clearing'
          : 'transaction.auth'
    const purchase = payload.originalTransactionId ?? payload.id
    const other = inProgress.get(purchase)
    if (other !== undefined) mistakes.push(`${event} of ${purchase} during ${other}`)
    inProgress.set(purchase, event)
    most = Math.max(most, inProgress.size)
    seen.push(`${purchase} ${event} ${payload.id}`)
    await delay(number++ % 3)
    inProgress.delete(purchase)
    const { status = 200, headers = {}, body: reply } = replyTo(payload, event)
    const text =
      typeof reply === 'string'
        ? reply
        : JSON.stringify({ ...reply, requestId: randomUUID(), at: new Date().toISOString() })
    const lines = Object.entries({ 'content-type': 'application/json', ...headers })
    return [
      `HTTP/1.1 ${status} Replied`,
      ...lines.map((line) => line.join(': ')),
      `content-length: ${Buffer.byteLength(text)}`,
      '',
      text,
    ].join('\r\n')
  })
  return {
    ...endpoint,
    /** Deliveries of each purchase, in order. */
    byPurchase: () => Map.groupBy(seen, (line) => line.split(' ')[0]),
    seen,
    mistakes,
    /** Most purchases in progress at a time. */
    most: () => most,
  }
}

/** Starts a ledger with three mistakes: 30 refunds, 40 clearings, and the header of 60 auths. */
export const startChangedLedger = () =>
  startLedger(({ amount, number }, event) => {
    if (event === 'transaction.refund' && amount % 2 === 0 && number < 30)
      return { status: 500, body: { error: 'LedgerConflict' } }
    const total = event === 'transaction.clearing' && number < 40 ? amount + 1 : amount
    const headers: Record<string, string> =
      event === 'transaction.auth' && number >= 100 ? { 'X-Ledger': 'v2' } : {}
    return { headers, body: { booked: true, total } }
  })
