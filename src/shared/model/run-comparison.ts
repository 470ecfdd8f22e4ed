/** Comparison of a replay's responses with another endpoint's, earlier ones or a saved baseline. */
import { z } from 'zod'
import { replaySchema, sendFailureKindSchema } from './send.ts'

/**
 * Response without what differs in every run: ids and times are folded, ignored fields left out,
 * secrets masked. It has `body` if it is JSON, `text` or `sha256` if not, none of them if empty.
 */
export const comparableSchema = z.object({
  status: z.number().int().nullable(),
  /** Why there is no response. */
  error: sendFailureKindSchema.optional(),
  /** Whether the service would count it as acknowledged, within 20 s. */
  acknowledged: z.boolean(),
  /** Named headers in lower case. */
  headers: z.record(z.string(), z.string()).optional(),
  body: z.json().optional(),
  text: z.string().optional(),
  sha256: z.string().optional(),
  /** Whether only the start of the body was compared. */
  truncated: z.literal(true).optional(),
})
export type Comparable = z.infer<typeof comparableSchema>

export const baselineEntrySchema = z.object({
  id: z.string().min(1).max(200),
  event: z.string().max(200).nullable(),
  ...comparableSchema.shape,
})
export type BaselineEntry = z.infer<typeof baselineEntrySchema>

export const BASELINE_VERSION = 1

/** Saved responses by delivery, as in the file of `--save`. */
export const baselineSchema = z.object({
  countersign: z.literal('baseline'),
  version: z.literal(BASELINE_VERSION),
  ignore: z.array(z.string().min(1).max(200)).max(200),
  headers: z.array(z.string().min(1).max(200)).max(200),
  deliveries: z.array(baselineEntrySchema).max(1_000_000),
})
export type Baseline = z.infer<typeof baselineSchema>

/** Outcomes of a delivery; `judge-pair.ts` decides. In the order of a report. */
export const pairOutcomeSchema = z.enum([
  'regressed',
  'unreachable',
  'changed',
  'fixed',
  'not-compared',
  'same',
])
export type PairOutcome = z.infer<typeof pairOutcomeSchema>

const differenceSchema = z.object({
  place: z.enum(['body', 'header']),
  /** Path in the body, with `[*]` for any item; empty for the whole body. A header's name. */
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed']),
  /** Up to three values as JSON, in pairs; null if there are more. */
  before: z.array(z.string()).nullable(),
  after: z.array(z.string()).nullable(),
})
export type GroupDifference = z.infer<typeof differenceSchema>

const responseKindSchema = z.object({
  status: z.number().int().nullable(),
  error: sendFailureKindSchema.nullable(),
})

const times = z.object({ before: z.number().nullable(), after: z.number().nullable() })

/** A delivery of a group, with its sends; null if there is none. */
const pairRefSchema = z.object({
  deliveryId: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
})
export type PairRef = z.infer<typeof pairRefSchema>

const groupSchema = z.object({
  outcome: pairOutcomeSchema.exclude(['same']),
  event: z.string().nullable(),
  count: z.number().int(),
  /** Response; null without one. */
  before: responseKindSchema.nullable(),
  after: responseKindSchema.nullable(),
  /** Error message of the failed response, without ids and numbers; empty without one. */
  message: z.string(),
  differences: z.array(differenceSchema),
  /** Why nothing could be compared, or which side is unreachable. */
  reason: z.string().nullable(),
  /** Median response times in milliseconds. */
  ms: times,
  /** The first deliveries; `count` has all. */
  deliveries: z.array(pairRefSchema).min(1),
})
export type ComparisonGroup = z.infer<typeof groupSchema>

const count = z.number().int()

export const runComparisonSchema = z.object({
  replay: replaySchema,
  /** Counts of deliveries. */
  total: count,
  regressed: count,
  changed: count,
  fixed: count,
  unreachable: count,
  notCompared: count,
  same: count,
  /** Deliveries of the baseline that weren't sent. */
  notSelected: count,
  ms: times,
  /** Largest first; without the least severe ones if there are too many. */
  groups: z.array(groupSchema),
  furtherGroups: count,
  /** Unchanged deliveries by event. */
  unchanged: z.array(z.object({ event: z.string().nullable(), count })),
})
export type RunComparison = z.infer<typeof runComparisonSchema>

export const failOnSchema = z.enum(['regressed', 'changed'])
export type FailOn = z.infer<typeof failOnSchema>
