import { z } from 'zod'
import { rawHeadersSchema } from '../../model/delivery.ts'
import {
  replayEditsSchema,
  listedSendSchema,
  replayJobSchema,
  sendAnswerSchema,
  sendSchema,
  sendsShownSchema,
  tamperSchema,
} from '../../model/send.ts'
import { option } from '../../model/field-words.ts'
import { allowHosts, command, live, nothing, deliveryRefs, targetCa } from './command.ts'
import { statisticsSchema } from './deliveries.ts'
import { maskingKindSchema } from './exchange.ts'

const job = z.object({ job: replayJobSchema })
const jobId = z.string().min(1)
const page = z.number().int().min(1).max(1_000)

/** For 10 MiB: a changed body must fit in one message. */
const MOST_BASE64 = Math.ceil((10 * 1_048_576) / 3) * 4

const to = option(
  z.string().nullable().default(null),
  "your endpoint: a URL or @NAME (default: your current handler, else the registered URL of each delivery's hook)",
  '<url>',
)

/** What to send of each delivery, and where. */
const request = {
  to,
  /** The URL to sign; defaults to the hook's registered URL, wherever the request is sent. */
  registeredUrl: option(
    z.string().min(1).nullable().default(null),
    "URL to sign (default: the hook's registered URL)",
    '<url>',
  ),
  hookId: option(
    z.string().nullable().default(null),
    "hook whose secret signs (default: each delivery's hook)",
    '--hook <id>',
  ),
  /** Requires re-signing. */
  tamper: option(tamperSchema.nullable().default(null), 'break the request on purpose', '<kind>'),
  /** Replaces parts of the captured request. `base64` is the body; null keeps the captured one. */
  edits: replayEditsSchema
    .extend({ base64: z.base64().max(MOST_BASE64).nullable().default(null) })
    .prefault({}),
}

export const replayCommands = {
  /**
   * Replays deliveries with a signature made at the moment of sending, and resolves when the first are sent; `replay.changed`
   * reports progress. Remote hosts must be in `allowHosts`; deliveries of a live environment require `live: true`, else the command
   * fails with `CONFIRMATION_REQUIRED`. If cancelled before it resolves, nothing is sent or stored.
   */
  'replay.start': command(
    z.object({
      /** Either IDs (also `latest`, `latest:EVENT`), sent in this order, or a query, whose matches are sent oldest first. */
      ids: deliveryRefs.optional(),
      query: z.string().max(4_000).optional(),
      ...request,
      /** The whole list each time. */
      repeat: option(
        z.number().int().min(1).max(1_000).default(1),
        'times to send each delivery, up to 1000',
        '<n>',
      ),
      concurrency: option(
        z.number().int().min(1).max(64).default(1),
        'sends in parallel, up to 64',
        '<n>',
      ),
      rate: option(
        z.number().positive().max(100_000).nullable().default(null),
        'max sends per second',
        '<n>',
      ),
      targetCa,
      allowHosts,
      live: live("allow signing with a live hook's secret"),
      /** More sends than this fail with `CONFIRMATION_REQUIRED`, whose details give the count; null: no limit. */
      most: z.number().int().min(0).nullable().default(null),
    }),
    job,
  ),
  /**
   * Checks a sequence of replays before the first starts: fails as one of their starts would, with live environments and the number
   * of sends counted together. Sends nothing.
   */
  'replay.check': command(
    z.object({
      parts: z
        .array(z.object({ ids: deliveryRefs, to, targetCa }))
        .min(1)
        .max(1_000),
      allowHosts,
      live: z.boolean().default(false),
      most: z.number().int().min(0).nullable().default(null),
    }),
    nothing,
  ),
  /** The exact request that would be sent now; a live secret's fresh signature is withheld. Sends nothing. */
  'replay.preview': command(
    z.object({ id: z.string().min(1), ...request }),
    z.object({
      target: z.string(),
      method: z.string(),
      headers: rawHeadersSchema,
      base64: z.string(),
      /** What the signature covers, before any tampering; null if unsigned. */
      signedUrl: z.string().nullable(),
    }),
  ),
  /** Where deliveries were last sent: by hook (null: to its registered URL), and all recent targets, newest first. */
  'replay.targets': command(
    z.object({}),
    z.object({ byHook: z.record(z.string(), z.string().nullable()), recent: z.array(z.string()) }),
  ),
  /**
   * Resumes a job interrupted by the end of the program. Requests in progress at that time may have arrived: they are marked as
   * uncertain and sent again. Consent isn't stored: hosts and live environments must be confirmed again.
   */
  'replay.resume': command(z.object({ jobId, allowHosts, live: z.boolean().default(false) }), job),
  /** Stops further sends, whichever process runs the job. Recorded immediately; resolves when sends in progress have ended. */
  'replay.cancel': command(z.object({ jobId }), job),
  'replay.get': command(z.object({ jobId }), job),
  /** Newest first. */
  'replay.jobs': command(
    z.object({ limit: page.default(50) }),
    z.object({ jobs: z.array(replayJobSchema) }),
  ),
  /** Sends of a job in order, starting after a position. */
  'replay.sends': command(
    z.object({
      jobId,
      after: z.number().int().min(0).default(0),
      limit: page.default(200),
      show: sendsShownSchema.default('all'),
    }),
    z.object({ sends: z.array(listedSendSchema) }),
  ),
  /** Statistics of a job's finished sends. */
  'replay.statistics': command(z.object({ jobId }), statisticsSchema),
  /** Sends of a delivery, newest first. */
  'replay.ofDelivery': command(
    z.object({ id: z.string().min(1), limit: page.default(50) }),
    z.object({ sends: z.array(sendSchema) }),
  ),
  'replay.send': command(
    z.object({ id: z.string().min(1), masked: maskingKindSchema }),
    sendAnswerSchema,
  ),
} as const
