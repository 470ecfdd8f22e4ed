/** Issues with how a purchase's deliveries arrived: out of order, more than once, or without a valid signature. Pure. */
import type { Oddity } from '../../shared/model/lifecycle.ts'
import type { PurchaseStage } from './purchase-stages.ts'
import type { Refund } from './refund-oddities.ts'
import { spanText } from '../../shared/text/moment.ts'
import { isProved, type TransactionFacts } from './transaction-facts.ts'

/** Deliveries that arrived before the one they follow. */
export function outOfOrder(
  auth: PurchaseStage | undefined,
  clearing: PurchaseStage | undefined,
  refunds: readonly Refund[],
): Oddity[] {
  const steps: (readonly [PurchaseStage | undefined, PurchaseStage | undefined])[] = [
    [auth, clearing],
    ...refunds.map(({ first }) => [clearing ?? auth, first] as const),
  ]
  return steps.flatMap(([earlier, later]): Oddity[] => {
    if (earlier === undefined || later === undefined) return []
    const [before, after] = [firstProved(earlier), firstProved(later)]
    if (before.delivery.seq < after.delivery.seq) return []
    const ahead = Date.parse(before.delivery.receivedAt) - Date.parse(after.delivery.receivedAt)
    return [
      {
        code: 'out-of-order',
        level: 'warn',
        message: `${inSentence(later)} arrived ${spanText(ahead)} before ${inSentence(earlier)}.`,
        fix: 'Deliveries can arrive out of order. Accept them in any order and rely on the times in the payload.',
        deliveryIds: [before.delivery.id, after.delivery.id],
      },
    ]
  })
}

/** The name of an event within a sentence: `auth (qualified)`. */
function inSentence({ name }: Pick<PurchaseStage, 'name'>): string {
  return name.toLowerCase()
}

function firstProved({ all, facts }: PurchaseStage): TransactionFacts {
  return all.find(isProved) ?? facts
}

/** The same event more than once: repeats after an acknowledgement, or deliveries with different content. */
export function repeats({ name, all }: PurchaseStage): Oddity[] {
  const proved = all.filter(isProved)
  const [first] = proved
  if (first === undefined) return []
  const found: Oddity[] = []
  const duplicates = proved.filter(({ delivery }) => delivery.duplicateOf !== null)
  if (duplicates.length > 0)
    found.push({
      code: 'duplicate',
      level: 'warn',
      message: `The ${inSentence({ name })} was delivered again ${duplicates.length === 1 ? '' : `${duplicates.length} times `}after it was acknowledged.`,
      fix: 'Detect repeats by transaction id and event, and return 200 without processing them twice.',
      deliveryIds: duplicates.map(({ delivery }) => delivery.id),
    })
  const other = proved.find(({ body }) => body !== first.body)
  if (other !== undefined)
    found.push({
      code: 'content-differs',
      level: 'warn',
      message: `The ${inSentence({ name })} was delivered more than once with different content.`,
      fix: 'Compare the deliveries. If only times differ, use the later one. If the amount differs, ask the service.',
      deliveryIds: [first.delivery.id, other.delivery.id],
    })
  return found
}

/** Deliveries that no other finding relies on. */
export function unproved(stages: readonly PurchaseStage[]): Oddity[] {
  const deliveries = stages.flatMap(({ all }) => all).filter((facts) => !isProved(facts))
  if (deliveries.length === 0) return []
  const one = deliveries.length === 1
  return [
    {
      code: 'unproved',
      level: 'warn',
      message: `${one ? 'One delivery names' : `${deliveries.length} deliveries name`} this purchase without a valid signature. ${one ? 'It is' : 'They are'} shown, but not used.`,
      fix: 'Open it to see why its signature is invalid. Your handler must not act on it.',
      deliveryIds: deliveries.map(({ delivery }) => delivery.id),
    },
  ]
}
