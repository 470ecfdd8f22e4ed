/** What may be typed next in the filter: fields, the words of `is:`, the events. Only what stands after the last space counts. */
import { STATES, type State } from '../../../shared/query/query.ts'
import { eventTypes } from '../../../shared/service/event-type.ts'

export interface Suggestion {
  /** The whole filter, should it be taken. */
  readonly draft: string
  /** The part that is offered. */
  readonly part: string
  readonly meaning: string
}

const meanings: Readonly<Record<State, string>> = {
  valid: 'the signature is proved by a known secret',
  invalid: 'no known secret proves the signature',
  unsigned: 'signature or timestamp is missing',
  'unknown-hook': 'signed, for a path that no hook has',
  fresh: 'signed within five minutes of receipt',
  stale: 'signed more than five minutes before receipt',
  future: 'signed more than five minutes ahead',
  missing: 'the timestamp is absent or not a number',
  retry: 'a second or third attempt',
  truncated: 'the body went over the limit',
  duplicate: 'repeated after it had been acknowledged',
  malformed: 'not well-formed HTTP',
}

const MOST = 13

export function suggestionsFor(draft: string): readonly Suggestion[] {
  const start = draft.lastIndexOf(' ') + 1
  const begun = draft.slice(start).toLowerCase()
  if (begun.startsWith('"')) return []
  const events = begun.startsWith('event:')
    ? eventTypes.map((event) => [`event:${event}`, ''] as const)
    : [['event:', 'an event, such as event:transaction.auth'] as const]
  const all = [...events, ...STATES.map((state) => [`is:${state}`, meanings[state]] as const)]
  return all
    .filter(([part]) => part.startsWith(begun) && part !== begun)
    .slice(0, MOST)
    .map(([part, meaning]) => ({ draft: draft.slice(0, start) + part + (part.endsWith(':') ? '' : ' '), part, meaning }))
}
