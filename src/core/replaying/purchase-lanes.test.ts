import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { samplePayloads } from '../../../test/support/sample-payloads.ts'
import { lanesOf, PurchaseLanes } from './purchase-lanes.ts'

interface Item {
  readonly number: number
  readonly delivery: { readonly event: string }
  readonly body: Buffer
}

const laneItems = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.option(fc.integer({ min: 0, max: 5 }))), {
    maxLength: 60,
  })
  .map((links) =>
    links.map(([id, original], number): Item => ({
      number,
      delivery: { event: 'transaction.refund' },
      body: Buffer.from(
        JSON.stringify({
          id: `p${id}`,
          ...(original === null ? {} : { originalTransactionId: `p${original}` }),
        }),
      ),
    })),
  )

async function* each(items: readonly Item[]) {
  for (const item of items) {
    await Promise.resolve()
    yield item
  }
}

property.prop([laneItems, fc.integer({ min: 1, max: 8 }), fc.infiniteStream(fc.nat(3))])(
  'items of a lane are handed out one at a time and in order, and none is lost',
  async (items, concurrency, pauses) => {
    const lanes = new PurchaseLanes(each(items))
    const busy = new Set<string>()
    const ended: Item[] = []
    const work = async () => {
      for (;;) {
        const item = await lanes.take(() => false)
        if (item === null) return
        const own = lanesOf(item.delivery, item.body)
        expect(own.filter((lane) => busy.has(lane))).toEqual([])
        for (const lane of own) busy.add(lane)
        for (let turn = pauses.next().value as number; turn > 0; turn--) await Promise.resolve()
        for (const lane of own) busy.delete(lane)
        ended.push(item)
        lanes.release(item)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    expect(ended.toSorted((a, b) => a.number - b.number)).toEqual(items)
    for (const lane of new Set(items.flatMap(({ delivery, body }) => lanesOf(delivery, body)))) {
      const numbers = ended
        .filter(({ delivery, body }) => lanesOf(delivery, body).includes(lane))
        .map(({ number }) => number)
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    }
  },
)

test('a stop ends a wait for a busy lane', async () => {
  const body = Buffer.from('{"id":"p"}')
  const item = { number: 1, delivery: { event: 'transaction.auth' }, body }
  const lanes = new PurchaseLanes(each([item, { ...item, number: 2 }]))
  let isStopped = false
  expect((await lanes.take(() => isStopped))?.number).toBe(1)
  const waiting = lanes.take(() => isStopped)
  await new Promise((resolve) => setImmediate(resolve))
  isStopped = true
  lanes.wake()
  expect(await waiting).toBe(null)
  expect(lanes.rest.map(({ number }) => number)).toEqual([2])
})

test('a delivery without a purchase keeps to its own object, and one without JSON to its body', () => {
  const lanes = (event: keyof typeof samplePayloads) =>
    lanesOf({ event }, Buffer.from(JSON.stringify(samplePayloads[event])))
  const { id, originalTransactionId } = samplePayloads['transaction.refund']
  expect(lanes('transaction.refund')).toEqual([id, originalTransactionId])
  expect(lanes('card.linked')).toEqual([samplePayloads['card.linked'].id])
  const binary = (byte: number) => lanesOf(null, Uint8Array.of(0xff, byte))
  expect(binary(1)).toEqual(binary(1))
  expect(binary(1)).not.toEqual(binary(2))
})
