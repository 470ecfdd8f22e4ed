import type { ComparisonOffer } from '../../shared/model/comparison.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Lifecycle, LifecycleStage } from '../../shared/model/lifecycle.ts'

interface PossibleOffer extends Pick<ComparisonOffer, 'reason' | 'name'> {
  readonly delivery: DeliveryRow | null | undefined
}

/** Returns each suggested delivery once, most likely first. */
export function offersOf(
  delivery: DeliveryRow,
  lifecycle: Lifecycle,
  attempts: readonly DeliveryRow[],
  previous: DeliveryRow | null,
): ComparisonOffer[] {
  const before = attempts.findLast(({ seq }) => seq < delivery.seq)
  const subject = delivery.event ?? 'delivery'
  const offers: PossibleOffer[] = [
    delivery.duplicateOf === null
      ? { reason: 'previous-attempt', name: 'the previous attempt', delivery: before }
      : { reason: 'duplicated', name: 'the delivery it repeats', delivery: before },
    ...stageOffers(delivery, lifecycle),
    {
      reason: 'previous',
      name: `the previous ${subject} ${delivery.hookId === null ? 'at this path' : 'of this hook'}`,
      delivery: previous,
    },
  ]
  const seen = new Set([delivery.id])
  return offers.flatMap(({ reason, name, delivery: offered }) => {
    if (offered === null || offered === undefined || seen.has(offered.id)) return []
    seen.add(offered.id)
    return [{ reason, name, delivery: offered }]
  })
}

/** Offers the other stages of the delivery's purchase or location. */
function stageOffers(delivery: DeliveryRow, { stages }: Lifecycle): PossibleOffer[] {
  const own = stages.find(({ deliveries }) => deliveries.some(({ id }) => id === delivery.id))
  if (own === undefined) return []
  if (own.part === 'location')
    return stages
      .filter((stage) => stage !== own)
      .map((stage) => ({
        reason: 'qualified',
        name: `the report from ${stage.name}`,
        delivery: bestOf(stage),
      }))
  const find = (part: LifecycleStage['part'], event: string) =>
    bestOf(
      stages.find(
        (stage) =>
          stage !== own &&
          stage.isProved &&
          stage.part === part &&
          stage.event === event &&
          (part === 'purchase' || stage.objectId === own.objectId),
      ),
    )
  const plainEvent = own.event.replace(/\.qualified$/, '')
  const isPlain = own.event === plainEvent
  const isClearing = plainEvent === 'transaction.clearing'
  const auth = find('purchase', 'transaction.auth')
  const clearing = find('purchase', 'transaction.clearing')
  const qualified: PossibleOffer = {
    reason: 'qualified',
    name: isPlain ? 'its .qualified event' : 'its plain event',
    delivery: find(own.part, isPlain ? `${plainEvent}.qualified` : plainEvent),
  }
  if (own.part === 'refund') {
    const refund = find('refund', 'transaction.refund')
    return [
      ...(isClearing
        ? [{ reason: 'refund' as const, name: 'the refund it settles', delivery: refund }]
        : []),
      { reason: 'original', name: "the purchase's clearing", delivery: clearing },
      { reason: 'original', name: "the purchase's auth", delivery: auth },
      qualified,
    ]
  }
  return isClearing
    ? [{ reason: 'auth', name: "this clearing's auth", delivery: auth }, qualified]
    : [qualified, { reason: 'clearing', name: "this auth's clearing", delivery: clearing }]
}

/** Returns a stage's first verified delivery, otherwise its first. */
function bestOf(stage: LifecycleStage | undefined): DeliveryRow | undefined {
  return stage?.deliveries.find(({ verdict }) => verdict === 'valid') ?? stage?.deliveries[0]
}
