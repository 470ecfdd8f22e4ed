/** What a command prints of deliveries, without known secrets and the values of their custom headers: the core knows both. */
import { MOST_TEXTS } from '../shared/contract/nouns/exchange.ts'
import type { Client } from '../shared/rpc/client.ts'

/** Characters that one call carries, about. */
const MOST_CHARACTERS = 1_000_000

export type MaskTexts = (texts: readonly string[]) => Promise<string[]>

/** Masks texts of these deliveries, in their order; with `includeSecrets` they stay as they are. */
export function createMaskTexts(client: Client, ids: readonly string[], includeSecrets: boolean): MaskTexts {
  return async (texts) => {
    if (includeSecrets) return [...texts]
    const masked: string[] = []
    while (masked.length < texts.length) {
      const piece: string[] = []
      for (let characters = 0; piece.length < MOST_TEXTS && characters < MOST_CHARACTERS;) {
        const text = texts[masked.length + piece.length]
        if (text === undefined) break
        piece.push(text)
        characters += text.length
      }
      masked.push(...(await client.call('exchange.mask', { ids: [...ids], texts: piece })).texts)
    }
    return masked
  }
}

/** The same for one text, or none. */
export async function maskText<Text extends string | null>(mask: MaskTexts, text: Text): Promise<Text | string> {
  if (text === null) return text
  const [masked = ''] = await mask([text])
  return masked
}
