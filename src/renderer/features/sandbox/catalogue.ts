/** Words for the objects, events and faults of the sandbox. */
import type { Mode } from '../../../shared/model/delivery.ts'
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import type { Fault } from '../../../shared/model/notification.ts'
import {
  hookKindOf,
  isTransactionEvent,
  shownEventTypes,
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

/** Sums up an object in one line for lists, choices and links. */
export function objectLine(object: SandboxObject): string {
  if (object.kind !== 'transaction') return visibleText(object.title)
  const amount = amountText(object.data['amount'], object.data['currency'])
  return [amount, fieldText(object, 'brand.name'), objectState(object).word]
    .filter((part) => part !== '')
    .join(' · ')
}

export const eventGroups = [
  { label: 'Brand', events: shownEventTypes.filter((event) => hookKindOf(event) === 'brand') },
  {
    label: 'Program',
    events: shownEventTypes.filter(
      (event) => hookKindOf(event) === 'program' && !isTransactionEvent(event),
    ),
  },
  { label: 'Program · transactions', events: shownEventTypes.filter(isTransactionEvent) },
] as const

/** Returns the reason why the sandbox doesn't send the event in this mode, or null (spec 6.2). */
export function refusalReason(event: ShownEventType, mode: Mode): string | null {
  return event === 'program.status' && mode === 'test' ? 'live only' : null
}

export const faultMeanings: Readonly<
  Record<Fault, { readonly name: string; readonly meaning: string }>
> = {
  duplicate: { name: 'Duplicate', meaning: 'Sent again after it was acknowledged.' },
  'out-of-order': { name: 'Out of order', meaning: 'The latest event arrives first.' },
  late: { name: 'Late', meaning: 'The event is a day old, its signature is fresh.' },
  'wrong-secret': { name: 'Wrong secret', meaning: 'Signed with a different secret.' },
  'single-pass': { name: 'Hashed once', meaning: 'Signed with one hash instead of two.' },
  stale: { name: 'Stale', meaning: 'Signed ten minutes ago.' },
  'altered-body': { name: 'Altered body', meaning: 'One digit changed after signing.' },
}

/** The object of an event, and the default without a selection. */
interface Subject {
  readonly kinds: readonly SandboxObjectKind[]
  readonly label: string
  readonly nothing: string
  fits(object: SandboxObject): boolean
}

const anything = () => true
const payment = {
  kinds: ['card', 'location'],
  label: 'Card or location',
  nothing: 'Any card at any location',
  fits: anything,
} as const
const clearing = {
  kinds: ['transaction'],
  label: 'Payment',
  nothing: 'A payment made days ago',
  fits: ({ data }: SandboxObject) => data['auth'] === true && data['cleared'] === false,
} as const
const refund = {
  kinds: ['transaction'],
  label: 'Purchase',
  nothing: 'Unknown purchase (unmatched refund)',
  fits: ({ data }: SandboxObject) => data['auth'] === true && Number(data['amount']) >= 0,
} as const

const subjects: Readonly<Partial<Record<ShownEventType, Subject>>> = {
  'brand.consent': { kinds: ['brand'], label: 'Brand', nothing: 'New brand', fits: anything },
  'card.linked': { kinds: ['card'], label: 'Card', nothing: 'New card', fits: anything },
  'location.status': {
    kinds: ['location'],
    label: 'Location',
    nothing: 'New location',
    fits: anything,
  },
  'transaction.auth': payment,
  'transaction.auth.qualified': payment,
  'transaction.clearing': clearing,
  'transaction.clearing.qualified': clearing,
  'transaction.refund': refund,
  'transaction.refund.qualified': refund,
}

/** Returns the kind of object that an event is about; null if none can be selected. */
export function subjectOf(event: ShownEventType): Subject | null {
  return subjects[event] ?? null
}

/** Objects to select from, newest first, of one program if given. */
export function candidatesFor(
  event: ShownEventType,
  objects: readonly SandboxObject[],
  programId: string,
): readonly SandboxObject[] {
  const subject = subjectOf(event)
  return objects
    .filter((object) => subject?.kinds.includes(object.kind) === true && subject.fits(object))
    .filter(
      ({ kind, data }) => programId === '' || kind === 'brand' || data['programId'] === programId,
    )
    .toReversed()
}
