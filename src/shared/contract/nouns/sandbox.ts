/** Commands about the sandbox. */
import { z } from 'zod'
import { literalsSchema } from '../../model/replay-edits.ts'
import { hookSchema } from '../../model/hook.ts'
import {
  pendingClearingSchema,
  sandboxClockChangeSchema,
  sandboxClockSchema,
  sandboxChangeSchema,
  sandboxObjectKindSchema,
  sandboxObjectSchema,
  triggerPreviewSchema,
} from '../../model/sandbox.ts'
import { faultSchema, notificationSchema, triggerResultSchema } from '../../model/sending.ts'
import { command, nothing } from './command.ts'

/** Values to set, by path: `card.lastNumbers`. */
const setFields = z.record(z.string(), z.json())
/** Paths of fields to leave out. */
const unsetFields = z.array(z.string().min(1))
const triggerFields = {
  event: z.string().min(1),
  environment: z.string().optional(),
  programId: z.string().optional(),
  /** The object that the event is about: the auth of a clearing, the purchase of a refund. */
  of: z.string().optional(),
  set: setFields.optional(),
  /** Set after `set`, and sent as they are written here. */
  literals: literalsSchema.optional(),
  /** Left out of what is sent; what the sandbox keeps stays whole. */
  unset: unsetFields.optional(),
  /** The same seed makes the same objects. */
  seed: z.number().int().optional(),
  fault: faultSchema.optional(),
}

export const sandboxCommands = {
  /**
   * Makes the sandbox cause an event. Resolves when the first attempt of each notification has ended; later ones go on by
   * themselves. In a live environment it wants `live: true`, else it is refused with `CONFIRMATION_REQUIRED`.
   */
  'sandbox.trigger': command(z.object({ ...triggerFields, live: z.boolean().default(false) }), triggerResultSchema),
  /** What a trigger would send, without sending it; its seed makes exactly that. */
  'sandbox.preview': command(z.object(triggerFields), triggerPreviewSchema),
  /** The objects of the sandbox, of one environment or both, of one kind or all, oldest first. */
  'sandbox.objects': command(
    z.object({ environment: z.string().optional(), kind: sandboxObjectKindSchema.optional() }),
    z.object({ objects: z.array(sandboxObjectSchema) }),
  ),
  /** Makes an object; what the interface says of a new one (a consent, a location's status) is sent along. */
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
  /** Sets fields of an object by path, and takes fields away that it need not have; what that causes is sent along. */
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
  /** Back to the start: objects, pending deliveries and clock of both modes. Hooks and keys stay. */
  'sandbox.reset': command(z.object({ live: z.boolean().default(false) }), z.object({})),
  /** What the sandbox has sent, newest first, with every attempt. */
  'sandbox.notifications': command(
    z.object({ limit: z.number().int().min(1).max(500).default(100) }),
    z.object({ notifications: z.array(notificationSchema) }),
  ),
  /** The purchases that wait for the clock to be cleared, soonest first. */
  'sandbox.clearings': command(nothing, z.object({ clearings: z.array(pendingClearingSchema) })),
  'sandbox.clock': command(nothing, sandboxClockSchema),
  /**
   * Moves, stops or speeds up the one clock of both modes. While something of sandbox-live waits for it (an attempt, a clearing),
   * all but a pause wants `live: true`: it could let that go out.
   */
  'sandbox.setClock': command(sandboxClockChangeSchema.and(z.object({ live: z.boolean().default(false) })), sandboxClockSchema),
  /** Sends a `transaction.auth` to this receiver, and makes the hook for it where there is none. */
  'sandbox.sample': command(nothing, z.object({ hook: hookSchema, hookMade: z.boolean(), result: triggerResultSchema })),
} as const
