/** Words for sandbox objects: kinds, amounts and one-line summaries. */
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import { amountText } from '../../../shared/text/amount.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { valueAt } from './json-edit.ts'

export const kindNames: Readonly<
  Record<SandboxObjectKind, { readonly one: string; readonly many: string }>
> = {
  transaction: { one: 'transaction', many: 'Transactions' },
  card: { one: 'card', many: 'Cards' },
  location: { one: 'location', many: 'Locations' },
  brand: { one: 'brand', many: 'Brands' },
  offer: { one: 'offer', many: 'Offers' },
  program: { one: 'program', many: 'Programs' },
}

/** `a card`, `an offer`. */
export function aKind(kind: SandboxObjectKind): string {
  return `${kind === 'offer' ? 'an' : 'a'} ${kindNames[kind].one}`
}

export const objectKinds = Object.keys(kindNames) as readonly SandboxObjectKind[]

export function fieldText(object: Pick<SandboxObject, 'data'>, path: string): string {
  const value = valueAt(object.data, path)
  return typeof value === 'string' || typeof value === 'number' ? visibleText(String(value)) : ''
}

/** `visa 4111 11…1111`. */
export function cardText(object: Pick<SandboxObject, 'data'>, prefix = ''): string {
  return `${fieldText(object, `${prefix}scheme`)} ${fieldText(object, `${prefix}firstNumbers`)}…${fieldText(object, `${prefix}lastNumbers`)}`
}

/** The status of a payment: `pending`, `cleared`, `refund`. */
export function paymentState({
  data,
}: Pick<SandboxObject, 'data'>): 'pending' | 'cleared' | 'refund' {
  if (Number(data['amount']) < 0 || data['auth'] === false) return 'refund'
  return data['cleared'] === true ? 'cleared' : 'pending'
}

/** A one-line summary for selects and links. */
export function objectLine(object: SandboxObject): string {
  if (object.kind !== 'transaction') return visibleText(object.title)
  const amount = amountText(object.data['amount'], object.data['currency'])
  return [amount, fieldText(object, 'brand.name'), paymentState(object)]
    .filter((part) => part !== '')
    .join(' · ')
}
