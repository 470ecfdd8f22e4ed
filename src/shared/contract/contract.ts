/**
 * The boundary between every user interface and the core: one table of commands (one file per noun) and one of events. Adding a
 * command takes one line; the compiler then asks for its handler. JSON values only; bodies are read in pieces by ID.
 */
import { z } from 'zod'
import { checkSummarySchema } from '../model/check.ts'
import { keptConsentSchema } from '../model/consent.ts'
import { deliveryRowSchema } from '../model/delivery.ts'
import { environmentSchema } from '../model/environment.ts'
import { forwardStateSchema } from '../model/forward.ts'
import { handlerSchema } from '../model/handler.ts'
import { hookSchema } from '../model/hook.ts'
import { flowRunSchema } from '../model/flow.ts'
import { listedSendSchema, replayJobSchema } from '../model/send.ts'
import { settingsSchema } from '../model/settings.ts'
import { viewSchema } from '../model/retention.ts'
import { shrinkRunSchema } from '../model/shrink.ts'
import { appStatusSchema, receiverStatusSchema, tunnelStatusSchema } from '../model/status.ts'
import { appCommands, receiverCommands, settingsCommands, viewCommands } from './nouns/app.ts'
import {
  bodyCommands,
  compareCommands,
  deliveryCommands,
  lifecycleCommands,
  searchingCommands,
  statisticsCommands,
} from './nouns/deliveries.ts'
import { checkCommands } from './nouns/check.ts'
import { consentCommands } from './nouns/consent.ts'
import { environmentCommands, hookCommands } from './nouns/hooks.ts'
import { exchangeCommands } from './nouns/exchange.ts'
import { forwardCommands } from './nouns/forward.ts'
import { flowCommands } from './nouns/flows.ts'
import { handlerCommands } from './nouns/handlers.ts'
import { keepingCommands } from './nouns/keeping.ts'
import { replayCommands } from './nouns/replay.ts'
import { sandboxCommands } from './nouns/sandbox.ts'
import { shrinkCommands } from './nouns/shrink.ts'
import { tunnelCommands } from './nouns/tunnels.ts'

export const commands = {
  ...appCommands,
  ...deliveryCommands,
  ...searchingCommands,
  ...statisticsCommands,
  ...viewCommands,
  ...bodyCommands,
  ...lifecycleCommands,
  ...compareCommands,
  ...hookCommands,
  ...handlerCommands,
  ...environmentCommands,
  ...receiverCommands,
  ...tunnelCommands,
  ...sandboxCommands,
  ...replayCommands,
  ...shrinkCommands,
  ...flowCommands,
  ...checkCommands,
  ...forwardCommands,
  ...consentCommands,
  ...settingsCommands,
  ...keepingCommands,
  ...exchangeCommands,
} as const

export const events = {
  /**
   * Deliveries that arrived or changed since the previous event, at most ten times per second. `added`: newest first, at most 200;
   * `skipped`: how many more a list must read itself.
   */
  'deliveries.changed': z.object({
    added: z.array(deliveryRowSchema),
    skipped: z.number().int(),
    updated: z.array(deliveryRowSchema),
    total: z.number().int(),
  }),
  /** Deliveries removed from every list; `more`: there are others besides these. */
  'deliveries.deleted': z.object({
    seqs: z.array(z.number().int()),
    more: z.boolean(),
    total: z.number().int(),
  }),
  /** A deletion was undone: the deliveries are back in the lists. */
  'deliveries.restored': z.object({ total: z.number().int() }),
  'hooks.changed': z.object({ hook: hookSchema }),
  /** A hook was removed for good. */
  'hooks.removed': z.object({ id: z.string() }),
  /** All saved handlers, after one changed or was checked. */
  'handlers.changed': z.object({ handlers: z.array(handlerSchema) }),
  /** All environments, after one was added, changed, made current or removed. */
  'environments.changed': z.object({ environments: z.array(environmentSchema) }),
  'views.changed': z.object({ views: z.array(viewSchema) }),
  'receiver.changed': receiverStatusSchema,
  /** The tunnel or the state of the public URL changed. */
  'tunnels.changed': tunnelStatusSchema,
  /** Parts of the sandbox that changed and must be read again; at most a few times per second. */
  'sandbox.changed': z.object({
    parts: z.array(z.enum(['objects', 'notifications', 'clearings', 'clock'])),
  }),
  /** Progress of a replay: at most ten times per second while it runs, and when it ends. */
  'replay.changed': z.object({ job: replayJobSchema }),
  /** State of forwarding: targets, queues and held deliveries, at most ten times per second. */
  'forward.changed': forwardStateSchema,
  /** Forwarded deliveries whose sends ended since the previous event. */
  'forward.sent': z.object({ sends: z.array(listedSendSchema) }),
  /** Progress of a handler check: at most ten times per second while it runs, and when it ends. */
  'check.changed': z.object({ run: checkSummarySchema }),
  /** State of a flow run: at most ten times per second while it runs, and when it ends. */
  'flows.changed': z.object({ run: flowRunSchema }),
  /** Progress of a search for the smallest failing body: at most ten times per second while it runs, and when it ends. */
  'shrink.changed': z.object({ run: shrinkRunSchema }),
  /** All consent that is kept, after some was given or revoked. */
  'consent.changed': z.object({ consents: z.array(keptConsentSchema) }),
  'settings.changed': settingsSchema,
  'store.changed': appStatusSchema.shape.store,
} as const

type Commands = typeof commands
type Events = typeof events

export type CommandName = keyof Commands
/** A command's input as callers pass it: fields with a default are optional. */
export type InputOf<K extends CommandName> = z.input<Commands[K]['input']>
/** A command's input as handlers receive it: parsed, with defaults filled in. */
export type ParsedInputOf<K extends CommandName> = z.output<Commands[K]['input']>
export type OutputOf<K extends CommandName> = z.output<Commands[K]['output']>
export type EventName = keyof Events
export type PayloadOf<K extends EventName> = z.output<Events[K]>
