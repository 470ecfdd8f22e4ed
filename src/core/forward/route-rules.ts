/**
 * What a target's filter may use: only what is known of a delivery when it is routed. Also finds the environments a filter reaches,
 * so that live deliveries are never forwarded without confirmation.
 */
import type { FieldName } from '../../shared/query/fields.ts'
import type { FlagName } from '../../shared/query/flags.ts'
import { createFilter } from '../../shared/query/matches.ts'
import type { Predicate, Query } from '../../shared/query/query.ts'
import type { SearchedDelivery } from '../../shared/query/fields.ts'
import { BLANK_DELIVERY } from '../../shared/model/delivery.ts'

/** Fields that a delivery gets only later, from people and responses. */
const LATER_FIELDS: ReadonlySet<FieldName> = new Set<FieldName>([
  'status',
  'ms',
  'note',
  'colour',
  'response',
  'handler',
  'flow',
])
const LATER_FLAGS: ReadonlySet<FlagName> = new Set<FlagName>([
  'is:answered',
  'is:refused',
  'is:pinned',
  'has:note',
  'has:colour',
  'response:failing',
  'response:none',
])
/** Fields computed right after the response, and so too late if the response depends on the filter. */
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

/** The first field that isn't known in time, as written in the filter; null if all are. */
export function askedTooEarly(
  query: Query,
  { beforeAnswer }: { readonly beforeAnswer: boolean },
): string | null {
  for (const predicate of predicatesOf(query)) {
    if (predicate.kind === 'flag') {
      if (LATER_FLAGS.has(predicate.flag) || (beforeAnswer && BEHIND_FLAGS.has(predicate.flag)))
        return predicate.flag
    } else if ('field' in predicate) {
      if (LATER_FIELDS.has(predicate.field) || (beforeAnswer && BEHIND_FIELDS.has(predicate.field)))
        return `${predicate.field}:`
    }
  }
  return null
}

/** A hook's fields that a filter can use. */
export interface ReachedHook {
  readonly id: string
  readonly event: string
  readonly environment: string
  readonly mode: 'test' | 'live'
}

/** The fields shared by all of a hook's deliveries. The event may differ if no key proves it. */
const KNOWN_FIELDS: ReadonlySet<FieldName> = new Set<FieldName>(['environment', 'mode', 'hook'])
const KNOWN_FLAGS: ReadonlySet<FlagName> = new Set<FlagName>(['is:test', 'is:live', 'has:hook'])

const SOME: SearchedDelivery = { ...BLANK_DELIVERY, body: new Uint8Array() }

/** Evaluates a query on a partly known delivery: true, false, or null if it depends on the unknown part. */
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
      const isKnown =
        query.kind === 'flag'
          ? KNOWN_FLAGS.has(query.flag)
          : 'field' in query && KNOWN_FIELDS.has(query.field)
      return isKnown ? createFilter(query)(delivery) : null
    }
  }
}

/** The IDs of hooks whose deliveries may match the filter. */
export function reachedHooks(query: Query, hooks: readonly ReachedHook[]): string[] {
  return hooks
    .filter(
      ({ id, environment, mode }) =>
        holds(query, { ...SOME, hookId: id, environment, mode }) !== false,
    )
    .map(({ id }) => id)
}
