/**
 * Lifecycle of one purchase or location, by its deliveries. Only those with a valid signature count
 * as facts.
 */
import { z } from 'zod'
import { deliveryRowSchema } from './delivery.ts'

/** `purchase`: the transaction, or the purchase that it refunds. */
export const linkKinds = ['purchase', 'location', 'card', 'brand', 'program', 'offer'] as const
export type LinkKind = (typeof linkKinds)[number]

const lifecyclePartSchema = z.enum(['purchase', 'refund', 'location'])

export const lifecycleStageSchema = z.object({
  part: lifecyclePartSchema,
  event: z.string(),
  name: z.string(),
  objectId: z.string(),
  amount: z.string().nullable(),
  currency: z.string().nullable(),
  status: z.string().nullable(),
  offer: z.object({ id: z.string(), cashback: z.string().nullable() }).nullable(),
  /** Time according to the payload. */
  happenedAt: z.iso.datetime().nullable(),
  /** Real time of its first delivery. */
  receivedAt: z.iso.datetime(),
  isProved: z.boolean(),
  deliveries: z.array(deliveryRowSchema),
})
export type LifecycleStage = z.infer<typeof lifecycleStageSchema>

export const missingStageSchema = z.object({
  part: lifecyclePartSchema,
  event: z.string(),
  name: z.string(),
  /** Expected range in the payload's time, if the spec gives one. */
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime().nullable(),
  isLate: z.boolean(),
  message: z.string(),
  fix: z.string(),
})
export type MissingStage = z.infer<typeof missingStageSchema>

export const lifecycleFindingCodes = [
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

/** `note`: expected, but often misread. `warn`: a mismatch with the spec. */
export const lifecycleFindingSchema = z.object({
  code: z.enum(lifecycleFindingCodes),
  level: z.enum(['warn', 'note']),
  message: z.string(),
  fix: z.string(),
  deliveryIds: z.array(z.string()),
})
export type LifecycleFinding = z.infer<typeof lifecycleFindingSchema>

export const lifecycleSchema = z.object({
  kind: z.enum(['purchase', 'location', 'none']),
  objectId: z.string().nullable(),
  /** Current time in payloads: the sandbox's clock, or real time. */
  now: z.iso.datetime(),
  stages: z.array(lifecycleStageSchema),
  missing: z.array(missingStageSchema),
  findings: z.array(lifecycleFindingSchema),
  related: z.array(
    z.object({
      kind: z.enum(linkKinds),
      id: z.string(),
      deliveries: z.number().int(),
      isMore: z.boolean(),
    }),
  ),
  isCut: z.boolean(),
  /** Deliveries not indexed yet, so some may be missing here. */
  unlinked: z.object({ left: z.number().int(), of: z.number().int() }).nullable(),
})
export type Lifecycle = z.infer<typeof lifecycleSchema>

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

export const attemptCheckSchema = z.object({
  what: z.enum(['signature', 'timestamp', 'body', 'url', 'headers', 'attempt-number']),
  must: z.enum(['differ', 'stay']),
  holds: z.boolean(),
  message: z.string(),
})
export type AttemptCheck = z.infer<typeof attemptCheckSchema>

export const attemptSchema = z.object({
  row: deliveryRowSchema,
  /** Time since the previous delivery began. */
  gapMs: z.number().nullable(),
  /** Gap expected by section 6.4; null for duplicates, and from the fourth on. */
  expectedGapMs: z.number().nullable(),
  message: z.string(),
  checks: z.array(attemptCheckSchema),
})
export type Attempt = z.infer<typeof attemptSchema>
