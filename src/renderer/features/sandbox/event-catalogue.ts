/** What the sandbox can be made to do: each event and fault with what it means, in one sentence. */
import type { Mode } from '../../../shared/model/delivery.ts'
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox-object.ts'
import type { Fault } from '../../../shared/model/sending.ts'
import { hookKindOf, isTransactionEvent, shownEventTypes, type ShownEventType } from '../../../shared/service/event-type.ts'

export const eventMeanings: Readonly<Record<ShownEventType, string>> = {
  'brand.consent': 'A brand agrees to take part.',
  'card.linked': 'A customer’s card is linked to the program.',
  'card.failed': 'A card could not be linked; the payload says why.',
  'program.status': 'The program’s locations are being synchronised.',
  'location.status': 'A location is reported, once for each card scheme.',
  'transaction.auth': 'Somebody pays with a linked card, this moment.',
  'transaction.auth.qualified': 'A payment that meets an offer; the plain event comes along.',
  'transaction.clearing': 'A payment is settled, days after it was made.',
  'transaction.clearing.qualified': 'The settlement of a payment that meets an offer.',
  'transaction.refund': 'Money goes back; the refund’s clearing comes along.',
  'transaction.refund.qualified': 'A refund that takes back what an offer gave.',
}

export const eventGroups = [
  { label: 'Brand', events: shownEventTypes.filter((event) => hookKindOf(event) === 'brand') },
  {
    label: 'Program',
    events: shownEventTypes.filter((event) => hookKindOf(event) === 'program' && !isTransactionEvent(event)),
  },
  { label: 'Program · transactions', events: shownEventTypes.filter(isTransactionEvent) },
] as const

/** Why the sandbox does not send the event in that mode, or null (section 6.2). */
export function refusedIn(event: ShownEventType, mode: Mode): string | null {
  return event === 'program.status' && mode === 'test' ? 'live only' : null
}

export const faultMeanings: Readonly<Record<Fault, { readonly name: string; readonly meaning: string }>> = {
  duplicate: { name: 'Duplicate', meaning: 'What was acknowledged is sent once more.' },
  'out-of-order': { name: 'Out of order', meaning: 'What happened last arrives first.' },
  late: { name: 'Late', meaning: 'It happened a day ago; the signature is fresh.' },
  'wrong-secret': { name: 'Wrong secret', meaning: 'Signed with a secret that is not the hook’s.' },
  'single-pass': { name: 'Hashed once', meaning: 'Signed with one hash instead of two.' },
  stale: { name: 'Stale', meaning: 'Signed ten minutes ago.' },
  'altered-body': { name: 'Altered body', meaning: 'One digit is changed after signing.' },
}

/** What an event can be about, and what happens where nothing is chosen. */
export interface Subject {
  readonly kinds: readonly SandboxObjectKind[]
  readonly label: string
  readonly nothing: string
  fits(object: SandboxObject): boolean
}

const anything = () => true
const payment = {
  kinds: ['card', 'location'],
  label: 'Paid with, or at',
  nothing: 'Any card, at any location',
  fits: anything,
} as const
const clearing = {
  kinds: ['transaction'],
  label: 'Of the payment',
  nothing: 'One made days ago',
  fits: ({ data }: SandboxObject) => data['auth'] === true && data['cleared'] === false,
} as const
const refund = {
  kinds: ['transaction'],
  label: 'Of the purchase',
  nothing: 'One that is not known here (unmatched)',
  fits: ({ data }: SandboxObject) => data['auth'] === true && Number(data['amount']) >= 0,
} as const

const subjects: Readonly<Record<ShownEventType, Subject | null>> = {
  'brand.consent': { kinds: ['brand'], label: 'Of the brand', nothing: 'A new brand', fits: anything },
  'card.linked': { kinds: ['card'], label: 'Of the card', nothing: 'A new card', fits: anything },
  'card.failed': null,
  'program.status': null,
  'location.status': { kinds: ['location'], label: 'Of the location', nothing: 'A new location', fits: anything },
  'transaction.auth': payment,
  'transaction.auth.qualified': payment,
  'transaction.clearing': clearing,
  'transaction.clearing.qualified': clearing,
  'transaction.refund': refund,
  'transaction.refund.qualified': refund,
}

/** Null where an event is about nothing that could be chosen. */
export function subjectOf(event: ShownEventType): Subject | null {
  return subjects[event]
}

/** What could be chosen, newest first, of one program where one is named. */
export function candidatesFor(
  event: ShownEventType,
  objects: readonly SandboxObject[],
  programId: string,
): readonly SandboxObject[] {
  const subject = subjects[event]
  if (subject === null) return []
  return objects
    .filter((object) => subject.kinds.includes(object.kind) && subject.fits(object))
    .filter(({ kind, data }) => programId === '' || kind === 'brand' || data['programId'] === programId)
    .toReversed()
}
