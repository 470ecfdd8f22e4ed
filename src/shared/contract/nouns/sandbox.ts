/** Commands about the sandbox. */
import { z } from 'zod'
import { literalsSchema } from '../../model/send.ts'
import { hookSchema } from '../../model/hook.ts'
import {
  pendingClearingSchema,
  sandboxClockChangeSchema,
  sandboxClockSchema,
  sandboxChangeSchema,
  sandboxObjectKindSchema,
  sandboxObjectSchema,
  triggerPreviewSchema,
  faultSchema,
  notificationSchema,
  triggerResultSchema,
} from '../../model/sandbox.ts'
import { command, nothing } from './command.ts'

/** Values to set, by path: `card.lastNumbers`. */
const setFields = z.record(z.string(), z.json())
/** Paths of fields to remove. */
const unsetFields = z.array(z.string().min(1))
const triggerFields = {
  event: z.string().min(1),
  environment: z.string().optional(),
  programId: z.string().optional(),
  /** The object of the event: the auth of a clearing, the purchase of a refund. */
  of: z.string().optional(),
  set: setFields.optional(),
  /** Set after `set`, and sent exactly as written here. */
  literals: literalsSchema.optional(),
  /** Removed from the payload; the sandbox's own object keeps them. */
  unset: unsetFields.optional(),
  /** The same seed produces the same objects. */
  seed: z.number().int().optional(),
  fault: faultSchema.optional(),
  /** Sends the nulls and gaps seen at accounts in test mode (`observed.ts`). */
  observed: z.boolean().optional(),
}

export const sandboxCommands = {
  /**
   * Triggers an event in the sandbox. Resolves when the first attempt of each notification has ended; retries continue on their
   * own. In a live environment it requires `live: true`, else it fails with `CONFIRMATION_REQUIRED`.
   */
  'sandbox.trigger': command(
    z.object({ ...triggerFields, live: z.boolean().default(false) }),
    triggerResultSchema,
  ),
  /** What a trigger would send, without sending it; its seed reproduces exactly that. */
  'sandbox.preview': command(z.object(triggerFields), triggerPreviewSchema),
  /** The sandbox's objects, of one environment or both, of one kind or all, oldest first. */
  'sandbox.objects': command(
    z.object({ environment: z.string().optional(), kind: sandboxObjectKindSchema.optional() }),
    z.object({ objects: z.array(sandboxObjectSchema) }),
  ),
  /** Creates an object and sends the events that the spec requires for it (a consent, a location's status). */
  'sandbox.create': command(
    z.object({
      environment: z.string().optional(),
      kind: sandboxObjectKindSchema,
      programId: z.string().optional(),
      set: setFields.optional(),
      literals: literalsSchema.optional(),
      seed: z.number().int().optional(),
      live: z.boolean().default(false),
    }),
    sandboxChangeSchema,
  ),
  /** Sets fields of an object by path, removes optional fields, and sends the events that this causes. */
  'sandbox.update': command(
    z.object({
      environment: z.string().optional(),
      id: z.string(),
      set: setFields.optional(),
      literals: literalsSchema.optional(),
      unset: unsetFields.optional(),
      live: z.boolean().default(false),
    }),
    sandboxChangeSchema,
  ),
  /** Resets objects, pending deliveries and the clock of both modes. Hooks and keys stay. */
  'sandbox.reset': command(z.object({ live: z.boolean().default(false) }), z.object({})),
  /** Notifications sent by the sandbox, newest first, with every attempt. */
  'sandbox.notifications': command(
    z.object({ limit: z.number().int().min(1).max(500).default(100) }),
    z.object({ notifications: z.array(notificationSchema) }),
  ),
  /** Purchases waiting for clearing, earliest first. */
  'sandbox.clearings': command(nothing, z.object({ clearings: z.array(pendingClearingSchema) })),
  'sandbox.clock': command(nothing, sandboxClockSchema),
  /**
   * Advances, pauses or speeds up the clock of both modes. While something of sandbox-live waits for the clock (an attempt, a
   * clearing), everything but a pause requires `live: true`, because it could be sent.
   */
  'sandbox.setClock': command(
    sandboxClockChangeSchema.and(z.object({ live: z.boolean().default(false) })),
    sandboxClockSchema,
  ),
  /** Sends a `transaction.auth` to this receiver and creates its hook if needed. */
  'sandbox.sample': command(
    nothing,
    z.object({ hook: hookSchema, hookMade: z.boolean(), result: triggerResultSchema }),
  ),
} as const
