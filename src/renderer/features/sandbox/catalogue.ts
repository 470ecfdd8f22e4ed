/** Words for the objects, events and faults of the sandbox. */
import type { Mode } from '../../../shared/model/delivery.ts'
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import {
  isTransactionEvent,
  plainEventOf,
  shownEventTypes,
  type PlainEventType,
  type ShownEventType,
} from '../../../shared/service/event-type.ts'
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

/** Returns the kind with its article: `a card`, `an offer`. */
export function kindWithArticle(kind: SandboxObjectKind): string {
  return `${kind === 'offer' ? 'an' : 'a'} ${kindNames[kind].one}`
}

export const objectKinds = Object.keys(kindNames) as readonly SandboxObjectKind[]

export function fieldText(object: Pick<SandboxObject, 'data'>, path: string): string {
  const value = valueAt(object.data, path)
  return typeof value === 'string' || typeof value === 'number' ? visibleText(String(value)) : ''
}

interface ObjectState {
  readonly word: string
  readonly tone: 'good' | 'waiting' | 'quiet'
}

const quiet = (word: string): ObjectState => ({ word, tone: 'quiet' })
const schemes = { visa: 'Visa', mastercard: 'Mastercard', amex: 'Amex' } as const
const schemeName = (scheme: string) =>
  Object.entries(schemes).find(([name]) => name === scheme)?.[1] ?? scheme

/** Returns the state of an object: `pending`, `cleared`, `Visa, Amex`, `expires 04/2029`. */
export function objectState(object: Pick<SandboxObject, 'kind' | 'data'>): ObjectState {
  const { kind, data } = object
  switch (kind) {
    case 'transaction': {
      if (Number(data['amount']) < 0 || data['auth'] === false) return quiet('refund')
      const isCleared = data['cleared'] === true
      return { word: isCleared ? 'cleared' : 'pending', tone: isCleared ? 'good' : 'waiting' }
    }
    case 'brand':
      return data['consent'] === true ? { word: 'consented', tone: 'good' } : quiet('no consent')
    case 'location': {
      const active = Object.entries(schemes).flatMap(([scheme, name]) =>
        valueAt(data, `${scheme}.status`) !== 'active'
          ? []
          : valueAt(data, `${scheme}.auth`) === true
            ? name
            : `${name} (clearings only)`,
      )
      return active.length === 0 ? quiet('inactive') : { word: active.join(', '), tone: 'good' }
    }
    case 'card':
      return quiet(
        `expires ${fieldText(object, 'expMonth').padStart(2, '0')}/${fieldText(object, 'expYear')}`,
      )
    case 'offer': {
      const end = fieldText(object, 'endsAt')
      return quiet(end === '' ? 'no end' : `ends ${end.slice(0, 10)}`)
    }
    case 'program':
      return quiet(fieldText(object, 'syncStats.status'))
  }
}

/** Names an object: a payment by its amount and brand. */
export function objectTitle(object: SandboxObject): string {
  if (object.kind !== 'transaction') return visibleText(object.title)
  const amount = amountText(object.data['amount'], object.data['currency'])
  return [amount, fieldText(object, 'brand.name')].filter((part) => part !== '').join(' · ')
}

/** Sums up an object in one line for lists, choices and links, with a payment's state. */
export function objectLine(object: SandboxObject): string {
  const title = objectTitle(object)
  return object.kind === 'transaction' ? `${title} · ${objectState(object).word}` : title
}

export const eventGroups = [
  { label: 'Transactions', events: shownEventTypes.filter(isTransactionEvent) },
  { label: 'Cards', events: ['card.linked', 'card.failed'] },
  {
    label: 'Brand, program, location',
    events: ['brand.consent', 'location.status', 'program.status'],
  },
] as const satisfies readonly { label: string; events: readonly ShownEventType[] }[]

/** Returns the reason why the sandbox doesn't send the event in this mode, or null (spec 6.2). */
export function refusalReason(event: ShownEventType, mode: Mode): string | null {
  return event === 'program.status' && mode === 'test' ? 'live mode only' : null
}

/** A field that selects an object of an event, and its default without a selection. */
export interface ObjectField {
  readonly label: string
  readonly kind: SandboxObjectKind
  /** Path of the object's ID in the payload. */
  readonly path: string
  readonly nothing: string
  /** Whether an object of the sandbox is drawn without a selection, rather than a new one made. */
  readonly isDrawn?: boolean
  readonly fits?: (object: SandboxObject) => boolean
}

const card = { label: 'Card', kind: 'card', path: 'id', nothing: 'New card' } as const
const location = {
  label: 'Location',
  kind: 'location',
  path: 'location.id',
  nothing: 'New location',
} as const
const payer = [
  { ...card, path: 'card.id', nothing: 'Random card', isDrawn: true },
  { ...location, nothing: 'Random location', isDrawn: true },
]
const payment: ObjectField = {
  label: 'Payment',
  kind: 'transaction',
  path: 'id',
  nothing: 'A payment made days ago',
  fits: ({ data }) => data['auth'] === true && data['cleared'] === false,
}
const purchase: ObjectField = {
  label: 'Purchase',
  kind: 'transaction',
  path: 'originalTransactionId',
  nothing: 'Unknown purchase (unmatched refund)',
  fits: ({ data }) => data['auth'] === true && Number(data['amount']) >= 0,
}

const objectFields: Readonly<Partial<Record<PlainEventType, readonly ObjectField[]>>> = {
  'brand.consent': [{ label: 'Brand', kind: 'brand', path: 'id', nothing: 'New brand' }],
  'card.linked': [card],
  'location.status': [location],
  'transaction.auth': payer,
  'transaction.clearing': [payment],
  'transaction.refund': [purchase],
}

/** Returns the fields that select the event's objects. */
export function objectFieldsOf(event: ShownEventType): readonly ObjectField[] {
  return objectFields[plainEventOf(event)] ?? []
}

/** Objects to select from, newest first, of one program if given. */
export function candidatesFor(
  field: ObjectField,
  objects: readonly SandboxObject[],
  programId: string,
): readonly SandboxObject[] {
  return objects
    .filter((object) => object.kind === field.kind && field.fits?.(object) !== false)
    .filter(
      ({ kind, data }) => programId === '' || kind === 'brand' || data['programId'] === programId,
    )
    .toReversed()
}

/** Returns an object's label in a select: `···· 1881 Visa`, `Nordlys Books, London`. */
export function choiceLine(object: SandboxObject, objects: readonly SandboxObject[]): string {
  const text = (path: string) => fieldText(object, path)
  if (object.kind === 'card') return `···· ${text('lastNumbers')} ${schemeName(text('scheme'))}`
  if (object.kind !== 'location') return objectLine(object)
  const brandId = object.data['brandId']
  const owner = objects.find(({ kind, id }) => kind === 'brand' && id === brandId)
  return owner === undefined ? objectLine(object) : `${objectLine(owner)}, ${text('city')}`
}
