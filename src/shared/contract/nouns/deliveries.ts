import { z } from 'zod'
import {
  deliveryRowSchema,
  deliverySchema,
  sortKeySchema,
  schemaReportSchema,
} from '../../model/delivery.ts'
import { signatureReportSchema, signatureTrialSchema } from '../../model/signature.ts'
import { command, nothing } from './command.ts'
import { maskingKindSchema } from './exchange.ts'
import { volatileFieldsSchema } from '../../diff/rows.ts'
import { comparisonOfferSchema, volatileListSchema } from '../../model/comparison.ts'
import { attemptSchema, lifecycleSchema } from '../../model/lifecycle.ts'
import { RESPONSE_CLASSES, VERDICT_CLASSES } from '../../model/statistics.ts'
import { storedValuesSchema } from '../../query/complete.ts'

/** The matches of a query, counted up to a limit. */
const queryCountSchema = z.object({ count: z.number().int(), more: z.boolean() })
export type QueryCount = z.infer<typeof queryCountSchema>

/** A delivery's id, `latest`, or `latest:EVENT`. */
const deliveryRef = z.string().min(1)
const query = z.string().max(4_000)
/** Maximum bytes of a body per call. */
export const BODY_CHUNK = 1_048_576

export const deliveryCommands = {
  /** Newest first, complete. `before`: only those with a smaller seq. `seqs`: these instead, in this order. */
  'deliveries.list': command(
    z.object({
      seqs: z.array(z.number().int()).max(1_000).optional(),
      query: query.optional(),
      limit: z.number().int().min(1).max(1_000).default(50),
      before: z.number().int().optional(),
      after: z.number().int().optional(),
      /** `event:` alone matches identified events only, not possible ones. */
      identified: z.boolean().default(false),
      masked: maskingKindSchema,
    }),
    z.object({ items: z.array(deliverySchema) }),
  ),
  /** The newest matches as rows. */
  'deliveries.page': command(
    z.object({ query: query.optional(), limit: z.number().int().min(1).max(1_000) }),
    z.object({ rows: z.array(deliveryRowSchema) }),
  ),
  /**
   * A list as a column of seqs: the first one, then the difference between each and its predecessor. By arrival, newest first by default:
   * those among the next deliveries from seq `from` on, at most `limit`; `next` is where to continue, null at the end. By a column:
   * all at once; null if more than `MOST_SORTED` match, because the filter must then be narrowed first. By `time`, imported deliveries
   * are between the others; if there are none or too many match, it is the order of arrival. `newest`: the largest seq stored at that
   * time. Rejects with `TOO_SLOW` after 5 seconds.
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
  /** Rows by seq, in the given order; deleted ones are left out. */
  'deliveries.rows': command(
    z.object({ seqs: z.array(z.number().int()).max(1_000) }),
    z.object({ rows: z.array(deliveryRowSchema) }),
  ),
  'deliveries.get': command(
    z.object({ id: deliveryRef, masked: maskingKindSchema }),
    deliverySchema,
  ),
  /** A piece of the bytes received, in Base64; `size` is the size of all stored bytes. */
  'deliveries.body': command(
    z.object({
      id: deliveryRef,
      offset: z.number().int().min(0).default(0),
      length: z.number().int().min(1).max(BODY_CHUNK).default(BODY_CHUNK),
    }),
    z.object({ offset: z.number().int(), size: z.number().int(), base64: z.string() }),
  ),
  /** The recipe of the signature, and the diagnosis if it doesn't match. */
  'deliveries.signature': command(z.object({ id: deliveryRef }), signatureReportSchema),
  /** The findings of the payload check, including a `live` that disagrees with the environment's mode. */
  'deliveries.schema': command(z.object({ id: deliveryRef }), schemaReportSchema),
  /**
   * The same, checked against the current state: every hook, or a secret and a URL that are only tried and not stored. With
   * `computed`, also explains a digest that the user's code computed for this delivery.
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
  /** All deliveries of the same notification, oldest first, including this one. */
  'deliveries.attempts': command(
    z.object({ id: deliveryRef }),
    z.object({ rows: z.array(deliveryRowSchema) }),
  ),
} as const

