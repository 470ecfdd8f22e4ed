import { BODY_CHUNK_BYTES } from '../../src/shared/contract/nouns/deliveries.ts'
import type { Delivery } from '../../src/shared/model/delivery.ts'
import type { Client } from '../../src/shared/rpc/client.ts'
import { readSeqsInParts } from '../../src/shared/rpc/delivery-seqs.ts'
import { until } from './until.ts'

export async function allDeliveries(client: Client, query = ''): Promise<Delivery[]> {
  const all: Delivery[] = []
  for (let before: number | undefined; ; before = all.at(-1)?.seq) {
    const { items } = await client.call('deliveries.list', {
      query,
      limit: 1_000,
      ...(before === undefined ? {} : { before }),
    })
    all.push(...items)
    if (items.length < 1_000) return all.toReversed()
  }
}

export async function countMatches(client: Client, query: string): Promise<number> {
  let count = 0
  for await (const { seqs } of readSeqsInParts(client, { query }, new AbortController().signal))
    count += seqs?.length ?? 0
  return count
}

export async function bodyOf(client: Client, id: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let offset = 0; ; offset += BODY_CHUNK_BYTES) {
    const { base64, size } = await client.call('deliveries.body', { id, offset })
    pieces.push(Buffer.from(base64, 'base64'))
    if (offset + BODY_CHUNK_BYTES >= size) return Buffer.concat(pieces)
  }
}

export function waitForDeliveries(client: Client, count: number, query = ''): Promise<Delivery[]> {
  const read = () => allDeliveries(client, query)
  return until(client, 'deliveries.changed', read, ({ length }) => length >= count)
}
