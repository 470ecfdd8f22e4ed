import { z } from 'zod'
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
import { option } from '../../model/field-words.ts'
import { allowHosts, command, literals, live, nothing } from './command.ts'

/** Values to set, by path: `card.lastNumbers`. */
const setFields = z.record(z.string(), z.json())
const unsetFields = z.array(z.string().min(1))
const environment = option(
  z.string().optional(),
  'sandbox-test or sandbox-live (default: sandbox-test)',
  '<name>',
)
const program = (help: string) => option(z.string().optional(), help, '--program <id>')
const seed = (help: string) => option(z.number().int().optional(), help, '<n>')
const LIVE_CHANGES = 'allow changes to sandbox-live'
const triggerFields = {
  event: z.string().min(1),
  environment,
  programId: program('program of the event (default: the first with a hook for it)'),
  of: option(
    z.string().optional(),
    'object it refers to: the auth of a clearing, the purchase of a refund',
    '<id>',
  ),
  set: setFields.optional(),
  /** Set after `set`, and sent exactly as written here. */
  literals: literals('set a field of the payload, as typed, for example amount=10.00 (repeatable)'),
  /** Removed from the payload; the sandbox's own object keeps them. */
  unset: option(
    unsetFields.optional(),
    'remove a field from the payload, for example card.scheme (repeatable)',
    '<path>',
  ),
  seed: seed('create the same objects again'),
  fault: option(faultSchema.optional(), 'break the spec on purpose', '<kind>'),
  /** See `observed.ts`. */
  observed: option(z.boolean().optional(), 'send the nulls and gaps seen at accounts in test mode'),
}

export const sandboxCommands = {
  /**
   * Triggers an event in the sandbox. Resolves when the first attempt of each notification has ended; retries continue on their
   * own. In a live environment it requires `live: true`, else it fails with `CONFIRMATION_REQUIRED`. Deliveries to remote hosts
   * not in `allowHosts` are `not-sent`; if there are no others, it fails with `TARGET_NOT_ALLOWED`.
   */
  'sandbox.trigger': command(
    z.object({ ...triggerFields, allowHosts, live: live('allow sending for sandbox-live') }),
    triggerResultSchema,
  ),
  /** What a trigger would send, without sending it; its seed reproduces exactly that. */
  'sandbox.preview': command(z.object(triggerFields), triggerPreviewSchema),
  /** The sandbox's objects, of one environment or both, of one kind or all, oldest first. */
  'sandbox.objects': command(
    z.object({
      environment: option(
        z.string().optional(),
        'sandbox-test or sandbox-live (default: both)',
        '<name>',
      ),
      kind: sandboxObjectKindSchema.optional(),
    }),
    z.object({ objects: z.array(sandboxObjectSchema) }),
  ),
  /** Creates an object and sends the events that the spec requires for it (a consent, a location's status). */
  'sandbox.create': command(
    z.object({
      environment,
      kind: sandboxObjectKindSchema,
      programId: program('program of the object (default: the first)'),
      set: setFields.optional(),
      literals: literals('set a field, for example name=Corner (repeatable)'),
      seed: seed('create the same object again'),
      allowHosts,
      live: live(LIVE_CHANGES),
    }),
    sandboxChangeSchema,
  ),
  /** Sets fields of an object by path, removes optional fields, and sends the events that this causes. */
  'sandbox.update': command(
    z.object({
      id: z.string(),
      set: setFields.optional(),
      literals: literals('set a field, for example amex.auth=false (repeatable)'),
      unset: option(
        unsetFields.optional(),
        'remove a field, for example metadata.tier (repeatable)',
        '<path>',
      ),
      environment,
      allowHosts,
      live: live(LIVE_CHANGES),
    }),
    sandboxChangeSchema,
  ),
  /** Resets objects, pending deliveries and the clock of both modes. Hooks and keys stay. */
  'sandbox.reset': command(
    z.object({ live: live('allow emptying sandbox-live too (required)') }),
    z.object({}),
  ),
  /** Notifications sent by the sandbox, newest first, with every attempt. */
  'sandbox.notifications': command(
    z.object({ limit: z.number().int().min(1).max(500).default(100) }),
    z.object({ notifications: z.array(notificationSchema) }),
  ),
  /** Makes the next attempt of a delivery that is `not-sent`, with the consent of a trigger. */
  'sandbox.send': command(
    z.object({ id: z.string(), allowHosts, live: live('allow sending for sandbox-live') }),
    z.object({ deliveries: z.array(notificationSchema) }),
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