/** Commands about the decoded content of a body; its raw bytes are in `deliveries.body`. */
export const bodyCommands = {
  /**
   * A piece of the body with its `content-encoding` decoded, in Base64; `size` is the size of all decoded bytes. `end`: `whole`,
   * `limit` if there is more than is decoded, `broken` if the body doesn't match its header. If the header is missing or wrong, the
   * encoding is detected from the first bytes, and `problem` says so. Signatures always cover the bytes received.
   */
  'bodies.decoded': command(
    z.object({
      id: deliveryRef,
      offset: z.number().int().min(0).default(0),
      length: z.number().int().min(1).max(BODY_CHUNK).default(BODY_CHUNK),
    }),
    z.object({
      /** The encodings that were decoded, in the order applied; empty if the bytes have no encoding. */
      encodings: z.array(z.string()),
      offset: z.number().int(),
      size: z.number().int(),
      receivedSize: z.number().int(),
      base64: z.string(),
      end: z.enum(['whole', 'limit', 'broken']),
      problem: z.string().nullable(),
    }),
  ),
  /** Paths of the fields that no earlier delivery of the same event contained, such as `card.metadata.tier` or `items[].id`. */
  'bodies.newFields': command(
    z.object({ id: deliveryRef }),
    z.object({ paths: z.array(z.string()) }),
  ),
} as const

/** Null: deliveries without a hook. */
const hookId = z.string().min(1).nullable()

/** Commands about comparing deliveries. The client computes the comparison itself. */
export const compareCommands = {
  /** Deliveries worth comparing with, most likely first. */
  'compare.offers': command(
    z.object({ deliveryId: z.string().min(1) }),
    z.object({ offers: z.array(comparisonOfferSchema) }),
  ),
  /** The nearest delivery of the same hook (without one, the same path) and event, before or after. */
  'compare.neighbour': command(
    z.object({ deliveryId: z.string().min(1), by: z.literal([1, -1]) }),
    z.object({ row: deliveryRowSchema.nullable() }),
  ),
  /** The fields that always differ, and so are ignored for a hook. */
  'compare.volatile': command(z.object({ hookId }), volatileListSchema),
  /** Sets a hook's own list; null restores the default. */
  'compare.setVolatile': command(
    z.object({ hookId, fields: volatileFieldsSchema.nullable() }),
    volatileListSchema,
  ),
} as const

/** Commands about the lifecycle of a purchase or location, and the attempts of a notification. */
export const lifecycleCommands = {
  /** The lifecycle that a delivery belongs to, rebuilt from stored deliveries. */
  'lifecycle.get': command(z.object({ deliveryId: z.string().min(1) }), lifecycleSchema),
  /** The deliveries of the same notification, oldest first, checked against the spec's retry rules. */
  'lifecycle.attempts': command(
    z.object({ deliveryId: z.string().min(1) }),
    z.object({ attempts: z.array(attemptSchema) }),
  ),
} as const

const count = z.number().int()
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
/** Counts that can be added, as a whole and in groups. */
export const statisticsSchema = z.object({
  all: groupSchema,
  event: z.array(groupSchema),
  hook: z.array(groupSchema),
  handler: z.array(groupSchema),
})

/** More bins than pixels show nothing more. */
const MOST_BINS = 2_000

export const statisticsCommands = {
  /** The earliest time of receipt, in milliseconds since the epoch; null without deliveries. */
  'timeline.start': command(nothing, z.object({ at: z.number().nullable() })),
  /**
   * Deliveries in each bin, from `start` on; `width` is in milliseconds and a number of whole minutes. Bins without deliveries are
   * left out. Rejects with `TOO_SLOW` after 5 seconds.
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
  /** Statistics of a query's matches. Rejects with `TOO_SLOW` after 5 seconds. */
  'statistics.read': command(z.object({ query: query.optional() }), statisticsSchema),
} as const

/** Requests of the search bar besides the list itself. */
export const searchingCommands = {
  /** Stored values that a search can match, for suggestions while typing. */
  'deliveries.suggest': command(nothing, storedValuesSchema),
  /**
   * How many deliveries each query finds: at most `most`, and within about `patience` milliseconds for all of them. `more`: there may
   * be more. Null for a query that can't be parsed. `total`: all that are stored then.
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
