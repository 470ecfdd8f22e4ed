/**
 * Groups the events of one purchase in business order: auth and clearing, then each refund with its clearing (sections 6.2 and
 * 6.3). Pure.
 */
import type { LifecycleStage } from '../../shared/model/lifecycle.ts'
import {
  isoOrNull,
  isProved,
  type TransactionBase,
  type TransactionFacts,
} from './transaction-facts.ts'

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
export function stageName({ base, isQualified, isOfRefund }: Kind): string {
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
