/** The lifecycle of a purchase with its refunds (sections 6.2 and 6.3). */
import type { Lifecycle, LifecycleStage } from '../../shared/model/lifecycle.ts'
import { isoOrNull } from './body-fields.ts'
import { isProved, type TransactionFacts } from './transaction-facts.ts'
import { unprovedFindings } from './findings.ts'
import {
  type PurchaseContext,
  type Purchase,
  type PurchaseStage,
  stageOrder,
  nameOf,
} from './purchase-stages.ts'
import { missingStages } from './missing-events.ts'
import { purchaseRules, repeatFindings } from './purchase-findings.ts'

export function purchaseLifecycle(
  deliveries: readonly TransactionFacts[],
  context: PurchaseContext,
): Pick<Lifecycle, 'stages' | 'missing' | 'findings'> {
  const stages = stagesOf(deliveries)
  const proved = stages.filter(isProved)
  const own = proved.filter(({ isOfRefund }) => !isOfRefund)
  const refunds = Map.groupBy(
    proved.filter(({ isOfRefund }) => isOfRefund),
    ({ id }) => id,
  )
  const purchase: Purchase = {
    ...context,
    proved,
    own,
    auth: ofBase(own, 'auth'),
    clearing: ofBase(own, 'clearing'),
    refunds: [...refunds.values()].flatMap((events) =>
      events.slice(0, 1).map((first) => ({
        refund: ofBase(events, 'refund'),
        clearing: ofBase(events, 'clearing'),
        first,
      })),
    ),
  }
  return {
    stages: stages.map(toLifecycleStage),
    missing: missingStages(purchase),
    // By importance: amounts, missing events, refunds, arrivals.
    findings: [
      ...purchaseRules.flatMap((rule) => [...rule(purchase)]),
      ...stages.flatMap((stage) => [...repeatFindings(stage)]),
      ...unprovedFindings(
        stages.flatMap(({ all }) => all.filter((facts) => !isProved(facts))),
        'purchase',
      ),
    ],
  }
}

const ofBase = (stages: readonly PurchaseStage[], base: TransactionFacts['base']) =>
  stages.find((stage) => stage.base === base)

/** Groups deliveries into events: the purchase, then its refunds by time. */
function stagesOf(deliveries: readonly TransactionFacts[]): PurchaseStage[] {
  const groups = Map.groupBy(
    deliveries.toSorted((one, other) => one.delivery.seq - other.delivery.seq),
    ({ isOfRefund, id, event }) => `${isOfRefund ? `refund ${id}` : 'purchase'} ${event}`,
  )
  return [...groups.values()]
    .flatMap((all) => {
      const facts = all.find(isProved) ?? all[0]
      return facts === undefined ? [] : [{ ...facts, all }]
    })
    .sort((one, other) => {
      if (one.isOfRefund !== other.isOfRefund) return one.isOfRefund ? 1 : -1
      if (one.isOfRefund && one.id !== other.id)
        return timeFor(one) - timeFor(other) || one.id.localeCompare(other.id)
      return (
        stageOrder(one) - stageOrder(other) || Number(one.isQualified) - Number(other.isQualified)
      )
    })
}

function timeFor({ createdAt, happenedAt, delivery }: TransactionFacts): number {
  return createdAt ?? happenedAt ?? Date.parse(delivery.receivedAt)
}

function toLifecycleStage(stage: PurchaseStage): LifecycleStage {
  const { all } = stage
  return {
    part: stage.isOfRefund ? 'refund' : 'purchase',
    event: stage.event,
    name: nameOf(stage),
    objectId: stage.id,
    amount: stage.amount,
    currency: stage.currency,
    status: null,
    offer: stage.offer,
    happenedAt: isoOrNull(stage.happenedAt),
    receivedAt: (all[0] ?? stage).delivery.receivedAt,
    isProved: isProved(stage),
    deliveries: all.map(({ delivery }) => delivery),
  }
}
