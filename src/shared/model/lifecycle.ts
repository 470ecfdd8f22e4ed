/**
 * The lifecycle of one purchase or location, reconstructed from the deliveries that refer to it. Only deliveries with a valid
 * signature count as facts; others are listed beside them.
 */
import { z } from 'zod'
import { deliveryRowSchema } from './delivery.ts'

/** Kinds of objects that a delivery refers to. `purchase` is the transaction's own id, or the id of the purchase that it refunds. */
export const linkKinds = ['purchase', 'location', 'card', 'brand', 'program', 'offer'] as const
export type LinkKind = (typeof linkKinds)[number]

const lifecyclePartSchema = z.enum(['purchase', 'refund', 'location'])

/** One event of the lifecycle with all its deliveries: attempts, duplicates, and those of other hooks. */
export const lifecycleStageSchema = z.object({
  part: lifecyclePartSchema,
  event: z.string(),
  /** `Auth`, `Clearing`, `Refund`, `Clearing of the refund`, or the scheme of a location. */
  name: z.string(),
  /** Id of the transaction or the location. */
  objectId: z.string(),
  /** The amount as sent: `10.00`. */
  amount: z.string().nullable(),
  currency: z.string().nullable(),
  /** The location's status: `location.active`. */
  status: z.string().nullable(),
  /** The offer that the transaction qualified for, with its cashback as sent. */
  offer: z.object({ id: z.string(), cashback: z.string().nullable() }).nullable(),
  /** When it happened, according to the payload; null if the payload doesn't say. */
  happenedAt: z.iso.datetime().nullable(),
  /** When its first delivery was received, in real time. */
  receivedAt: z.iso.datetime(),
  /** Whether at least one of its deliveries has a valid signature. */
  isProved: z.boolean(),
  /** Oldest first. */
  deliveries: z.array(deliveryRowSchema),
})
export type LifecycleStage = z.infer<typeof lifecycleStageSchema>

/** An event expected by the spec that wasn't received. */
export const missingStageSchema = z.object({
  part: lifecyclePartSchema,
  event: z.string(),
  name: z.string(),
  /** Expected time range, in the payload's time; null if the spec doesn't give one. */
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime().nullable(),
  isLate: z.boolean(),
  message: z.string(),
  fix: z.string(),
})
export type MissingStage = z.infer<typeof missingStageSchema>

export const oddityCodes = [
  'amount-drift',
  'currency-change',
  'clearing-without-auth',
  'negative-clearing',
  'uncleared',
  'unmatched-refund',
  'original-missing',
  'refund-exceeds',
  'refund-without-clearing',
  'out-of-order',
  'duplicate',
  'content-differs',
  'location-failed',
  'status-changed',
  'unproved',
] as const

/** A finding. `note`: expected, but often misread. `warn`: a mismatch with the spec. */
export const odditySchema = z.object({
  code: z.enum(oddityCodes),
  level: z.enum(['warn', 'note']),
  message: z.string(),
  fix: z.string(),
  deliveryIds: z.array(z.string()),
})
export type Oddity = z.infer<typeof odditySchema>

export const lifecycleSchema = z.object({
  kind: z.enum(['purchase', 'location', 'none']),
  /** Id of the purchase or the location; null if the delivery refers to neither. */
  objectId: z.string().nullable(),
  /** The current time in payloads: the sandbox's clock for its own environments, otherwise real time. */
  now: z.iso.datetime(),
  /** In chronological order. */
  stages: z.array(lifecycleStageSchema),
  missing: z.array(missingStageSchema),
  oddities: z.array(odditySchema),
  /** Number of deliveries with the same card, brand, location, program and offer; `isMore` if counting stopped early. */
  related: z.array(
    z.object({
      kind: z.enum(linkKinds),
      id: z.string(),
      deliveries: z.number().int(),
      isMore: z.boolean(),
    }),
  ),
  /** True if more deliveries refer to the object than can be shown. */
  isCut: z.boolean(),
  /** Deliveries not indexed yet, so some may be missing here; null if all are. */
  unlinked: z.object({ left: z.number().int(), of: z.number().int() }).nullable(),
})
export type Lifecycle = z.infer<typeof lifecycleSchema>

/** The kind of object a lifecycle is about: a refund, if there are only refunds and none refers to a purchase. */
export function subjectWord({
  kind,
  objectId,
  stages,
}: Lifecycle): 'Purchase' | 'Refund' | 'Location' {
  if (kind === 'location') return 'Location'
  const isRefund =
    stages.length > 0 &&
    stages.every((stage) => stage.part === 'refund' && stage.objectId === objectId)
  return isRefund ? 'Refund' : 'Purchase'
}

/** A rule about two attempts of one notification, checked for one attempt against the first. */
export const attemptCheckSchema = z.object({
  what: z.enum(['signature', 'timestamp', 'body', 'url', 'headers', 'attempt-number']),
  /** Whether the value must differ from the previous attempt, or must be the same. */
  must: z.enum(['differ', 'stay']),
  holds: z.boolean(),
  message: z.string(),
})
export type AttemptCheck = z.infer<typeof attemptCheckSchema>

export const attemptSchema = z.object({
  row: deliveryRowSchema,
  /** Time since the previous delivery began, in milliseconds; null for the first. */
  gapMs: z.number().nullable(),
  /** The gap expected by section 6.4 after the previous response; null for the first, for duplicates, and from the fourth on. */
  expectedGapMs: z.number().nullable(),
  /** Explains the gap and the response. */
  message: z.string(),
  checks: z.array(attemptCheckSchema),
})
export type Attempt = z.infer<typeof attemptSchema>
