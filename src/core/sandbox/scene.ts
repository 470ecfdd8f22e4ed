/** The input of an event: the objects of one program in one mode, the time and the seed; and its result. */
import type { Literals } from '../../shared/body/json-literals.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import type { Program } from '../../shared/service/resources.ts'
import type { Making, RecordKind, RecordOf, Objects } from './world.ts'

export interface Scene {
  readonly mode: Mode
  readonly environment: string
  readonly objects: Objects
  readonly program: Program
  readonly making: Making
  /** Whether the caller gave the seed: then only the seed decides, not earlier events. */
  readonly seeded: boolean
  /** The object that the event is about, if the caller named one. */
  readonly of: string | undefined
  /** The offers that hooks of the .qualified event request: they come first if a transaction qualifies for several. */
  readonly offerIds: readonly string[]
  readonly set: Readonly<Record<string, unknown>>
}

/** One event that the service sends to every hook registered for it. */
export interface Emission {
  readonly event: ShownEventType
  readonly payload: Readonly<Record<string, unknown>>
  /** Payload fields that are sent as typed. */
  readonly literals?: Literals
  /** Null for events of brand hooks. */
  readonly programId: string | null
  readonly offerId: string | null
}

/** A record to store once the event is sent. */
export type Change = {
  [K in RecordKind]: { readonly kind: K; readonly data: RecordOf<K> }
}[RecordKind]

export interface Story {
  /** Ids of the objects that it is about, by kind. */
  readonly objects: Readonly<Record<string, string>>
  /** In sending order. */
  readonly emissions: readonly Emission[]
  readonly changes: readonly Change[]
}
