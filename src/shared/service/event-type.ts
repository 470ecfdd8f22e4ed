/** The events that the service names (section 6.1), and through which kind of hook each is registered (section 1). */
import type { HookKind } from '../model/hook.ts'

/** Null: named as an event, but neither payload nor registration are shown. */
const kinds = {
  'brand.consent': 'brand',
  'card.linked': 'program',
  'card.failed': 'program',
  'program.status': 'program',
  'location.status': 'program',
  'transaction.auth': 'program',
  'transaction.auth.qualified': 'program',
  'transaction.clearing': 'program',
  'transaction.clearing.qualified': 'program',
  'transaction.refund': 'program',
  'transaction.refund.qualified': 'program',
  'marketplace.offer.live': null,
  'marketplace.offer.updated': null,
  'credits.balance.low': null,
} as const satisfies Record<string, HookKind | null>

export type EventType = keyof typeof kinds

/** The events whose payload the interface shows. */
export type ShownEventType = { [K in EventType]: (typeof kinds)[K] extends null ? never : K }[EventType]

/** The shown events without the twins that only qualified transactions cause. */
export type PlainEventType = Exclude<ShownEventType, `${string}.qualified`>

/** In the order of section 6.1. */
export const eventTypes = Object.keys(kinds) as readonly EventType[]

export const shownEventTypes = eventTypes.filter((event): event is ShownEventType => kinds[event] !== null)

export function isEventType(name: string): name is EventType {
  return Object.hasOwn(kinds, name)
}

export function isShownEventType(name: string): name is ShownEventType {
  return isEventType(name) && kinds[name] !== null
}

/** The kind of hook that registers the event; null where the interface does not show it, or does not know the event. */
export function hookKindOf(event: string): HookKind | null {
  return isEventType(event) ? kinds[event] : null
}

/** Whether the event is one of the three that only qualified transactions cause: those that take an `offerId` (section 4.2). */
export function isQualifiedEvent(event: string): boolean {
  return event.endsWith('.qualified') && isEventType(event)
}

/** Whether the event's payload is a transaction (section 2.6). */
export function isTransactionEvent(event: string): boolean {
  return event.startsWith('transaction.') && isEventType(event)
}

/** The event that a qualified one comes beside (section 6.2); every other event itself. */
export function plainEventOf(event: ShownEventType): PlainEventType {
  return event.replace(/\.qualified$/, '') as PlainEventType
}
