/** Commands about replays: stored deliveries sent again. */
import { z } from 'zod'
import { rawHeadersSchema } from '../../model/delivery.ts'
import { replayEditsSchema } from '../../model/replay-edits.ts'
import {
  listedSendSchema,
  replayJobSchema,
  sendAnswerSchema,
  sendSchema,
  sendsShownSchema,
  tamperSchema,
  targetCaSchema,
} from '../../model/send.ts'
import { command, nothing, deliveryRefs } from './command.ts'

const job = z.object({ job: replayJobSchema })
const jobId = z.string().min(1)
const page = z.number().int().min(1).max(1_000)
const allowHosts = z.array(z.string().min(1)).max(100).default([])

/** Of 10 MiB: a changed body has to fit in one message. */
const MOST_BASE64 = Math.ceil((10 * 1_048_576) / 3) * 4

/** By default the registered URL of each delivery's hook. */
const to = z.string().nullable().default(null)

/** What is sent of each delivery, and where to. */
const request = {
  to,
  /** The URL that is signed; by default the hook's registered one, wherever the request goes. */
  registeredUrl: z.string().min(1).nullable().default(null),
  /** The hook whose secret signs; by default that of each delivery. */
  hookId: z.string().nullable().default(null),
  /** Needs a signature made anew. */
  tamper: tamperSchema.nullable().default(null),
  /** What goes in place of what was captured. `base64` is the body, null the captured one. */
  edits: replayEditsSchema.extend({ base64: z.base64().max(MOST_BASE64).nullable().default(null) }).prefault({}),
}

export const replayCommands = {
  /**
   * Sends deliveries again, signed anew at the moment of sending, and resolves when the first of them go; `replay.changed` tells
   * the rest. Nothing goes to a host beyond this machine that is not in `allowHosts`; a delivery of a live environment wants
   * `live: true`, else all is refused with `CONFIRMATION_REQUIRED`. All sends are written down before the first goes: given up on
   * before that, nothing is sent, and nothing left.
   */
  'replay.start': command(
    z.object({
      /** Either ids (also `latest`, `latest:EVENT`), sent in this order, or a query, whose deliveries go oldest first. */
      ids: deliveryRefs.optional(),
      query: z.string().max(4_000).optional(),
      ...request,
      /** How often each goes: the whole list so many times. */
      repeat: z.number().int().min(1).max(1_000).default(1),
      concurrency: z.number().int().min(1).max(64).default(1),
      rate: z.number().positive().max(100_000).nullable().default(null),
      targetCa: targetCaSchema.default(null),
      allowHosts,
      live: z.boolean().default(false),
      /** More sends than so many are refused with `CONFIRMATION_REQUIRED`, whose details name the count; null: as many as there are. */
      most: z.number().int().min(0).nullable().default(null),
      /** A name of the caller's own, by which `replay.preparing` tells how far the sends are written down. */
      startId: z.string().min(1).max(100).nullable().default(null),
    }),
    job,
  ),
  /**
   * Looks at replays that are meant to go one after the other, before the first does: refused is what the start of one of them would be,
   * live environments and the number of sends for all of them together. Nothing is sent.
   */
  'replay.check': command(
    z.object({
      parts: z
        .array(z.object({ ids: deliveryRefs, to, targetCa: targetCaSchema.default(null) }))
        .min(1)
        .max(1_000),
      allowHosts,
      live: z.boolean().default(false),
      most: z.number().int().min(0).nullable().default(null),
    }),
    nothing,
  ),
  /** The request that would go at this moment, as it would stand on the wire. Nothing is sent. */
  'replay.preview': command(
    z.object({ id: z.string().min(1), ...request }),
    z.object({
      target: z.string(),
      method: z.string(),
      headers: rawHeadersSchema,
      base64: z.string(),
      /** What the signature is over, before any tampering; null where none is made. */
      signedUrl: z.string().nullable(),
    }),
  ),
  /** Where deliveries were last sent: by hook (null: to its registered URL), and all targets given lately, newest first. */
  'replay.targets': command(
    z.object({}),
    z.object({ byHook: z.record(z.string(), z.string().nullable()), recent: z.array(z.string()) }),
  ),
  /**
   * Goes on with a job that the program's end interrupted. What was under way then may have arrived: it is marked as uncertain, and
   * sent once more. A consent is not kept: hosts and live environments are confirmed again.
   */
  'replay.resume': command(z.object({ jobId, allowHosts, live: z.boolean().default(false) }), job),
  /** No further send begins, in whichever process the job runs; recorded at once, resolves when those under way have ended. */
  'replay.cancel': command(z.object({ jobId }), job),
  'replay.get': command(z.object({ jobId }), job),
  /** Newest first. */
  'replay.jobs': command(z.object({ limit: page.default(50) }), z.object({ jobs: z.array(replayJobSchema) })),
  /** Sends of a job in their order, after a place of it. */
  'replay.sends': command(
    z.object({
      jobId,
      after: z.number().int().min(0).default(0),
      limit: page.default(200),
      show: sendsShownSchema.default('all'),
    }),
    z.object({ sends: z.array(listedSendSchema) }),
  ),
  /** Sends of a delivery, newest first. */
  'replay.ofDelivery': command(
    z.object({ id: z.string().min(1), limit: page.default(50) }),
    z.object({ sends: z.array(sendSchema) }),
  ),
  /** One send with its answer; with `masked`, without known secrets and values of custom headers, as an export. */
  'replay.send': command(z.object({ id: z.string().min(1), masked: z.boolean().default(false) }), sendAnswerSchema),
} as const
