import { isSameNumber } from '../../shared/json/number.ts'
import type { TransactionFacts } from './transaction-facts.ts'

const HOUR = 3_600_000
/** Milliseconds from payment to settlement: 48 to 72 hours (section 6.2). */
export const CLEARING_FROM_MS = 48 * HOUR
export const CLEARING_TO_MS = 72 * HOUR

export interface PurchaseContext {
  /** Sandbox time or real time, in milliseconds. */
  readonly now: number
  readonly programId: string | null
  /** Whether a hook receives an event in the purchase's environment. */
  hasHook(event: string): boolean
  /** Verified deliveries of the same card, linked or not. */
  readonly ofCard: readonly TransactionFacts[]
}

/** Event with the facts of its first verified delivery, else its first. */
export interface PurchaseStage extends TransactionFacts {
  readonly all: readonly TransactionFacts[]
}

/** Events of one refund, which share an id. */
export interface PurchaseRefund {
  readonly refund: PurchaseStage | undefined
  readonly clearing: PurchaseStage | undefined
  readonly first: PurchaseStage
}

/** Verified events of a purchase in business order, with their context. */
export interface Purchase extends PurchaseContext {
  readonly proved: readonly PurchaseStage[]
  readonly own: readonly PurchaseStage[]
  readonly auth: PurchaseStage | undefined
  readonly clearing: PurchaseStage | undefined
  readonly refunds: readonly PurchaseRefund[]
}

export const EVENT_NAMES = ['Auth', 'Clearing', 'Refund', 'Refund clearing'] as const

export function stageOrder({ base, isOfRefund }: PurchaseStage): 0 | 1 | 2 | 3 {
  if (base === 'auth') return 0
  if (base === 'refund') return 2
  return isOfRefund ? 3 : 1
}

/** Returns a name such as `Clearing, qualified`. */
export function nameOf(stage: PurchaseStage): string {
  return `${EVENT_NAMES[stageOrder(stage)]}${stage.isQualified ? ', qualified' : ''}`
}

export const inSentence = (stage: PurchaseStage) => nameOf(stage).toLowerCase()

/** Formats an amount as sent: `12.50 GBP`. */
export function moneyText({ amount, currency }: PurchaseStage): string {
  return `${amount ?? 'no amount'}${currency === null ? '' : ` ${currency}`}`
}

export function hasOtherAmount(one: PurchaseStage, other: PurchaseStage): boolean {
  return one.amount !== null && other.amount !== null && !isSameNumber(one.amount, other.amount)
}

export const paymentTime = ({ createdAt, happenedAt }: PurchaseStage) => createdAt ?? happenedAt
