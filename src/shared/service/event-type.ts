/** Events of the service (section 6.1), and the kind of hook of each (section 1). */

/** Owner of a hook: the account, or one program. */
export type HookKind = 'brand' | 'program'

/** Hook kind of each event (null if the spec doesn't show it), and when it is sent. */
const events = {
  'brand.consent': ['brand', 'A brand gives its consent.'],
  'card.linked': ['program', 'A customer links a card to the program.'],
  'card.failed': ['program', 'Card link fails. The payload says why.'],
  'program.status': ['program', "The program's locations are syncing."],
  'location.status': ['program', 'A location is activated or fails, once per card scheme.'],
  'transaction.auth': ['program', 'A customer pays with a linked card.'],
  'transaction.auth.qualified': [
    'program',
    'A payment that qualifies for an offer. Also sends the plain event.',
  ],
  'transaction.clearing': ['program', 'A payment settles, days later.'],
  'transaction.clearing.qualified': ['program', 'A payment that qualified for an offer settles.'],
  'transaction.refund': ['program', 'A refund. Also sends its clearing.'],
  'transaction.refund.qualified': ['program', 'A refund of a payment that qualified for an offer.'],
  'marketplace.offer.live': [null, ''],
  'marketplace.offer.updated': [null, ''],
  'credits.balance.low': [null, ''],
} as const satisfies Record<string, readonly [kind: HookKind | null, meaning: string]>

export type EventType = keyof typeof events

export type ShownEventType = {
  [K in EventType]: (typeof events)[K][0] extends null ? never : K
}[EventType]

export type PlainEventType = Exclude<ShownEventType, `${string}.qualified`>

export const eventTypes = Object.keys(events) as readonly EventType[]

export const shownEventTypes = eventTypes.filter(
  (event): event is ShownEventType => events[event][0] !== null,
)

export function isEventType(name: string): name is EventType {
  return Object.hasOwn(events, name)
}

export function isShownEventType(name: string): name is ShownEventType {
  return isEventType(name) && events[name][0] !== null
}

/** Returns the kind of hook that registers the event, if the spec shows it. */
export function hookKindOf(event: string): HookKind | null {
  return isEventType(event) ? events[event][0] : null
}

export function eventMeaning(event: ShownEventType): string {
  return events[event][1]
}

/** Whether a text can name an event, even one that the spec doesn't list. */
export function isEventName(text: string): boolean {
  return text.length <= 100 && /^[a-z][\w-]*(\.[\w-]+)+$/i.test(text)
}

/** Returns the hook kind; of unlisted events, the program decides. */
export function registeredKindOf(event: string, programId: string | null): HookKind | null {
  if (isEventType(event)) return events[event][0]
  return programId === null ? 'brand' : 'program'
}

/** Whether the event accepts an `offerId` (section 4.2). */
export function isQualifiedEvent(event: string): boolean {
  return event.endsWith('.qualified') && isEventType(event)
}

export function isTransactionEvent(event: string): boolean {
  return event.startsWith('transaction.') && isEventType(event)
}

/** Returns the event that a .qualified event accompanies (section 6.2). */
export function plainEventOf(event: ShownEventType): PlainEventType {
  return event.replace(/\.qualified$/, '') as PlainEventType
}

export type EventTint = 'auth' | 'clearing' | 'refund' | 'card' | 'location'

/** Returns the color group of an event; null for the color of text. */
export function colorGroupOf(event: string): EventTint | null {
  const [subject, part] = event.split('.')
  if (subject === 'card') return 'card'
  if (subject === 'location' || subject === 'program') return 'location'
  if (subject !== 'transaction') return null
  return part === 'auth' || part === 'clearing' || part === 'refund' ? part : null
}
