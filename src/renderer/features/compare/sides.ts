/** The sides of a comparison: a delivery with its body, or pasted text; and their titles. */
import { contentEncodings, utf8Text } from '../../../shared/body/encoding.ts'
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { concatenated, fromBase64 } from '../../ui/bytes.ts'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { eventWord } from '../../ui/verdict.tsx'

export type SideName = 'left' | 'right'

/** The selection of a side. */
export type SideChoice =
  | { readonly kind: 'delivery'; readonly id: string }
  | { readonly kind: 'text'; readonly text: string }

export type Side =
  | {
      readonly kind: 'delivery'
      readonly delivery: Delivery
      readonly bytes: Uint8Array<ArrayBuffer>
      /** The decoded text (`content-encoding` removed); null if it isn't UTF-8. */
      readonly text: string | null
      /** Null if it couldn't be explained. */
      readonly signature: SignatureReport | null
    }
  | { readonly kind: 'text'; readonly text: string }

/** Loads a delivery as a side. Rejects if it doesn't exist or the call is aborted. */
export async function readDelivery(client: Client, id: string, signal: AbortSignal): Promise<Side> {
  const options = { signal }
  const delivery = await client.call('deliveries.get', { id }, options)
  const [bytes, signature] = await Promise.all([
    readBody(client, delivery, signal),
    // The rest can still be compared without it.
    client.call('deliveries.signature', { id: delivery.id }, options).catch(() => null),
  ])
  const isEncoded = contentEncodings(delivery.headers).length > 0
  const content = isEncoded ? await readBody(client, delivery, signal, 'bodies.decoded') : bytes
  // A partly decoded body may end inside a character.
  return {
    kind: 'delivery',
    delivery,
    bytes,
    text: utf8Text(content, delivery.truncated || isEncoded),
    signature,
  }
}

async function readBody(
  client: Client,
  { id, bodySize }: Delivery,
  signal: AbortSignal,
  from: 'deliveries.body' | 'bodies.decoded' = 'deliveries.body',
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  if (bodySize === 0) return new Uint8Array()
  for (let offset = 0; ;) {
    const { base64, size } = await client.call(from, { id, offset }, { signal })
    const piece = fromBase64(base64)
    pieces.push(piece)
    offset += piece.length
    if (piece.length === 0 || offset >= size) return concatenated(pieces)
  }
}

/** `transaction.auth, 21 Nov 2026 14:03:07.512`. */
export function sideTitle(side: Side): string {
  if (side.kind === 'text') return 'pasted text'
  const { delivery } = side
  return `${eventWord(delivery).text}, ${calendarDay(delivery.receivedAt)} ${clockTime(delivery.receivedAt)} (${delivery.id})`
}
