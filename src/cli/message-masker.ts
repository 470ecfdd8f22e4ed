/** Masks messages for a comparison. */
import { MASKED_BEYOND } from '../shared/text/mask.ts'
import { MASK, maskPlaces } from '../shared/text/masked-places.ts'
import type { Client } from '../shared/rpc/client.ts'
import type { SideMessage } from './compared-sides.ts'

/** A message with numbered marks for its secrets, so that two different secrets differ. */
export interface MaskedMessage extends Pick<SideMessage, 'bytes' | 'text' | 'headers'> {
  readonly hasSecrets: boolean
}

/** Characters masked per call. */
const PIECE_LENGTH = 1_000_000

/** Returns a function that masks messages, including repeated header values of the deliveries. */
export function createMasker(client: Client, ids: string[]) {
  const secrets: string[] = []
  const markOf = (secret: string) => {
    if (!secrets.includes(secret)) secrets.push(secret)
    return MASK.replace(']', ` ${secrets.indexOf(secret) + 1}]`)
  }
  async function maskText(text: string, isCut: boolean): Promise<string> {
    const parts: string[] = []
    for (let from = 0; from < text.length;) {
      const piece = text.slice(from, from + PIECE_LENGTH + MASKED_BEYOND)
      const isLast = from + piece.length === text.length
      const request = { ids, text: piece, isCut: isCut && isLast }
      const { places } = await client.call('exchange.places', request)
      const inside = places.filter(({ start }) => start < PIECE_LENGTH)
      const end = Math.max(PIECE_LENGTH, inside.at(-1)?.end ?? 0)
      parts.push(maskPlaces(piece, inside, end, markOf))
      from += end
    }
    return parts.join('')
  }
  return async ({
    bytes,
    text,
    isCut,
    headers,
    shownHeaders,
  }: SideMessage): Promise<MaskedMessage> => {
    const content = text ?? Buffer.from(bytes).toString('latin1')
    const masked = await maskText(content, isCut)
    return {
      bytes,
      text: text === null ? null : masked,
      hasSecrets: masked !== content,
      headers:
        headers?.map(([, value], index): [string, string] => {
          const [name, shown] = shownHeaders?.[index] ?? ['', MASK]
          return [name, shown === value ? value : shown.replaceAll(MASK, markOf(value))]
        }) ?? null,
    }
  }
}
