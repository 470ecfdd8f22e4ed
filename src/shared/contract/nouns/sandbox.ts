/** Commands about the emulated service: its events, objects and clock. */
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
  triggerResultSchema,
} from '../../model/sandbox.ts'
import { faultSchema, notificationSchema } from '../../model/notification.ts'
import { option } from '../../model/field-words.ts'
import { allowHosts, command, literals, live, nothing } from './command.ts'

/** Values by path: `card.lastNumbers`. */
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
  literals: literals('set a field of the payload, as typed, for example amount=10.00 (repeatable)'),
  unset: option(
    unsetFields.optional(),
    'remove a field from the payload, for example card.scheme (repeatable)',
    '<path>',
  ),
  seed: seed('create the same objects again'),
  fault: option(faultSchema.optional(), 'break the spec on purpose', '<kind>'),
  observed: option(z.boolean().optional(), 'send the nulls and gaps seen at accounts in test mode'),
}

export const sandboxCommands = {
  /**
   * Resolves when each first attempt has ended; retries continue. Fails with
   * `CONFIRMATION_REQUIRED` in a live environment without consent, with `TARGET_NOT_ALLOWED` if
   * no host is allowed.
   */
  'sandbox.trigger': command(
    z.object({ ...triggerFields, allowHosts, live: live('allow sending for sandbox-live') }),
    triggerResultSchema,
  ),
  /** Returns the events of a trigger; its seed reproduces them. */
  'sandbox.preview': command(z.object(triggerFields), triggerPreviewSchema),
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
  /** Creates an object and sends the events that the spec requires for it. */
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
  /** Resets objects, pending deliveries and the clock. Hooks and keys stay. */
  'sandbox.reset': command(
    z.object({ live: live('allow emptying sandbox-live too (required)') }),
    z.object({}),
  ),
  'sandbox.notifications': command(
    z.object({ limit: z.number().int().min(1).max(500).default(100) }),
    z.object({ notifications: z.array(notificationSchema) }),
  ),
  /** Makes the next attempt of a `not-sent` notification. */
  'sandbox.send': command(
    z.object({ id: z.string(), allowHosts, live: live('allow sending for sandbox-live') }),
    z.object({ deliveries: z.array(notificationSchema) }),
  ),
  'sandbox.clearings': command(nothing, z.object({ clearings: z.array(pendingClearingSchema) })),
  'sandbox.clock': command(nothing, sandboxClockSchema),
  /**
   * Rejects without `live: true` while sandbox-live work waits for the clock; pausing never needs
   * it.
   */
  'sandbox.setClock': command(
    sandboxClockChangeSchema.and(z.object({ live: z.boolean().default(false) })),
    sandboxClockSchema,
  ),
  /** Sends a `transaction.auth` to this receiver, with a hook if needed. */
  'sandbox.sample': command(
    nothing,
    z.object({ hook: hookSchema, hookMade: z.boolean(), result: triggerResultSchema }),
  ),
} as const
