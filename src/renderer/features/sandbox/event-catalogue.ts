/** One-sentence descriptions of sandbox events and faults. */
import type { Mode } from '../../../shared/model/delivery.ts'
import type { SandboxObject, SandboxObjectKind, Fault } from '../../../shared/model/sandbox.ts'
import {
  hookKindOf,
  isTransactionEvent,
  shownEventTypes,
  type ShownEventType,
} from '../../../shared/service/event-type.ts'

export const eventMeanings: Readonly<Record<ShownEventType, string>> = {
  'brand.consent': 'A brand gives its consent.',
  'card.linked': 'A customer links a card to the program.',
  'card.failed': 'Card link fails. The payload says why.',
  'program.status': "The program's locations are syncing.",
  'location.status': 'A location is activated or fails, once per card scheme.',
  'transaction.auth': 'A customer pays with a linked card.',
  'transaction.auth.qualified':
    'A payment that qualifies for an offer. Also sends the plain event.',
  'transaction.clearing': 'A payment settles, days later.',
  'transaction.clearing.qualified': 'A payment that qualified for an offer settles.',
  'transaction.refund': 'A refund. Also sends its clearing.',
  'transaction.refund.qualified': 'A refund of a payment that qualified for an offer.',
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

/** Why the sandbox doesn't send the event in this mode, or null (spec 6.2). */
export function refusedIn(event: ShownEventType, mode: Mode): string | null {
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
export interface Subject {
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

const subjects: Readonly<Record<ShownEventType, Subject | null>> = {
  'brand.consent': { kinds: ['brand'], label: 'Brand', nothing: 'New brand', fits: anything },
  'card.linked': { kinds: ['card'], label: 'Card', nothing: 'New card', fits: anything },
  'card.failed': null,
  'program.status': null,
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

/** Null if there is no object to select for the event. */
export function subjectOf(event: ShownEventType): Subject | null {
  return subjects[event]
}

/** Objects to select from, newest first, of one program if given. */
export function candidatesFor(
  event: ShownEventType,
  objects: readonly SandboxObject[],
  programId: string,
): readonly SandboxObject[] {
  const subject = subjects[event]
  if (subject === null) return []
  return objects
    .filter((object) => subject.kinds.includes(object.kind) && subject.fits(object))
    .filter(
      ({ kind, data }) => programId === '' || kind === 'brand' || data['programId'] === programId,
    )
    .toReversed()
}
