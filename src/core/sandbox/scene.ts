/** What an event is made from: the objects of one program in one mode, the moment, and the seed; and what making it gives. */
import type { Literals } from '../../shared/body/json-literals.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import type { Program } from '../../shared/service/program.ts'
import type { Objects } from './objects.ts'
import type { RecordKind, RecordOf } from './records.ts'
import type { Making } from './world.ts'

export interface Scene {
  readonly mode: Mode
  readonly environment: string
  readonly objects: Objects
  readonly program: Program
  readonly making: Making
  /** Whether the caller gave the seed: then it alone decides, and nothing that happened before. */
  readonly seeded: boolean
  /** The object that the event is about, where the caller named one. */
  readonly of: string | undefined
  /** The offers that hooks of the qualified event ask for: where a transaction qualifies for several, they go first. */
  readonly offerIds: readonly string[]
  readonly set: Readonly<Record<string, unknown>>
}

/** One event that the service sends to every hook registered for it. */
export interface Emission {
  readonly event: ShownEventType
  readonly payload: Readonly<Record<string, unknown>>
  /** Fields of the payload that are sent as typed. */
  readonly literals?: Literals
  /** Null for the events of brand hooks. */
  readonly programId: string | null
  readonly offerId: string | null
}

/** A record to keep once the event is sent. */
export type Change = { [K in RecordKind]: { readonly kind: K; readonly data: RecordOf<K> } }[RecordKind]

export interface Story {
  /** Ids of the objects that it is about, by kind. */
  readonly objects: Readonly<Record<string, string>>
  /** In the order in which they are sent. */
  readonly emissions: readonly Emission[]
  readonly changes: readonly Change[]
}
