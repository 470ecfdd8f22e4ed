/**
 * Groups the events of one purchase in business order: auth and clearing, then each refund with its clearing (sections 6.2 and
 * 6.3). Pure.
 */
import type { LifecycleStage, MissingStage } from '../../shared/model/lifecycle.ts'
import {
  isoOrNull,
  isProved,
  type TransactionBase,
  type TransactionFacts,
} from './transaction-facts.ts'
import { spanText } from '../../shared/text/moment.ts'

/** One event with everything its deliveries say. */
export interface PurchaseStage {
  readonly base: TransactionBase
  readonly isQualified: boolean
  readonly isOfRefund: boolean
  readonly name: string
  /** The representative delivery: the first verified one, otherwise the first. */
  readonly facts: TransactionFacts
  readonly isProved: boolean
  /** Oldest first. */
  readonly all: readonly TransactionFacts[]
}

const order: readonly TransactionBase[] = ['auth', 'clearing', 'refund']

/** Groups deliveries into events; events of one refund share its id. */
export function purchaseStages(found: readonly TransactionFacts[]): PurchaseStage[] {
  const groups = new Map<string, TransactionFacts[]>()
  for (const facts of found) {
    const key = `${facts.isOfRefund ? `refund ${facts.id}` : 'purchase'} ${facts.event}`
    groups.set(key, [...(groups.get(key) ?? []), facts])
  }
  return [...groups.values()].map(toStage).sort(compareStages)
}

function toStage(all: readonly TransactionFacts[]): PurchaseStage {
  const sorted = all.toSorted((one, other) => one.delivery.seq - other.delivery.seq)
  const proved = sorted.find(isProved)
  const facts = proved ?? sorted[0]
  if (facts === undefined) throw new Error('A stage has at least one delivery.')
  const { base, isQualified, isOfRefund } = facts
  return {
    base,
    isQualified,
    isOfRefund,
    name: stageName(facts),
    facts,
    isProved: proved !== undefined,
    all: sorted,
  }
}

type Kind = Pick<TransactionFacts, 'base' | 'isQualified' | 'isOfRefund'>

/** `Auth`, `Clearing, qualified`, `Clearing of the refund`. */
function stageName({ base, isQualified, isOfRefund }: Kind): string {
  const plain =
    base === 'auth'
      ? 'Auth'
      : base === 'refund'
        ? 'Refund'
        : isOfRefund
          ? 'Refund clearing'
          : 'Clearing'
  return isQualified ? `${plain}, qualified` : plain
}

/** The purchase before its refunds, refunds by time; within each in business order, plain events before .qualified ones. */
function compareStages(one: PurchaseStage, other: PurchaseStage): number {
  const time = ({ facts }: PurchaseStage) =>
    facts.createdAt ?? facts.happenedAt ?? Date.parse(facts.delivery.receivedAt)
  const place = ({ base, isOfRefund }: PurchaseStage) =>
    isOfRefund && base === 'clearing' ? order.length : order.indexOf(base)
  if (one.isOfRefund !== other.isOfRefund) return one.isOfRefund ? 1 : -1
  if (one.isOfRefund && one.facts.id !== other.facts.id)
    return time(one) - time(other) || one.facts.id.localeCompare(other.facts.id)
  return place(one) - place(other) || Number(one.isQualified) - Number(other.isQualified)
}

/** Converts a stage to its form in the contract. */
export function toLifecycleStage({
  facts,
  name,
  isOfRefund,
  isProved: proved,
  all,
}: PurchaseStage): LifecycleStage {
  return {
    part: isOfRefund ? 'refund' : 'purchase',
    event: facts.event,
    name,
    objectId: facts.id,
    amount: facts.amount,
    currency: facts.currency,
    status: null,
    offer: facts.offer === null ? null : { ...facts.offer },
    happenedAt: isoOrNull(facts.happenedAt),
    receivedAt: all[0]?.delivery.receivedAt ?? facts.delivery.receivedAt,
    isProved: proved,
    deliveries: all.map(({ delivery }) => delivery),
  }
}

/** The representative deliveries of all stages that were received. */
export function idsOf(...stages: readonly (PurchaseStage | undefined)[]): string[] {
  return stages.flatMap((stage) => (stage === undefined ? [] : [stage.facts.delivery.id]))
}

// Events that the spec leads us to expect for a purchase and that are missing (sections 6.2 and 6.3). Pure.

const HOUR = 3_600_000
/** A transaction is settled "usually 48 to 72 hours after payment" (section 6.2). */
const CLEARING_FROM = 48 * HOUR
export const CLEARING_TO = 72 * HOUR
/** Events that accompany another may arrive slightly later. */
const ALONG = 60_000

export interface PurchaseContext {
  /** Sandbox or real time, in milliseconds. */
  readonly now: number
  /** The purchase's program, if known. */
  readonly programId: string | null
  /** Whether a hook is registered here for an event in the purchase's environment. */
  hasHook(event: string): boolean
}

