/** Suggests deliveries to compare with. */
import type { ComparisonOffer } from '../../shared/model/comparison.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Lifecycle, LifecycleStage } from '../../shared/model/lifecycle.ts'

type Reason = ComparisonOffer['reason']

/** Returns each suggested delivery once, most likely first. */
export function offersOf(
  delivery: DeliveryRow,
  lifecycle: Lifecycle,
  attempts: readonly DeliveryRow[],
  previous: DeliveryRow | null,
): ComparisonOffer[] {
  const before = attempts.findLast(({ seq }) => seq < delivery.seq)
  const offers: (readonly [Reason, string, DeliveryRow | null | undefined])[] = [
    delivery.duplicateOf === null
      ? ['previous-attempt', 'the previous attempt', before]
      : ['duplicated', 'the delivery it repeats', before],
    ...ofPurchase(delivery, lifecycle),
    [
      'previous',
      `the previous ${delivery.event ?? 'delivery'} ${delivery.hookId === null ? 'at this path' : 'of this hook'}`,
      previous,
    ],
  ]
  const seen = new Set([delivery.id])
  return offers.flatMap(([reason, name, other]): ComparisonOffer[] => {
    if (other === null || other === undefined || seen.has(other.id)) return []
    seen.add(other.id)
    return [{ reason, name, delivery: other }]
  })
}

function ofPurchase(
  delivery: DeliveryRow,
  { stages }: Lifecycle,
): (readonly [Reason, string, DeliveryRow | undefined])[] {
  const own = stages.find(({ deliveries }) => deliveries.some(({ id }) => id === delivery.id))
  if (own === undefined) return []
  const find = (matches: (stage: LifecycleStage) => boolean) =>
    bestOf(stages.find((stage) => stage !== own && stage.isProved && matches(stage)))
  const purchase = (base: string) =>
    find(({ part, event }) => part === 'purchase' && event === `transaction.${base}`)
  const sameRefund = (base: string) =>
    find(
      ({ part, event, objectId }) =>
        part === 'refund' && event === `transaction.${base}` && objectId === own.objectId,
    )
  const plain = own.event.replace(/\.qualified$/, '')
  const twin = own.event === plain ? `${plain}.qualified` : plain
  const isClearing = plain === 'transaction.clearing'
  if (own.part === 'refund')
    return [
      ...(isClearing ? [['refund', 'the refund it settles', sameRefund('refund')] as const] : []),
      ['original', "the purchase's clearing", purchase('clearing')],
      ['original', "the purchase's auth", purchase('auth')],
      [
        'twin',
        own.event === plain ? 'its .qualified event' : 'its plain event',
        find(
          ({ part, event, objectId }) =>
            part === 'refund' && event === twin && objectId === own.objectId,
        ),
      ],
    ]
  if (own.part === 'location')
    return stages
      .filter((stage) => stage !== own)
      .map((stage) => ['twin', `the report from ${stage.name}`, bestOf(stage)] as const)
  return [
    ...(isClearing ? [['auth', "this clearing's auth", purchase('auth')] as const] : []),
    [
      'twin',
      own.event === plain ? 'its .qualified event' : 'its plain event',
      purchase(twin.slice('transaction.'.length)),
    ],
    ...(isClearing ? [] : [['clearing', "this auth's clearing", purchase('clearing')] as const]),
  ]
}

/** Returns a stage's first verified delivery, otherwise its first. */
function bestOf(stage: LifecycleStage | undefined): DeliveryRow | undefined {
  return stage?.deliveries.find(({ verdict }) => verdict === 'valid') ?? stage?.deliveries[0]
}
