/**
 * The boundary between every user interface and the core, in one table of commands (a file a noun) and one of events. Adding a
 * command is one line and a compile error that leads to the handler. JSON values only; bodies are read in pieces by id.
 */
import { z } from 'zod'
import { checkSummarySchema } from '../model/check.ts'
import { deliveryRowSchema } from '../model/delivery.ts'
import { environmentSchema } from '../model/environment.ts'
import { forwardStateSchema } from '../model/forward.ts'
import { hookSchema } from '../model/hook.ts'
import { flowRunSchema } from '../model/flow-run.ts'
import { listedSendSchema, replayJobSchema } from '../model/send.ts'
import { compactionSchema } from '../model/keeping.ts'
import { repairStateSchema } from '../model/repair.ts'
import { settingsSchema, viewSchema } from '../model/settings.ts'
import { shrinkRunSchema } from '../model/shrink.ts'
import { appStatusSchema, receiverStatusSchema } from '../model/status.ts'
import { tunnelStatusSchema } from '../model/tunnel.ts'
import { appCommands, receiverCommands, repairCommands, settingsCommands, viewCommands } from './nouns/app.ts'
import { bodyCommands, compareCommands, deliveryCommands, lifecycleCommands, searchingCommands } from './nouns/deliveries.ts'
import { checkCommands } from './nouns/check.ts'
import { environmentCommands, hookCommands } from './nouns/hooks.ts'
import { exchangeCommands } from './nouns/exchange.ts'
import { forwardCommands } from './nouns/forward.ts'
import { flowCommands } from './nouns/flows.ts'
import { keepingCommands } from './nouns/keeping.ts'
import { replayCommands } from './nouns/replay.ts'
import { sandboxCommands } from './nouns/sandbox.ts'
import { shrinkCommands } from './nouns/shrink.ts'
import { tunnelCommands } from './nouns/tunnels.ts'

export const commands = {
  ...appCommands,
  ...deliveryCommands,
  ...searchingCommands,
  ...viewCommands,
  ...bodyCommands,
  ...lifecycleCommands,
  ...compareCommands,
  ...hookCommands,
  ...environmentCommands,
  ...receiverCommands,
  ...tunnelCommands,
  ...sandboxCommands,
  ...replayCommands,
  ...shrinkCommands,
  ...flowCommands,
  ...checkCommands,
  ...forwardCommands,
  ...settingsCommands,
  ...keepingCommands,
  ...repairCommands,
  ...exchangeCommands,
} as const

export const events = {
  /**
   * Deliveries that came or changed since the last one of these, at most ten times a second. `added` newest first, at most
   * 200 of them; `skipped` counts those that a list has to read for itself.
   */
  'deliveries.changed': z.object({
    added: z.array(deliveryRowSchema),
    skipped: z.number().int(),
    updated: z.array(deliveryRowSchema),
    total: z.number().int(),
  }),
  /** Deliveries that are gone from every list; `more`: others beside these. */
  'deliveries.deleted': z.object({ seqs: z.array(z.number().int()), more: z.boolean(), total: z.number().int() }),
  /** A deletion was undone: deliveries are in the lists again. */
  'deliveries.restored': z.object({ total: z.number().int() }),
  /** How far the database file has been made smaller, a few times a second. */
  'storage.compacted': compactionSchema,
  /** How far the repair of a damaged database is: ten times a second at most, and when it has ended or the core was changed for it. */
  'repair.changed': repairStateSchema,
  'hooks.changed': z.object({ hook: hookSchema }),
  /** All of them, as they are after one was added, changed, made the current one or removed. */
  'environments.changed': z.object({ environments: z.array(environmentSchema) }),
  'views.changed': z.object({ views: z.array(viewSchema) }),
  'receiver.changed': receiverStatusSchema,
  /** The tunnel, or what is known of the public address, is different from before. */
  'tunnels.changed': tunnelStatusSchema,
  /** Parts of the sandbox that are different from before, to be read again; a few times a second at most. */
  'sandbox.changed': z.object({ parts: z.array(z.enum(['objects', 'notifications', 'clearings', 'clock'])) }),
  /** How many sends of a replay are written down, before the first goes: ten times a second at most, for who gave it a `startId`. */
  'replay.preparing': z.object({ startId: z.string(), written: z.number().int(), total: z.number().int() }),
  /** How far a replay is: ten times a second at most while it goes, and when it has ended. */
  'replay.changed': z.object({ job: replayJobSchema }),
  /** How forwarding stands: targets, queues and held deliveries, ten times a second at most. */
  'forward.changed': forwardStateSchema,
  /** Forwarded deliveries whose sends have ended since the last one of these. */
  'forward.sent': z.object({ sends: z.array(listedSendSchema) }),
  /** How far a handler check is: ten times a second at most while it goes, and when it has ended. */
  'check.changed': z.object({ run: checkSummarySchema }),
  /** How a run of a flow stands: ten times a second at most while it goes, and when it has ended. */
  'flows.changed': z.object({ run: flowRunSchema }),
  /** How far a search for a smallest body is: ten times a second at most while it goes, and when it has ended. */
  'shrink.changed': z.object({ run: shrinkRunSchema }),
  'settings.changed': settingsSchema,
  'store.changed': appStatusSchema.shape.store,
} as const

type Commands = typeof commands
type Events = typeof events

export type CommandName = keyof Commands
/** What a caller gives: fields with a default may be left out. */
export type InputOf<K extends CommandName> = z.input<Commands[K]['input']>
/** What a handler gets: parsed, defaults filled in. */
export type ParsedInputOf<K extends CommandName> = z.output<Commands[K]['input']>
export type OutputOf<K extends CommandName> = z.output<Commands[K]['output']>
export type EventName = keyof Events
export type PayloadOf<K extends EventName> = z.output<Events[K]>
