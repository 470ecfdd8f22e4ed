/** Lists the built-in flows in the order of the docs, one file per flow. */
import brandConsentTest from './brand-consent-test.json' with { type: 'json' }
import brandConsentLive from './brand-consent-live.json' with { type: 'json' }
import locationOnboarding from './location-onboarding.json' with { type: 'json' }
import locationOnboardingLive from './location-onboarding-live.json' with { type: 'json' }
import programSyncLive from './program-sync-live.json' with { type: 'json' }
import cardLinked from './card-linked.json' with { type: 'json' }
import cardFailed from './card-failed.json' with { type: 'json' }
import purchaseVisa from './purchase-visa.json' with { type: 'json' }
import purchaseMastercard from './purchase-mastercard.json' with { type: 'json' }
import purchaseAmex from './purchase-amex.json' with { type: 'json' }
import refundMatched from './refund-matched.json' with { type: 'json' }
import refundUnmatched from './refund-unmatched.json' with { type: 'json' }
import refundPartial from './refund-partial.json' with { type: 'json' }
import offerQualified from './offer-qualified.json' with { type: 'json' }
import offerFilter from './offer-filter.json' with { type: 'json' }
import offerRefundAfterExpiry from './offer-refund-after-expiry.json' with { type: 'json' }
import retryThirdAttempt from './retry-third-attempt.json' with { type: 'json' }
import retryGivenUp from './retry-given-up.json' with { type: 'json' }
import retryRecovery from './retry-recovery.json' with { type: 'json' }
import timeout from './timeout.json' with { type: 'json' }
import duplicate from './duplicate.json' with { type: 'json' }
import outOfOrder from './out-of-order.json' with { type: 'json' }
import forged from './forged.json' with { type: 'json' }
import stale from './stale.json' with { type: 'json' }
import tenHooks from './ten-hooks.json' with { type: 'json' }
import secretRotation from './secret-rotation.json' with { type: 'json' }
import { flowSchema, type Flow } from '../../../shared/model/flow.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { readFlow } from '../read-flow.ts'

interface BuiltInFlow {
  readonly flow: Flow
  readonly source: string
}

const files: readonly unknown[] = [
  brandConsentTest,
  brandConsentLive,
  locationOnboarding,
  locationOnboardingLive,
  programSyncLive,
  cardLinked,
  cardFailed,
  purchaseVisa,
  purchaseMastercard,
  purchaseAmex,
  refundMatched,
  refundUnmatched,
  refundPartial,
  offerQualified,
  offerFilter,
  offerRefundAfterExpiry,
  retryThirdAttempt,
  retryGivenUp,
  retryRecovery,
  timeout,
  duplicate,
  outOfOrder,
  forged,
  stale,
  tenHooks,
  secretRotation,
]

let parsedFlows: readonly BuiltInFlow[] | null = null

/** Returns the built-in flows, parsed on first use. */
export function builtInFlows(): readonly BuiltInFlow[] {
  parsedFlows ??= files.map((file) => ({
    flow: flowSchema.parse(file),
    source: `${JSON.stringify(file, null, 2)}\n`,
  }))
  return parsedFlows
}

export type FlowChoice = Pick<InputOf<'flows.get'>, 'name' | 'source'>

export interface FoundFlow {
  readonly flow: Flow
  readonly source: string
  /** Path of the file if known; null for a built-in flow. */
  readonly origin: string | null
}

/** Finds a flow by name, or reads it from text. Throws `NOT_FOUND` or `INVALID_FLOW`. */
export function findFlow({ name, source }: FlowChoice): FoundFlow {
  if ((name === undefined) === (source === undefined))
    throw new AppError('INVALID_INPUT', "Give either a flow's name or its text.")
  if (source !== undefined)
    return {
      flow: readFlow(source.text, source.file),
      source: source.text,
      origin: source.path ?? source.file,
    }
  const builtIn = builtInFlows().find(({ flow }) => flow.name === name)
  if (builtIn !== undefined) return { ...builtIn, origin: null }
  throw new AppError(
    'NOT_FOUND',
    `Flow "${name ?? ''}" not found. "countersign flow list" lists the built-in flows. To run your own, pass its file.`,
  )
}
