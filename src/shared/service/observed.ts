/**
 * Fields that accounts in test mode have been seen to send as null or to leave out, although the spec says otherwise. Such a
 * mismatch is a finding; any other one is an error.
 */
import type { ShownEventType } from './event-type.ts'
import type { Section } from './hook-finding.ts'

export interface Observed {
  /** Names joined by dots. */
  readonly path: string
  readonly seen: 'null' | 'absent'
  /** What the spec says instead, and where. */
  readonly spec: string
  readonly section: Section
  /** The events that had it; if omitted, all with the field. */
  readonly events?: readonly ShownEventType[]
}

const allObserved: readonly Observed[] = [
  { path: 'approvalCode', seen: 'null', spec: 'string', section: '2.6' },
  { path: 'authCode', seen: 'null', spec: 'string', section: '2.6' },
  { path: 'cardPresent', seen: 'null', spec: 'boolean', section: '2.6' },
  {
    path: 'identifiers.amexApprovalCode',
    seen: 'absent',
    spec: 'string or null',
    section: '2.6',
  },
  {
    path: 'offer',
    seen: 'absent',
    spec: 'object or null',
    section: '2.6',
    events: ['transaction.refund'],
  },
]

/** The mismatches seen in an event's payloads. */
export function observedIn(event: ShownEventType): readonly Observed[] {
  if (!event.startsWith('transaction.')) return []
  return allObserved.filter(({ events }) => events?.includes(event) ?? true)
}

type Payload = Readonly<Record<string, unknown>>

/** The payload as accounts in test mode send it, except for the fields in `kept`. */
export function asObserved(
  event: ShownEventType,
  payload: Payload,
  kept: readonly string[],
): Payload {
  return observedIn(event)
    .filter(({ path }) => !kept.includes(path))
    .reduce((sent, { path, seen }) => changed(sent, path.split('.'), seen), payload)
}

function changed(
  payload: Payload,
  [name = '', ...rest]: readonly string[],
  seen: Observed['seen'],
): Payload {
  if (!Object.hasOwn(payload, name)) return payload
  const { [name]: value, ...others } = payload
  if (rest.length > 0) return { ...payload, [name]: changed(value as Payload, rest, seen) }
  return seen === 'absent' ? others : { ...payload, [name]: null }
}
