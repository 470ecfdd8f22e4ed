/** The two sides of a comparison: a delivery with its body, or a pasted text; and what each is called. */
import { contentEncodings } from '../../../shared/body/content-headers.ts'
import { utf8Text } from '../../../shared/body/utf8-text.ts'
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { concatenated, fromBase64 } from '../../ui/bytes.ts'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { eventWord } from '../../ui/verdict.tsx'

export type SideName = 'left' | 'right'

/** What a side is to be. */
export type SideChoice = { readonly kind: 'delivery'; readonly id: string } | { readonly kind: 'text'; readonly text: string }

export type Side =
  | {
      readonly kind: 'delivery'
      readonly delivery: Delivery
      readonly bytes: Uint8Array<ArrayBuffer>
      /** What the bytes say, their `content-encoding` undone; null where that is no UTF-8. */
      readonly text: string | null
      /** Null where it could not be explained. */
      readonly signature: SignatureReport | null
    }
  | { readonly kind: 'text'; readonly text: string }

/** Reads what a side is; rejects where there is no such delivery, or the call is aborted. */
export async function readSide(client: Client, choice: SideChoice, signal: AbortSignal): Promise<Side> {
  if (choice.kind === 'text') return choice
  const options = { signal }
  const delivery = await client.call('deliveries.get', { id: choice.id }, options)
  const [bytes, signature] = await Promise.all([
    readBody(client, delivery, signal),
    // The rest is worth comparing without it.
    client.call('deliveries.signature', { id: delivery.id }, options).catch(() => null),
  ])
  const isEncoded = contentEncodings(delivery.headers).length > 0
  const content = isEncoded ? await readBody(client, delivery, signal, 'bodies.decoded') : bytes
  // What is decoded only up to a limit may end amid a character.
  return { kind: 'delivery', delivery, bytes, text: utf8Text(content, delivery.truncated || isEncoded), signature }
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
