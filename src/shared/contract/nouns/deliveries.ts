/** Commands about captured deliveries. */
import { z } from 'zod'
import { deliveryRowSchema, deliverySchema, schemaReportSchema } from '../../model/delivery.ts'
import { signatureReportSchema, signatureTrialSchema } from '../../model/signature.ts'
import { command, nothing } from './command.ts'
import { volatileFieldsSchema } from '../../diff/volatile.ts'
import { comparisonOfferSchema, volatileListSchema } from '../../model/comparison.ts'
import { attemptSchema, lifecycleSchema } from '../../model/lifecycle.ts'
import { storedValuesSchema } from '../../query/complete.ts'

/** A delivery's id, `latest`, or `latest:EVENT`. */
const deliveryRef = z.string().min(1)
const query = z.string().max(4_000)
/** Without known secrets and values of custom headers, as an export. */
const masked = z.boolean().default(false)

/** Largest piece of a body that one call reads, in bytes. */
export const BODY_CHUNK = 1_048_576

export const deliveryCommands = {
  /** Newest first, whole. `before`: only those with a smaller seq. */
  'deliveries.list': command(
    z.object({
      query: query.optional(),
      limit: z.number().int().min(1).max(1_000).default(50),
      before: z.number().int().optional(),
      after: z.number().int().optional(),
      /** `event:` alone matches identified events only, not possible ones. */
      identified: z.boolean().default(false),
      masked,
    }),
    z.object({ items: z.array(deliverySchema) }),
  ),
  /** One page of rows for a list, newest first, from seq `from` (from the newest where absent) down to `to`, both included. */
  'deliveries.page': command(
    z.object({
      query: query.optional(),
      from: z.number().int().optional(),
      to: z.number().int().optional(),
      limit: z.number().int().min(1).max(1_000),
    }),
    z.object({ rows: z.array(deliveryRowSchema) }),
  ),
  /**
   * What a list of any length needs to reach every row by key: how many rows match (`total`), and for each page of
   * `pageSize` rows the seq that it starts from, newest first. `newest` is the largest seq stored when it was made.
   *
   * With `patience` (milliseconds) it answers after about that time with what it has counted, and with `next`, where to go on: a
   * further call with `from: next` and `skip`, the rows found so far, gives what follows. `next` is null where all was counted.
   */
  'deliveries.anchors': command(
    z.object({
      query: query.optional(),
      pageSize: z.number().int().min(10).max(1_000),
      from: z.number().int().optional(),
      skip: z.number().int().min(0).optional(),
      patience: z.number().min(0).optional(),
    }),
    z.object({
      total: z.number().int(),
      anchors: z.array(z.number().int()),
      newest: z.number().int(),
      next: z.number().int().nullable(),
    }),
  ),
  'deliveries.get': command(z.object({ id: deliveryRef, masked }), deliverySchema),
  /** A piece of the bytes received, Base-64; `size` is that of all the bytes kept. */
  'deliveries.body': command(
    z.object({
      id: deliveryRef,
      offset: z.number().int().min(0).default(0),
      length: z.number().int().min(1).max(BODY_CHUNK).default(BODY_CHUNK),
    }),
    z.object({ offset: z.number().int(), size: z.number().int(), base64: z.string() }),
  ),
  /** The recipe of the signature, and the diagnosis where it does not match. */
  'deliveries.signature': command(z.object({ id: deliveryRef }), signatureReportSchema),
  /** What the check of the payload says, finding by finding; also where its `live` disagrees with the environment's mode. */
  'deliveries.schema': command(z.object({ id: deliveryRef }), schemaReportSchema),
  /**
   * The same held against what is known now: every hook, or a secret and a URL that are only tried and kept nowhere. With
   * `computed`, a digest that somebody's code computed for this delivery is explained too.
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
  /** The deliveries of the same notification, oldest first, this one among them. */
  'deliveries.attempts': command(z.object({ id: deliveryRef }), z.object({ rows: z.array(deliveryRowSchema) })),
} as const

/** Commands about what a body says, beyond its bytes: those are `deliveries.body`. */
export const bodyCommands = {
  /**
   * A piece of the body with its `content-encoding` undone, Base-64; `size` is that of all that is decoded. `end`: `whole`,
   * `limit` where there is more than is decoded, `broken` where it is not what its header says. What no header names, or names
   * wrongly, is decoded as what its first bytes say, and `problem` says so. The bytes received stay what they are: signatures
   * are over them.
   */
  'bodies.decoded': command(
    z.object({
      id: deliveryRef,
      offset: z.number().int().min(0).default(0),
      length: z.number().int().min(1).max(BODY_CHUNK).default(BODY_CHUNK),
    }),
    z.object({
      /** Those that were undone, in the order in which they were applied; none where the bytes are as they were sent. */
      encodings: z.array(z.string()),
      offset: z.number().int(),
      size: z.number().int(),
      receivedSize: z.number().int(),
      base64: z.string(),
      end: z.enum(['whole', 'limit', 'broken']),
      problem: z.string().nullable(),
    }),
  ),
  /** Paths of the fields that no earlier delivery of the same event had, such as `card.metadata.tier` or `items[].id`. */
  'bodies.newFields': command(z.object({ id: deliveryRef }), z.object({ paths: z.array(z.string()) })),
} as const

/** Null: what belongs to no hook. */
const hookId = z.string().min(1).nullable()

/** Commands about comparing deliveries. The comparison itself is made where it is shown. */
export const compareCommands = {
  /** What a delivery is worth comparing with, the likeliest first. */
  'compare.offers': command(z.object({ deliveryId: z.string().min(1) }), z.object({ offers: z.array(comparisonOfferSchema) })),
  /** The nearest delivery of the same hook and event, before or after. */
  'compare.neighbour': command(
    z.object({ deliveryId: z.string().min(1), by: z.literal([1, -1]) }),
    z.object({ row: deliveryRowSchema.nullable() }),
  ),
  /** The fields that differ by their nature, as they are ignored for a hook. */
  'compare.volatile': command(z.object({ hookId }), volatileListSchema),
  /** Sets a hook's own list; null takes it back to the usual one. */
  'compare.setVolatile': command(z.object({ hookId, fields: volatileFieldsSchema.nullable() }), volatileListSchema),
} as const

/** Commands about what became of a purchase or a location, and about the attempts of a notification. */
export const lifecycleCommands = {
  /** The lifecycle that a delivery belongs to, rebuilt from the deliveries that are stored. */
  'lifecycle.get': command(z.object({ deliveryId: z.string().min(1) }), lifecycleSchema),
  /** The deliveries of the same notification, oldest first, held against what the interface says of attempts. */
  'lifecycle.attempts': command(z.object({ deliveryId: z.string().min(1) }), z.object({ attempts: z.array(attemptSchema) })),
} as const

/** What the search bar asks beside the list itself. */
export const searchingCommands = {
  /** What is stored of which a search can speak, for completing it while it is typed. */
  'deliveries.suggest': command(nothing, storedValuesSchema),
  /** Which of these deliveries a query finds. */
  'deliveries.matching': command(
    z.object({ query: z.string().max(4_000), seqs: z.array(z.number().int()).max(1_000) }),
    z.object({ seqs: z.array(z.number().int()) }),
  ),
} as const
