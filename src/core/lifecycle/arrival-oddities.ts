/** What is odd about how the deliveries of a purchase arrived: out of order, more than once, or without a signature that proves them. Pure. */
import type { Oddity } from '../../shared/model/lifecycle.ts'
import type { PurchaseStage } from './purchase-stages.ts'
import type { Refund } from './refund-oddities.ts'
import { spanText } from './spans.ts'
import { isProved, type TransactionFacts } from './transaction-facts.ts'

/** What arrived before what it follows. */
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
        message: `The ${inSentence(later)} arrived ${spanText(ahead)} before the ${inSentence(earlier)}, which it follows.`,
        fix: 'Deliveries may overtake one another. Let your handler take them in any order, and decide by the times in the payload.',
        deliveryIds: [before.delivery.id, after.delivery.id],
      },
    ]
  })
}

/** The name of an event within a sentence: `auth, qualified`. */
function inSentence({ name }: Pick<PurchaseStage, 'name'>): string {
  return name.toLowerCase()
}

function firstProved({ all, facts }: PurchaseStage): TransactionFacts {
  return all.find(isProved) ?? facts
}

/** The same event more than once: repeats after an acknowledgement, or deliveries that do not say the same. */
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
      message: `The ${inSentence({ name })} was delivered again ${duplicates.length === 1 ? '' : `${duplicates.length} times `}after it had been acknowledged.`,
      fix: 'Let your handler tell a repeat by the transaction’s id and the event, and answer 200 without booking it again.',
      deliveryIds: duplicates.map(({ delivery }) => delivery.id),
    })
  const other = proved.find(({ body }) => body !== first.body)
  if (other !== undefined)
    found.push({
      code: 'content-differs',
      level: 'warn',
      message: `The ${inSentence({ name })} was delivered more than once, and not with the same content.`,
      fix: 'Compare the two. Where only times differ take the later one; where the amount does, ask the service.',
      deliveryIds: [first.delivery.id, other.delivery.id],
    })
  return found
}

/** What nothing here relies on. */
export function unproved(stages: readonly PurchaseStage[]): Oddity[] {
  const deliveries = stages.flatMap(({ all }) => all).filter((facts) => !isProved(facts))
  if (deliveries.length === 0) return []
  const one = deliveries.length === 1
  return [
    {
      code: 'unproved',
      level: 'warn',
      message: `${one ? 'One delivery names' : `${deliveries.length} deliveries name`} this purchase without a valid signature. ${one ? 'It is' : 'They are'} shown, and nothing here relies on ${one ? 'it' : 'them'}.`,
      fix: 'Open it to see why its signature is not valid. A handler must not act on it.',
      deliveryIds: deliveries.map(({ delivery }) => delivery.id),
    },
  ]
}
