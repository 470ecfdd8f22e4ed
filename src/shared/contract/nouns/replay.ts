/** Commands that replay deliveries to a handler, and read the sends. */
import { z } from 'zod'
import { rawHeadersSchema } from '../../model/delivery.ts'
import {
  replayEditsSchema,
  listedSendSchema,
  replaySchema,
  sendAnswerSchema,
  sendSchema,
  sendsShownSchema,
  tamperSchema,
} from '../../model/send.ts'
import { option } from '../../model/field-words.ts'
import {
  baselineEntrySchema,
  baselineSchema,
  runComparisonSchema,
} from '../../model/run-comparison.ts'
import { requestNameSchema } from '../../model/request-name.ts'
import { allowHosts, command, live, nothing, deliveryRefs, targetCa } from './command.ts'
import { statisticsSchema } from './deliveries.ts'
import { maskingKindSchema } from './exchange.ts'

const replay = z.object({ replay: replaySchema })
const replayId = z.string().min(1)
const pageSize = z.number().int().min(1).max(1_000)

export const MOST_BODY_BYTES = 10 * 1_048_576
const MOST_BASE64_CHARACTERS = Math.ceil(MOST_BODY_BYTES / 3) * 4

const to = option(
  z.string().nullable().default(null),
  "your endpoint: a URL or @NAME (default: your current handler, else the hook's registered URL)",
  '<url>',
)

const registeredUrl = option(
  z.string().min(1).nullable().default(null),
  "registered URL of the signature (default: the hook's)",
  '<url>',
)

const tamper = option(
  tamperSchema.nullable().default(null),
  'break the request on purpose',
  '<kind>',
)

const request = {
  to,
  registeredUrl,
  hookId: option(
    z.string().nullable().default(null),
    "hook whose secret signs (default: each delivery's hook)",
    '--hook <id>',
  ),
  tamper,
  /** Replaced parts; `base64` is the body. */
  edits: replayEditsSchema
    .extend({ base64: z.base64().max(MOST_BASE64_CHARACTERS).nullable().default(null) })
    .prefault({}),
}

/** Creates a list, one for each option, because words belong to a schema. */
const patterns = () => z.array(z.string().trim().min(1).max(200)).max(200).default([])

const comparison = {
  against: option(
    z.string().trim().min(1).nullable().default(null),
    'compare the responses with those of another endpoint (@NAME or URL), of the previous replay (previous), or of a baseline (FILE)',
    '<what>',
  ),
  ignore: option(
    patterns(),
    'leave a field of the response bodies out, such as **.total (repeatable)',
    '--ignore <path>',
  ),
  headersIn: option(patterns(), 'compare a response header too (repeatable)', '--header-in <name>'),
  /** Contents of the file that `against` names. */
  baseline: baselineSchema.nullable().default(null),
  /** Replay with the same baseline, in place of its contents. */
  baselineOf: replayId.nullable().default(null),
  /** Keeps the responses comparable although nothing is compared yet. */
  saves: z.boolean().default(false),
}

export const replayCommands = {
  /**
   * Resolves when the first requests are sent; cancelled earlier, nothing is sent. `replay.changed`
   * reports progress. Fails with `CONFIRMATION_REQUIRED` without consent.
   */
  'replay.start': command(
    z.object({
      /** IDs are sent in this order, matches of the query oldest first. */
      ids: deliveryRefs.optional(),
      query: z.string().max(4_000).optional(),
      ...request,
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
      ...comparison,
      targetCa,
      allowHosts,
      live: live("allow signing with a live hook's secret"),
      /** Sends above which the start fails with `CONFIRMATION_REQUIRED`. */
      most: z.number().int().min(0).nullable().default(null),
    }),
    replay,
  ),
  /**
   * Stores a composed request as a delivery that lists leave out, and sends it as a replay. Nothing
   * is stored if it fails, for example with `CONFIRMATION_REQUIRED` without consent.
   */
  'replay.compose': command(
    z.object({
      base64: z.base64().max(MOST_BASE64_CHARACTERS, {
        error: 'A request can have a body of up to 10 MiB',
      }),
      to,
      event: option(
        z.string().min(1).max(200).nullable().default(null),
        'event of the body (default: inferred from the body)',
        '<event>',
        { kind: 'event' },
      ),
      hookId: option(
        z.string().min(1).nullable().default(null),
        "hook whose secret signs (default: your handler's secret, else the event's hook)",
        '--hook <id>',
      ),
      /** Secret that signs instead of a hook's; never stored. */
      secret: z.string().min(1).max(1_000).nullable().default(null),
      registeredUrl,
      /** Headers that replace the service's of the same name, or follow them. */
      headers: rawHeadersSchema.default([]),
      tamper,
      name: option(
        requestNameSchema.nullable().default(null),
        'name the request: "replay name:NAME" sends it again',
        '<name>',
      ),
      replace: option(
        z.boolean().default(false),
        'with --name: take the name from the request that has it',
      ),
      targetCa,
      allowHosts,
      live: live("allow signing with a live hook's secret"),
    }),
    replay.extend({ id: z.string() }),
  ),
  /**
   * Fails as `replay.start` would for any of these replays, with all their sends counted together.
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
  /** Returns the request that would be sent; a live secret's signature is withheld. */
  'replay.preview': command(
    z.object({ id: z.string().min(1), ...request }),
    z.object({
      target: z.string(),
      method: z.string(),
      headers: rawHeadersSchema,
      base64: z.string(),
      signedUrl: z.string().nullable(),
    }),
  ),
  /** Returns the last targets by hook (null for its URL), and recent ones, newest first. */
  'replay.targets': command(
    z.object({}),
    z.object({ byHook: z.record(z.string(), z.string().nullable()), recent: z.array(z.string()) }),
  ),
  /**
   * Resumes an interrupted replay, with consent again. Requests that were in progress become
   * uncertain and are sent again.
   */
  'replay.resume': command(
    z.object({ replayId, allowHosts, live: z.boolean().default(false) }),
    replay,
  ),
  /** Resolves when sends in progress have ended. */
  'replay.cancel': command(z.object({ replayId }), replay),
  'replay.get': command(z.object({ replayId }), replay),
  'replay.list': command(
    z.object({ limit: pageSize.default(50) }),
    z.object({ replays: z.array(replaySchema) }),
  ),
  'replay.sends': command(
    z.object({
      replayId,
      after: z.number().int().min(0).default(0),
      limit: pageSize.default(200),
      show: sendsShownSchema.default('all'),
    }),
    z.object({ sends: z.array(listedSendSchema) }),
  ),
  /** Compares the responses of a replay that was started with `against`. */
  'replay.comparison': command(
    z.object({ replayId, masked: maskingKindSchema }),
    runComparisonSchema,
  ),
  /** Returns responses for a baseline, by position; `next` continues, null at the end. */
  'replay.baseline': command(
    z.object({ replayId, after: z.number().int().min(0).default(0) }),
    z.object({
      entries: z.array(baselineEntrySchema),
      /** Deliveries without a response, with the reason. */
      missing: z.array(
        z.object({ id: z.string(), reason: z.string(), isUnreachable: z.boolean() }),
      ),
      next: z.number().int().nullable(),
    }),
  ),
  'replay.statistics': command(z.object({ replayId }), statisticsSchema),
  'replay.ofDelivery': command(
    z.object({ id: z.string().min(1), limit: pageSize.default(50) }),
    z.object({ sends: z.array(sendSchema) }),
  ),
  'replay.send': command(
    z.object({ id: z.string().min(1), masked: maskingKindSchema }),
    sendAnswerSchema,
  ),
} as const
