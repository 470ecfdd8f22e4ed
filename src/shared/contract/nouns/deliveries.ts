/** Commands that list, read, search, count and compare deliveries. */
import { z } from 'zod'
import {
  deliveryRowSchema,
  deliverySchema,
  sortKeySchema,
  schemaReportSchema,
} from '../../model/delivery.ts'
import { signatureReportSchema, signatureTrialSchema } from '../../model/signature.ts'
import { listColumnsSchema } from '../../model/body-columns.ts'
import { command, nothing } from './command.ts'
import { maskingKindSchema } from './exchange.ts'
import { profileSchema } from '../../drift/profile-schema.ts'
import { volatileFieldsSchema } from '../../diff/volatile-fields.ts'
import { comparisonOfferSchema, volatileListSchema } from '../../model/comparison.ts'
import { attemptSchema, lifecycleSchema } from '../../model/lifecycle.ts'
import { RESPONSE_CLASSES, VERDICT_CLASSES } from '../../model/statistics.ts'
import { storedValuesSchema } from '../../query/completions.ts'

const count = z.number().int()
const queryCountSchema = z.object({ count: z.number().int(), more: z.boolean() })
export type QueryCount = z.infer<typeof queryCountSchema>

/** ID, `latest`, or `latest:EVENT`. */
const deliveryRef = z.string().min(1)
const query = z.string().max(4_000)
export const BODY_CHUNK_BYTES = 1_048_576

const bodyPiece = z.object({
  id: deliveryRef,
  offset: z.number().int().min(0).default(0),
  length: z.number().int().min(1).max(BODY_CHUNK_BYTES).default(BODY_CHUNK_BYTES),
})

export const deliveryCommands = {
  /** Lists whole deliveries between seqs `after` and `before`, newest first, or `seqs` in order. */
  'deliveries.list': command(
    z.object({
      seqs: z.array(z.number().int()).max(1_000).optional(),
      query: query.optional(),
      limit: z.number().int().min(1).max(1_000).default(50),
      before: z.number().int().optional(),
      after: z.number().int().optional(),
      /** Matches `event:` with identified events only. */
      identified: z.boolean().default(false),
      masked: maskingKindSchema,
    }),
    z.object({ items: z.array(deliverySchema) }),
  ),
  /** Lists the newest matches' rows. */
  'deliveries.page': command(
    z.object({ query: query.optional(), limit: z.number().int().min(1).max(1_000) }),
    z.object({ rows: z.array(deliveryRowSchema) }),
  ),
  /**
   * Lists the matches' seqs, packed by `packSeqs`, for a list that reads only the `rows` in view.
   * Rejects with `TOO_SLOW` after 5 seconds.
   * @param by `arrival`: up to `limit` seqs from seq `from` on. Another column: all seqs. `time`:
   * like `arrival` if no delivery was imported, or too many match to be sorted.
   * @returns `seqs`: null above `MOST_SORTED`. `next`: `from` of the next call, by arrival.
   */
  'deliveries.seqs': command(
    z.object({
      query: query.optional(),
      by: sortKeySchema.or(z.literal('arrival')).default('arrival'),
      descending: z.boolean().default(true),
      from: z.number().int().optional(),
      limit: z.number().int().min(1).max(10_000).optional(),
    }),
    z.object({
      seqs: z.array(z.number().int()).nullable(),
      next: z.number().int().nullable(),
      newest: z.number().int(),
    }),
  ),
  'deliveries.rows': command(
    z.object({ seqs: z.array(z.number().int()).max(1_000) }),
    z.object({ rows: z.array(deliveryRowSchema) }),
  ),
  /** Returns texts at JSON paths, null if a body lacks the path. Long ones are cut. */
  'deliveries.values': command(
    z.object({
      seqs: z.array(z.number().int()).max(200),
      paths: listColumnsSchema,
      masked: maskingKindSchema,
    }),
    z.object({ rows: z.array(z.object({ seq: count, values: z.array(z.string().nullable()) })) }),
  ),
  'deliveries.get': command(
    z.object({ id: deliveryRef, masked: maskingKindSchema }),
    deliverySchema,
  ),
  /** Returns a piece of the received bytes; `size` counts all that are stored. */
  'deliveries.body': command(
    bodyPiece,
    z.object({ offset: z.number().int(), size: z.number().int(), base64: z.string() }),
  ),
  'deliveries.signature': command(z.object({ id: deliveryRef }), signatureReportSchema),
  'deliveries.schema': command(z.object({ id: deliveryRef }), schemaReportSchema),
  /**
   * Checks the signature with today's hooks or a given secret and URL, and explains `computed`, a
   * digest made by the user's code.
   */
  'deliveries.diagnose': command(
    z.object({
      id: deliveryRef,
      secret: z.string().min(1).max(10_000).optional(),
      url: z.string().min(1).max(10_000).optional(),
      computed: z.string().trim().min(1).max(10_000).optional(),
    }),
    signatureTrialSchema,
  ),
  'deliveries.attempts': command(
    z.object({ id: deliveryRef }),
    z.object({ rows: z.array(deliveryRowSchema) }),
  ),
} as const

