/**
 * Contract between clients and the core: JSON commands (one file per noun) and events. Progress is
 * reported at most ten times per second.
 */
import { z } from 'zod'
import { checkSummarySchema } from '../model/check.ts'
import { keptConsentSchema } from '../model/consent.ts'
import { deliveryRowSchema } from '../model/delivery.ts'
import { environmentSchema } from '../model/environment.ts'
import { forwardStateSchema } from '../model/forward.ts'
import { handlerSchema } from '../model/handler.ts'
import { hookSchema } from '../model/hook.ts'
import { flowRunSchema } from '../model/flow-run.ts'
import { listedSendSchema, replaySchema } from '../model/send.ts'
import { settingsSchema } from '../model/settings.ts'
import { viewSchema } from '../model/view.ts'
import { shrinkRunSchema } from '../model/shrink.ts'
import { appStatusSchema, receiverStatusSchema } from '../model/status.ts'
import { tunnelStatusSchema } from '../model/tunnel.ts'
import { appCommands, receiverCommands, settingsCommands, viewCommands } from './nouns/app.ts'
import {
  bodyCommands,
  compareCommands,
  deliveryCommands,
  fieldCommands,
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
import { storageCommands } from './nouns/storage.ts'
import { replayCommands } from './nouns/replay.ts'
import { sandboxCommands } from './nouns/sandbox.ts'
import { setupCommands } from './nouns/setup.ts'
import { shrinkCommands } from './nouns/shrink.ts'
import { tunnelCommands } from './nouns/tunnels.ts'

export const commands = {
  ...appCommands,
  ...deliveryCommands,
  ...searchingCommands,
  ...statisticsCommands,
  ...viewCommands,
  ...bodyCommands,
  ...fieldCommands,
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
  ...storageCommands,
  ...exchangeCommands,
  ...setupCommands,
} as const

export const events = {
  /** `added`: at most 200, newest first; the client must read the `skipped` others. */
  'deliveries.changed': z.object({
    added: z.array(deliveryRowSchema),
    skipped: z.number().int(),
    updated: z.array(deliveryRowSchema),
    total: z.number().int(),
  }),
  /** `more`: further ones besides `seqs`. */
  'deliveries.deleted': z.object({
    seqs: z.array(z.number().int()),
    more: z.boolean(),
    total: z.number().int(),
  }),
  'deliveries.restored': z.object({ total: z.number().int() }),
  'hooks.changed': z.object({ hook: hookSchema }),
  'hooks.removed': z.object({ id: z.string() }),
  'handlers.changed': z.object({ handlers: z.array(handlerSchema) }),
  'environments.changed': z.object({ environments: z.array(environmentSchema) }),
  'views.changed': z.object({ views: z.array(viewSchema) }),
  'receiver.changed': receiverStatusSchema,
  'tunnels.changed': tunnelStatusSchema,
  /** Parts to read again. */
  'sandbox.changed': z.object({
    parts: z.array(z.enum(['objects', 'notifications', 'clearings', 'clock'])),
  }),
  'replay.changed': z.object({ replay: replaySchema }),
  'forward.changed': forwardStateSchema,
  /** Sends that ended. */
  'forward.sent': z.object({ sends: z.array(listedSendSchema) }),
  'check.changed': z.object({ run: checkSummarySchema }),
  'flows.changed': z.object({ run: flowRunSchema }),
  'shrink.changed': z.object({ run: shrinkRunSchema }),
  'consent.changed': z.object({ consents: z.array(keptConsentSchema) }),
  'settings.changed': settingsSchema,
  'store.changed': appStatusSchema.shape.store,
} as const

type Commands = typeof commands
type Events = typeof events

export type CommandName = keyof Commands
/** Input as callers pass it, without defaults. */
export type InputOf<K extends CommandName> = z.input<Commands[K]['input']>
/** Input as handlers receive it, with defaults. */
export type ParsedInputOf<K extends CommandName> = z.output<Commands[K]['input']>
export type OutputOf<K extends CommandName> = z.output<Commands[K]['output']>
export type EventName = keyof Events
export type PayloadOf<K extends EventName> = z.output<Events[K]>
