/** Facts of a payload: amount, merchant and card. */
import { childOf, readJson, type JsonNode } from '../../../shared/json/tree.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'

/** Facts of a payload for the Overview. The amount is a number as sent. */
export interface PayloadFacts {
  readonly amount: string | null
  readonly currency: string | null
  readonly merchant: string | null
  readonly scheme: string | null
  readonly lastNumbers: string | null
}

/**
 * Reads the facts from the body of a transaction, card, brand, location or program; null if it
 * isn't a JSON object.
 */
export function payloadFacts(bytes: Uint8Array): PayloadFacts | null {
  const root = readJson(new TextDecoder().decode(bytes))
  if (root?.kind !== 'object') return null
  const at = (...path: readonly string[]) => path.reduce<JsonNode | null>(childOf, root)
  const text = (...path: readonly string[]) => at(...path)?.string || null
  const amount = at('amount')
  const isBrand = at('logoURL') !== null
  const card = at('card') === null ? [] : ['card']
  return {
    amount: amount?.kind === 'number' ? amount.raw : null,
    currency: text('currency'),
    merchant: text('brand', 'name') ?? (isBrand ? text('name') : null),
    scheme: text(...card, 'scheme'),
    lastNumbers: text(...card, 'lastNumbers'),
  }
}

/**
 * Returns a row's facts; null unless it has amount and merchant, so that cells don't move later.
 */
export function factsOfRow({ amount, currency, merchant }: DeliveryRow): PayloadFacts | null {
  if (amount === null || merchant === null) return null
  return { amount, currency, merchant, scheme: '\u00a0', lastNumbers: null }
}
