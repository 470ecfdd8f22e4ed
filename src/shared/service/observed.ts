/** Mismatches with the spec seen at accounts in test mode: findings, not errors. */
import type { ShownEventType } from './event-type.ts'
import type { Section } from './hook-finding.ts'

export interface ObservedMismatch {
  readonly path: string
  readonly seen: 'null' | 'absent'
  readonly spec: string
  readonly section: Section
  /** Default: all events with the field. */
  readonly events?: readonly ShownEventType[]
}

const allObserved: readonly ObservedMismatch[] = [
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

export function observedIn(event: ShownEventType): readonly ObservedMismatch[] {
  if (!event.startsWith('transaction.')) return []
  return allObserved.filter(({ events }) => events?.includes(event) ?? true)
}

type Payload = Readonly<Record<string, unknown>>

/** Converts a payload to what accounts in test mode send. */
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
  seen: ObservedMismatch['seen'],
): Payload {
  if (!Object.hasOwn(payload, name)) return payload
  const { [name]: value, ...others } = payload
  if (rest.length > 0) return { ...payload, [name]: changed(value as Payload, rest, seen) }
  return seen === 'absent' ? others : { ...payload, [name]: null }
}