export function missingOfPurchase(
  stages: readonly PurchaseStage[],
  around: PurchaseContext,
): MissingStage[] {
  const proved = stages.filter((stage) => stage.isProved)
  const auth = proved.find(({ base }) => base === 'auth')
  const hasClearing = proved.some(({ base, isOfRefund }) => base === 'clearing' && !isOfRefund)
  const refunds = new Set(
    proved.filter(({ isOfRefund }) => isOfRefund).map(({ facts }) => facts.id),
  )
  const missing: MissingStage[] = []
  if (auth !== undefined && !hasClearing) missing.push(clearingOf(auth, around))
  if (auth === undefined && !hasClearing) missing.push(...originalOf(proved))
  for (const id of refunds)
    missing.push(
      ...missingOfRefund(
        proved.filter(({ isOfRefund, facts }) => isOfRefund && facts.id === id),
        around,
      ),
    )
  return missing
}

/** The command that registers a hook; a program hook needs its program (section 2.1). */
function registration(event: string, programId: string | null): string {
  return `countersign hooks add --event ${event}${programId === null ? '' : ` --program ${programId}`}`
}

function clearingOf(
  { facts }: PurchaseStage,
  { now, programId, hasHook }: PurchaseContext,
): MissingStage {
  const paidAt = facts.createdAt ?? facts.happenedAt
  const event = 'transaction.clearing'
  const base = { part: 'purchase', event, name: 'Clearing' } as const
  const due = paidAt === null ? null : { from: paidAt + CLEARING_FROM, to: paidAt + CLEARING_TO }
  const times = {
    from: isoOrNull(due?.from ?? null),
    to: isoOrNull(due?.to ?? null),
    isLate: due !== null && now > due.to,
  }
  if (!hasHook(event)) {
    return {
      ...base,
      ...times,
      message: `No hook is registered for ${event}, so this purchase's clearing isn't received here.`,
      fix: `Register one: ${registration(event, programId)}.`,
    }
  }
  if (due === null || now < due.from) {
    const wait = due === null ? '' : ` Expected in ${spanText(due.from - now)}.`
    return {
      ...base,
      ...times,
      message: `Purchases settle 48 to 72 hours after the payment.${wait}`,
      fix: 'Nothing to do yet. In the sandbox you can advance the clock.',
    }
  }
  if (!times.isLate)
    return {
      ...base,
      ...times,
      message: `Due now: the payment was ${spanText(now - (due.from - CLEARING_FROM))} ago.`,
      fix: 'Nothing to do yet.',
    }
  return {
    ...base,
    ...times,
    message: `Overdue by ${spanText(now - due.to)}: purchases settle within 72 hours of the payment.`,
    fix: 'Check whether the receiver was reachable then, and ask the service whether the transaction was settled or reversed.',
  }
}

/** A refund of a purchase that wasn't captured. */
function originalOf(proved: readonly PurchaseStage[]): MissingStage[] {
  const refund = proved.find(
    ({ facts }) => facts.originalId !== null && facts.originalId !== facts.id,
  )
  if (refund === undefined) return []
  return [
    {
      part: 'purchase',
      event: 'transaction.auth',
      name: "The purchase's auth and clearing",
      from: null,
      to: null,
      isLate: false,
      message: `Refunds purchase ${refund.facts.originalId}, which wasn't captured.`,
      fix: 'It was made before capture began, or no hook is registered for its events. Make sure your handler accepts refunds of unknown purchases.',
    },
  ]
}

function missingOfRefund(
  stages: readonly PurchaseStage[],
  { now, programId, hasHook }: PurchaseContext,
): MissingStage[] {
  const refund = stages.find(({ base }) => base === 'refund')
  const clearing = stages.find(({ base }) => base === 'clearing')
  const told = refund ?? clearing
  if (told === undefined || (refund !== undefined && clearing !== undefined)) return []
  const base = refund === undefined ? 'refund' : 'clearing'
  const event = `transaction.${base}`
  const isLate = now - (told.facts.happenedAt ?? now) > ALONG
  const name = stageName({ base, isQualified: false, isOfRefund: true })
  return [
    {
      part: 'refund',
      event,
      name,
      from: isoOrNull(told.facts.happenedAt),
      to: isoOrNull(told.facts.happenedAt),
      isLate: isLate && hasHook(event),
      message: hasHook(event)
        ? `Missing ${event}. A refund triggers both transaction.refund and transaction.clearing.`
        : `No hook is registered for ${event}. A refund triggers both transaction.refund and transaction.clearing.`,
      fix: hasHook(event)
        ? 'Count the refund once, from the event you received. Check whether the other was rejected or is still being retried.'
        : `If you want both, register one: ${registration(event, programId)}.`,
    },
  ]
}
