/** The bytes of a stored delivery, in pieces: a body may be larger than one call carries. */
import type { Client } from '../shared/rpc/client.ts'

export async function* bodyPieces(
  client: Client,
  id: string,
  from: 'deliveries.body' | 'bodies.decoded' = 'deliveries.body',
): AsyncGenerator<Uint8Array> {
  for (let offset = 0; ;) {
    const piece = await client.call(from, { id, offset })
    const bytes = Buffer.from(piece.base64, 'base64')
    yield bytes
    offset += bytes.length
    if (bytes.length === 0 || offset >= piece.size) return
  }
}

/** All of them in one piece. */
export async function wholeBody(
  client: Client,
  id: string,
  from: 'deliveries.body' | 'bodies.decoded' = 'deliveries.body',
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of bodyPieces(client, id, from)) pieces.push(piece)
  return Buffer.concat(pieces)
}