export const bodyCommands = {
  /**
   * Returns a piece of the decoded body. `end: 'limit'`: stopped at the size limit; `'broken'`: the
   * body doesn't match its header. `problem`: a missing or wrong header.
   */
  'bodies.decoded': command(
    bodyPiece,
    z.object({
      encodings: z.array(z.string()),
      offset: z.number().int(),
      size: z.number().int(),
      receivedSize: z.number().int(),
      base64: z.string(),
      end: z.enum(['whole', 'limit', 'broken']),
      problem: z.string().nullable(),
    }),
  ),
  /** Returns paths that no earlier delivery of the event had. */
  'bodies.newFields': command(
    z.object({ id: deliveryRef }),
    z.object({ paths: z.array(z.string()) }),
  ),
} as const

/** Deliveries profiled per call, which takes a tenth of a second. */
export const PROFILED_DELIVERIES = 1_000

export const fieldCommands = {
  /** Counts the fields of these deliveries' payloads, by event. */
  'fields.profile': command(
    z.object({ seqs: z.array(z.number().int()).max(PROFILED_DELIVERIES) }),
    profileSchema,
  ),
} as const

const hookId = z.string().min(1).nullable()

export const compareCommands = {
  'compare.offers': command(
    z.object({ deliveryId: z.string().min(1) }),
    z.object({ offers: z.array(comparisonOfferSchema) }),
  ),
  /** Returns the nearest delivery of this hook (or path) and event. */
  'compare.neighbour': command(
    z.object({ deliveryId: z.string().min(1), by: z.literal([1, -1]) }),
    z.object({ row: deliveryRowSchema.nullable() }),
  ),
  'compare.volatile': command(z.object({ hookId }), volatileListSchema),
  'compare.setVolatile': command(
    z.object({ hookId, fields: volatileFieldsSchema.nullable() }),
    volatileListSchema,
  ),
} as const

export const lifecycleCommands = {
  'lifecycle.get': command(z.object({ deliveryId: z.string().min(1) }), lifecycleSchema),
  'lifecycle.attempts': command(
    z.object({ deliveryId: z.string().min(1) }),
    z.object({ attempts: z.array(attemptSchema) }),
  ),
} as const

const totalsSchema = z.object({
  verdicts: z.array(count).length(VERDICT_CLASSES.length),
  responses: z.array(count).length(RESPONSE_CLASSES.length),
})
const binSchema = totalsSchema.extend({ index: count })
const timesSchema = z.array(z.tuple([z.number(), count]))
const groupSchema = totalsSchema.extend({
  key: z.string().nullable(),
  retried: count,
  ours: timesSchema,
  handlers: timesSchema,
})
export const statisticsSchema = z.object({
  all: groupSchema,
  event: z.array(groupSchema),
  hook: z.array(groupSchema),
  handler: z.array(groupSchema),
})

const MOST_BINS = 2_000

export const statisticsCommands = {
  /** Returns the first time of receipt, in milliseconds since the epoch. */
  'timeline.start': command(nothing, z.object({ at: z.number().nullable() })),
  /**
   * Counts deliveries in bins of `width` milliseconds; empty bins are left out. Rejects with
   * `TOO_SLOW` after 5 seconds.
   */
  'timeline.read': command(
    z.object({
      query: query.optional(),
      start: z.number().int().min(0).multipleOf(60_000),
      width: z.number().int().min(60_000).multipleOf(60_000),
      bins: z.number().int().min(1).max(MOST_BINS),
    }),
    z.object({ bins: z.array(binSchema) }),
  ),
  'statistics.read': command(z.object({ query: query.optional() }), statisticsSchema),
} as const

export const searchingCommands = {
  'deliveries.suggest': command(nothing, storedValuesSchema),
  /**
   * Counts matches of each query up to `most`, within about `patience` milliseconds in all.
   * @returns `counts`: null for an invalid query. `more`: the count isn't complete.
   */
  'deliveries.counts': command(
    z.object({
      queries: z.array(query).max(60),
      most: z.number().int().min(1).max(10_000).default(1_000),
      patience: z.number().min(0).max(5_000).default(400),
    }),
    z.object({ counts: z.array(queryCountSchema.nullable()), total: z.number().int() }),
  ),
  'deliveries.matching': command(
    z.object({ query: z.string().max(4_000), seqs: z.array(z.number().int()).max(1_000) }),
    z.object({ seqs: z.array(z.number().int()) }),
  ),
} as const
