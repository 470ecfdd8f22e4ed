/** An event in the making: its input, its result, and the fields that a caller sets in it or leaves out. */
import { AppError } from '../../shared/contract/errors.ts'
import { isJsonObject } from '../../shared/body/json-path.ts'
import type { Literals } from '../../shared/body/json-literals.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import type { Program } from '../../shared/service/resources.ts'
import type { Objects, RecordKind, RecordOf } from './records.ts'
import type { ObjectSeed } from './world.ts'

export type Values = Readonly<Record<string, unknown>>

/** An input of the contract, which may have any value in `set` and needs no confirmation. */
export type WithValues<T> = Omit<T, 'set' | 'live' | 'allowHosts'> & {
  readonly set?: Values | undefined
  readonly allowHosts?: readonly string[] | undefined
}

/** The objects of one program in one mode, the time and the seed. */
export interface EventContext extends ObjectSeed {
  readonly environment: string
  readonly objects: Objects
  readonly program: Program
  /** Whether the caller gave the seed: then only the seed decides, not earlier events. */
  readonly seeded: boolean
  /** The object that the event is about, if the caller named one. */
  readonly of: string | undefined
  /** The offers that hooks of the .qualified event request: they come first if a transaction qualifies for several. */
  readonly offerIds: readonly string[]
  readonly set: Values
}

/** One event that the service sends to every hook registered for it. */
export interface Emission {
  readonly event: ShownEventType
  readonly payload: Values
  /** Payload fields that are sent as typed. */
  readonly literals?: Literals
  /** Null for events of brand hooks. */
  readonly programId: string | null
  readonly offerId: string | null
}

/** A record to store once the event is sent. */
type Change = {
  [K in RecordKind]: { readonly kind: K; readonly data: RecordOf<K> }
}[RecordKind]

export interface SimulatedEvent {
  /** Ids of the objects that it is about, by kind. */
  readonly objects: Readonly<Record<string, string>>
  /** In sending order. */
  readonly emissions: readonly Emission[]
  readonly changes: readonly Change[]
}

// `--set path=value` and `--unset path`: set or remove fields of a payload. Paths are names joined by dots; any JSON value can be
// set.

/** The field at a dotted path; undefined if there is none. */
export function fieldAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>(memberOf, value)
}

function memberOf(parent: unknown, name: string): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)
    ? (parent as Values)[name]
    : undefined
}

/**
 * Returns a copy with the fields set. Parents of a field must be objects already, so that typos are reported; only `metadata`,
 * which the client fills, is created if missing.
 */
export function setPaths<T extends object>(payload: T, set: Values): T {
  const entries = Object.entries(set)
  if (entries.length === 0) return payload
  const copy = structuredClone(payload)
  for (const [path, value] of entries) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const parent = names.reduce<unknown>(step, copy)
    if (last === '' || typeof parent !== 'object' || parent === null)
      throw new AppError(
        'INVALID_INPUT',
        `Can't set \`${path}\`: the payload has no object \`${names.join('.')}\`.`,
      )
    define(parent, last, value)
  }
  return copy
}

function step(parent: unknown, name: string): unknown {
  const there = memberOf(parent, name)
  if (name !== 'metadata' || (there !== undefined && there !== null)) return there
  return typeof parent === 'object' && parent !== null ? define(parent, name, {}) : undefined
}

/** Defines the field instead of assigning it: `__proto__` is an ordinary name here. */
function define(parent: object, name: string, value: unknown): unknown {
  Object.defineProperty(parent, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
  return value
}

/** The same without fields that remove an object (`card=null`): the event keeps its object, only its payload lacks it. */
export function setPathsWithin<T extends object>(payload: T, set: Values): T {
  return setPaths(payload, fieldsThat(payload, set, { takeAway: false }))
}

/** Only the fields that remove an object, for the payload that is sent. */
export function setAwayPaths<T extends object>(payload: T, set: Values): T {
  return setPaths(payload, fieldsThat(payload, set, { takeAway: true }))
}

function fieldsThat(payload: object, set: Values, { takeAway }: { takeAway: boolean }): Values {
  const takesAway = ([path, value]: readonly [string, unknown]) =>
    isJsonObject(fieldAt(payload, path)) && !isJsonObject(value)
  return Object.fromEntries(Object.entries(set).filter((entry) => takesAway(entry) === takeAway))
}

/** Returns a copy without the field; null if it doesn't exist. */
export function withoutPath<T extends object>(payload: T, path: string): T | null {
  const copy = structuredClone(payload)
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce<unknown>(memberOf, copy)
  if (!isJsonObject(parent) || !Object.hasOwn(parent, last)) return null
  Reflect.deleteProperty(parent, last)
  return copy
}

export function noSuchField(path: string): AppError {
  return new AppError(
    'INVALID_INPUT',
    `The payload has no \`${path}\`. Remove another field, such as card.scheme.`,
  )
}
