/** What a payload tells, in the few words that a drawing has room for; null where it tells nothing of the kind. */
import { fieldAt } from './references.ts'

function text(payload: unknown, path: string): string | null {
  const value = fieldAt(payload, path)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

/** `12.5 GBP · visa …4001` of a transaction, `amex · location.active` of a location, the name of a brand or program. */
export function payloadWords(payload: unknown): string | null {
  const amount = text(payload, 'amount')
  const currency = text(payload, 'currency')
  const money = amount === null || currency === null ? null : `${amount} ${currency}`
  const holder = fieldAt(payload, 'card') === undefined ? '' : 'card.'
  const scheme = text(payload, `${holder}scheme`)
  const last = text(payload, `${holder}lastNumbers`)
  const card = last === null ? scheme : `${scheme ?? 'card'} …${last}`
  const words = [money, card, text(payload, 'status'), text(payload, 'name')].filter((word) => word !== null)
  return words.length === 0 ? null : words.join(' · ')
}
