/**
 * What a route can ask for: only what is known of a delivery when it is decided where it goes. And which environments it reaches,
 * so that a live one is never passed on without a word.
 */
import type { FieldName } from '../../shared/query/fields.ts'
import type { FlagName } from '../../shared/query/flags.ts'
import { createFilter } from '../../shared/query/matches.ts'
import type { Predicate, Query } from '../../shared/query/query.ts'
import type { SearchedDelivery } from '../../shared/query/fields.ts'
import { BLANK_DELIVERY } from '../../shared/model/delivery.ts'

/** What comes to a delivery only later, by whom it is looked at and answered. */
const LATER_FIELDS: ReadonlySet<FieldName> = new Set<FieldName>(['status', 'ms', 'note', 'colour'])
const LATER_FLAGS: ReadonlySet<FlagName> = new Set<FlagName>(['is:answered', 'is:refused', 'is:pinned', 'has:note', 'has:colour'])
/** What is found out right behind the answer: too late where the answer itself depends on it. */
const BEHIND_FIELDS: ReadonlySet<FieldName> = new Set<FieldName>(['schema', 'attempt'])
const BEHIND_FLAGS: ReadonlySet<FlagName> = new Set<FlagName>(['is:duplicate', 'is:retry'])

function predicatesOf(query: Query): readonly Predicate[] {
  switch (query.kind) {
    case 'all':
    case 'any':
      return query.of.flatMap(predicatesOf)
    case 'not':
      return predicatesOf(query.of)
    default:
      return [query]
  }
}

/** The first thing that a route asks for too early, as it is written in the search; null where it can be decided. */
export function askedTooEarly(query: Query, { beforeAnswer }: { readonly beforeAnswer: boolean }): string | null {
  for (const predicate of predicatesOf(query)) {
    if (predicate.kind === 'flag') {
      if (LATER_FLAGS.has(predicate.flag) || (beforeAnswer && BEHIND_FLAGS.has(predicate.flag))) return predicate.flag
    } else if ('field' in predicate) {
      if (LATER_FIELDS.has(predicate.field) || (beforeAnswer && BEHIND_FIELDS.has(predicate.field))) return `${predicate.field}:`
    }
  }
  return null
}

/** A hook as far as a route can ask for it. */
export interface ReachedHook {
  readonly id: string
  readonly event: string
  readonly environment: string
  readonly mode: 'test' | 'live'
}

/** What is the same for all deliveries of a hook; an event may yet be another, where no key proves it. */
const KNOWN_FIELDS: ReadonlySet<FieldName> = new Set<FieldName>(['environment', 'mode', 'hook'])
const KNOWN_FLAGS: ReadonlySet<FlagName> = new Set<FlagName>(['is:test', 'is:live', 'has:hook'])

const SOME: SearchedDelivery = { ...BLANK_DELIVERY, body: new Uint8Array() }

/** Whether a query holds for a delivery of which only some things are known: true, false, or null where that depends on the rest. */
function holds(query: Query, delivery: SearchedDelivery): boolean | null {
  switch (query.kind) {
    case 'all': {
      const parts = query.of.map((part) => holds(part, delivery))
      return parts.includes(false) ? false : parts.includes(null) ? null : true
    }
    case 'any': {
      const parts = query.of.map((part) => holds(part, delivery))
      return parts.includes(true) ? true : parts.includes(null) ? null : false
    }
    case 'not': {
      const part = holds(query.of, delivery)
      return part === null ? null : !part
    }
    default: {
      const isKnown = query.kind === 'flag' ? KNOWN_FLAGS.has(query.flag) : 'field' in query && KNOWN_FIELDS.has(query.field)
      return isKnown ? createFilter(query)(delivery) : null
    }
  }
}

/** The ids of the hooks whose deliveries may fit the route. */
export function reachedHooks(query: Query, hooks: readonly ReachedHook[]): string[] {
  return hooks
    .filter(({ id, environment, mode }) => holds(query, { ...SOME, hookId: id, environment, mode }) !== false)
    .map(({ id }) => id)
}
