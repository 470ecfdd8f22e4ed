/** Input and result of simulating an event. */
import type { Literals } from '../../shared/body/json-literals.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import type { Program } from '../../shared/service/resources.ts'
import type { SandboxRecords, RecordKind, RecordOf } from './records.ts'
import type { ObjectSeed } from './world.ts'

/** Fields of a payload or object, by name or path. */
export type Values = Readonly<Record<string, unknown>>

/** Input of a command, with values of any type in `set`. */
export type WithValues<T> = Omit<T, 'set' | 'live' | 'allowHosts'> & {
  readonly set?: Values | undefined
  readonly allowHosts?: readonly string[] | undefined
}

export interface EventContext extends ObjectSeed {
  readonly environment: string
  readonly records: SandboxRecords
  readonly program: Program
  /** Whether only the caller's seed decides, without earlier events. */
  readonly seeded: boolean
  /** Id of the object that the event is about, if named. */
  readonly of: string | undefined
  /** Whether a transaction must qualify, because the .qualified event is simulated. */
  readonly mustQualify: boolean
  /** Offers named by hooks of the .qualified event, which are tried first. */
  readonly offerIds: readonly string[]
  readonly set: Values
}

/** Event for every hook that is registered for it. */
export interface Emission {
  readonly event: ShownEventType
  readonly payload: Values
  /** Payload fields to write as typed. */
  readonly literals?: Literals
  /** Program of the event; null for events of brand hooks. */
  readonly programId: string | null
  readonly offerId: string | null
}

type Change = {
  [K in RecordKind]: { readonly kind: K; readonly data: RecordOf<K> }
}[RecordKind]

export interface SimulatedEvent {
  /** Ids of the objects that the event is about, by kind. */
  readonly objects: Readonly<Record<string, string>>
  /** Events in sending order. */
  readonly emissions: readonly Emission[]
  readonly changes: readonly Change[]
}
