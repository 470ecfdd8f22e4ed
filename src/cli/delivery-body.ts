/** Reads the body of a stored delivery, prints messages, and masks texts of deliveries. */
import { utf8Text } from '../shared/body/encoding.ts'
import type { Delivery, RawHeaders } from '../shared/model/delivery.ts'
import type { Client } from '../shared/rpc/client.ts'
import { byteSize } from '../shared/text/english.ts'
import { maskPlaces } from '../shared/text/masked-places.ts'
import { readableHeader } from '../shared/text/printable.ts'

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

export async function wholeBody(
  client: Client,
  id: string,
  from: 'deliveries.body' | 'bodies.decoded' = 'deliveries.body',
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of bodyPieces(client, id, from)) pieces.push(piece)
  return Buffer.concat(pieces)
}

export interface StoredMessage {
  readonly headers: RawHeaders
  readonly bytes: Uint8Array
  /** Whether only the start of the body is stored. */
  readonly truncated: boolean
}

export function headerLine([name, value]: RawHeaders[number]): string {
  return `${name}: ${readableHeader(value)}`
}

/** Returns the headers, an empty line, and the body as text. */
export function messageLines({ headers, bytes, truncated }: StoredMessage): string[] {
  const text = utf8Text(bytes, truncated)
  return [
    ...headers.map(headerLine),
    '',
    ...(bytes.length === 0
      ? ['(no body)']
      : (text?.split(/\r?\n/) ?? ['(not UTF-8 text: see the bytes with --json)'])),
    ...(truncated ? [`(only the first ${byteSize(bytes.length)} stored)`] : []),
  ]
}

/**
 * Returns the first `most` bytes as text, masked before they are cut; null if they aren't text.
 * @param options `mayEndInCharacter`: the bytes are the start of more
 */
export async function maskedStart(
  client: Client,
  { id, truncated }: Pick<Delivery, 'id' | 'truncated'>,
  bytes: Uint8Array,
  { most, mayEndInCharacter }: { readonly most: number; readonly mayEndInCharacter: boolean },
): Promise<string | null> {
  const text = utf8Text(bytes, mayEndInCharacter)
  if (text === null) return null
  const isCut = truncated && bytes.length <= most
  const { places } = await client.call('exchange.places', { ids: [id], text, isCut })
  return maskPlaces(text, places, utf8Text(bytes.subarray(0, most), true)?.length)
}
