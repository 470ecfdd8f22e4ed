/**
 * `countersign/payloads`: the events of the service (spec 6.1), and the type of each event's
 * payload. The package's declarations for this module are the output of `countersign types --format
 * typescript`, so they don't need zod.
 */
import type { z } from 'zod'
import { eventTypes as all, type EventType } from '../shared/service/event-type.ts'
import type { payloadSchemas } from '../shared/service/payload-schemas.ts'

export type { EventType }

/** Payloads by event; unknown if the spec doesn't show it. */
export type EventPayloads = {
  readonly [Event in EventType]: Event extends keyof typeof payloadSchemas
    ? z.infer<(typeof payloadSchemas)[Event]>
    : unknown
}

/** All events of the service, in the order of the spec. */
export const eventTypes: readonly EventType[] = all
