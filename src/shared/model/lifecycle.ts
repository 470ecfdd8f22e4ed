/**
 * What became of one purchase, or of one location, told by the deliveries that name it. Only deliveries whose signature is
 * valid are facts; others are shown beside them, and say nothing.
 */
import { z } from 'zod'
import { deliveryRowSchema } from './delivery.ts'

/** What a delivery names: a purchase by its transaction's id, or by that of the purchase it refunds. */
export const linkKinds = ['purchase', 'location', 'card', 'brand', 'program', 'offer'] as const
export type LinkKind = (typeof linkKinds)[number]

const lifecyclePartSchema = z.enum(['purchase', 'refund', 'location'])

/** One event of the lifecycle, with every delivery of it: attempts, duplicates, those of other hooks. */
export const lifecycleStageSchema = z.object({
  part: lifecyclePartSchema,
  event: z.string(),
  /** `Auth`, `Clearing`, `Refund`, `Clearing of the refund`, the scheme of a location. */
  name: z.string(),
  /** Id of the transaction or the location. */
  objectId: z.string(),
  /** The amount as it was sent: `10.00`. */
  amount: z.string().nullable(),
  currency: z.string().nullable(),
  /** What a location's status says: `location.active`. */
  status: z.string().nullable(),
  /** The offer that the transaction qualified for, its cashback as sent. */
  offer: z.object({ id: z.string(), cashback: z.string().nullable() }).nullable(),
  /** Business time: when it happened, as the payload tells; null where it does not. */
  happenedAt: z.iso.datetime().nullable(),
  /** Real time: when its first delivery was received. */
  receivedAt: z.iso.datetime(),
  /** Whether one of its deliveries at least is proved by a signature. */
  isProved: z.boolean(),
  /** Oldest first. */
  deliveries: z.array(deliveryRowSchema),
})
export type LifecycleStage = z.infer<typeof lifecycleStageSchema>

/** An event that the interface lets expect, and that did not come. */
export const missingStageSchema = z.object({
  part: lifecyclePartSchema,
  event: z.string(),
  name: z.string(),
  /** Business time from which and until which it is expected; null where the interface tells no time. */
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

/** Something to look at. `note`: as the interface has it, and often mistaken; `warn`: not as it lets expect. */
export const odditySchema = z.object({
  code: z.enum(oddityCodes),
  level: z.enum(['warn', 'note']),
  message: z.string(),
  /** What to do about it. */
  fix: z.string(),
  /** The deliveries that it is about. */
  deliveryIds: z.array(z.string()),
})
export type Oddity = z.infer<typeof odditySchema>

export const lifecycleSchema = z.object({
  kind: z.enum(['purchase', 'location', 'none']),
  /** Id of the purchase or the location; null where the delivery names neither. */
  objectId: z.string().nullable(),
  /** Business time now: the sandbox's clock for its own environments, else the wall clock. */
  now: z.iso.datetime(),
  /** In the order in which they happened. */
  stages: z.array(lifecycleStageSchema),
  missing: z.array(missingStageSchema),
  oddities: z.array(odditySchema),
  /** How many deliveries name the same card, brand, location, program and offer; `isMore` where there are more than were counted. */
  related: z.array(z.object({ kind: z.enum(linkKinds), id: z.string(), deliveries: z.number().int(), isMore: z.boolean() })),
  /** Deliveries are left out: more than can be told name it. */
  isCut: z.boolean(),
  /** Deliveries that what they name is not known of yet, so that some may be missing here; null where all are. */
  unlinked: z.object({ left: z.number().int(), of: z.number().int() }).nullable(),
})
export type Lifecycle = z.infer<typeof lifecycleSchema>

/** What the id of a lifecycle names: a refund where that is all there is, and it names no purchase. */
export function subjectWord({ kind, objectId, stages }: Lifecycle): 'Purchase' | 'Refund' | 'Location' {
  if (kind === 'location') return 'Location'
  const isRefund = stages.length > 0 && stages.every((stage) => stage.part === 'refund' && stage.objectId === objectId)
  return isRefund ? 'Refund' : 'Purchase'
}

/** A rule about two attempts of one notification, held against one of them and the first. */
export const attemptCheckSchema = z.object({
  what: z.enum(['signature', 'timestamp', 'body', 'url', 'headers', 'attempt-number']),
  /** Whether it has to differ from the attempt before, or must not. */
  must: z.enum(['differ', 'stay']),
  holds: z.boolean(),
  message: z.string(),
})
export type AttemptCheck = z.infer<typeof attemptCheckSchema>

export const attemptSchema = z.object({
  row: deliveryRowSchema,
  /** Since the delivery before began, in milliseconds; null for the first. */
  gapMs: z.number().nullable(),
  /** The gap that section 6.4 makes of the answer before; null for the first, for duplicates, and from the fourth on. */
  expectedGapMs: z.number().nullable(),
  /** How the gap and the answer are to be read. */
  message: z.string(),
  checks: z.array(attemptCheckSchema),
})
export type Attempt = z.infer<typeof attemptSchema>
