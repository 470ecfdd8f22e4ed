/** What is odd about a purchase: said as a sentence, with what to do. Only what is proved counts. Pure. */
import { sameNumber } from '../../shared/diff/number-form.ts'
import type { Oddity } from '../../shared/model/lifecycle.ts'
import { CLEARING_TO, type Surroundings } from './purchase-missing.ts'
import type { PurchaseStage } from './purchase-stages.ts'
import { spanText } from './spans.ts'
import { isProved, type TransactionFacts } from './transaction-facts.ts'

/** The purchases that an unmatched refund, or the auths that a clearing alone, could belong to. */
export interface Candidates {
  readonly purchases: readonly TransactionFacts[]
}

export function odditiesOfPurchase(stages: readonly PurchaseStage[], around: Surroundings, candidates: Candidates): Oddity[] {
  const proved = stages.filter((stage) => stage.isProved)
  const own = proved.filter(({ isOfRefund }) => !isOfRefund)
  const auth = own.find(({ base }) => base === 'auth')
  const clearing = own.find(({ base }) => base === 'clearing')
  const refunds = groupRefunds(proved)
  return [
    ...amountDrift(own),
    ...currencyChange(proved),
    ...(auth === undefined && clearing !== undefined ? [clearingWithoutAuth(clearing, around, candidates)] : []),
    ...(auth !== undefined && clearing === undefined ? uncleared(auth, around) : []),
    ...refunds.flatMap((refund) => odditiesOfRefund(refund, candidates)),
    ...refundTotals(auth ?? clearing, refunds),
    ...outOfOrder(auth, clearing, refunds),
    ...stages.flatMap(repeats),
    ...unproved(stages),
  ]
}

const idsOf = (...stages: readonly (PurchaseStage | undefined)[]) =>
  stages.flatMap((stage) => (stage === undefined ? [] : [stage.facts.delivery.id]))

function money({ amount, currency }: Pick<TransactionFacts, 'amount' | 'currency'>): string {
  return `${amount ?? 'no amount'}${currency === null ? '' : ` ${currency}`}`
}

/** The amount of an event differs from that of the one before, or from its twin's. */
function amountDrift(own: readonly PurchaseStage[]): Oddity[] {
  const [first, ...rest] = own
  if (first === undefined) return []
  const other = rest.find(
    ({ facts }) => facts.amount !== null && first.facts.amount !== null && !sameNumber(facts.amount, first.facts.amount),
  )
  if (other === undefined) return []
  return [
    {
      code: 'amount-drift',
      level: 'warn',
      message: `The amount changed from ${money(first.facts)} (${first.name}) to ${money(other.facts)} (${other.name}).`,
      fix: 'Take the amount of the clearing: it is what was settled. Tips, fuel and deposits are authorised with another amount.',
      deliveryIds: idsOf(first, other),
    },
  ]
}

function currencyChange(proved: readonly PurchaseStage[]): Oddity[] {
  const first = proved.find(({ facts }) => facts.currency !== null)
  const other = proved.find(({ facts }) => facts.currency !== null && facts.currency !== first?.facts.currency)
  if (first === undefined || other === undefined) return []
  return [
    {
      code: 'currency-change',
      level: 'warn',
      message: `The currency changed from ${first.facts.currency} (${first.name}) to ${other.facts.currency} (${other.name}).`,
      fix: 'Do not add these amounts up. Keep the currency with each amount, and ask the service which one the offer is reckoned in.',
      deliveryIds: idsOf(first, other),
    },
  ]
}

function clearingWithoutAuth(clearing: PurchaseStage, { hasHook }: Surroundings, { purchases }: Candidates): Oddity {
  const likely = purchases.find(
    (other) => other.base === 'auth' && other.id !== clearing.facts.id && isAlike(other, clearing.facts),
  )
  const why = hasHook('transaction.auth')
    ? 'The location does not report auths for this scheme, or the auth came before capture began.'
    : 'No hook is registered for transaction.auth.'
  return {
    code: 'clearing-without-auth',
    level: 'warn',
    message:
      likely === undefined
        ? `This clearing has no auth. ${why}`
        : `This clearing has no auth of its id, but the auth ${likely.id} is of the same card, location, amount and time.`,
    fix: 'Let your handler create the purchase from a clearing alone: auths are sent only for auth-enabled locations.',
    deliveryIds: [...idsOf(clearing), ...(likely === undefined ? [] : [likely.delivery.id])],
  }
}

/** What the service itself identifies a purchase by (section 6.3): card, location, merchant, amount and time. */
function isAlike(one: TransactionFacts, other: TransactionFacts): boolean {
  return (
    one.cardId !== null &&
    one.cardId === other.cardId &&
    one.locationId === other.locationId &&
    one.amount !== null &&
    other.amount !== null &&
    sameNumber(one.amount, other.amount) &&
    one.paidAt === other.paidAt
  )
}

function uncleared(auth: PurchaseStage, { now, hasHook }: Surroundings): Oddity[] {
  const paidAt = auth.facts.createdAt ?? auth.facts.happenedAt
  if (paidAt === null || now - paidAt <= CLEARING_TO || !hasHook('transaction.clearing')) return []
  return [
    {
      code: 'uncleared',
      level: 'warn',
      message: `The auth is still uncleared ${spanText(now - paidAt)} after the payment; a clearing comes 48 to 72 hours after it.`,
      fix: 'Treat it as open, not as earned: it may have been reversed. Look for a clearing with another id, and ask the service.',
      deliveryIds: idsOf(auth),
    },
  ]
}

interface Refund {
  readonly id: string
  readonly refund: PurchaseStage | undefined
  readonly clearing: PurchaseStage | undefined
  readonly first: PurchaseStage
}

function groupRefunds(proved: readonly PurchaseStage[]): Refund[] {
  const groups = Map.groupBy(
    proved.filter(({ isOfRefund }) => isOfRefund),
    ({ facts }) => facts.id,
  )
  return [...groups].flatMap(([id, stages]) => {
    const [first] = stages
    const find = (base: string) => stages.find((stage) => stage.base === base)
    return first === undefined ? [] : [{ id, refund: find('refund'), clearing: find('clearing'), first }]
  })
}

function odditiesOfRefund({ id, refund, clearing, first }: Refund, { purchases }: Candidates): Oddity[] {
  const found: Oddity[] = []
  if (first.facts.originalId === null) found.push(unmatchedRefund(first, purchases))
  if (clearing !== undefined) {
    found.push(
      refund === undefined
        ? {
            code: 'negative-clearing',
            level: 'warn',
            message: `The clearing of ${money(clearing.facts)} is negative: it settles a refund, but no transaction.refund with the id ${id} came.`,
            fix: 'Do not book it as a purchase. Tell the two apart by the sign of the amount, or by auth being false.',
            deliveryIds: idsOf(clearing),
          }
        : {
            code: 'negative-clearing',
            level: 'note',
            message: `The refund came twice, as the interface has it: as transaction.refund and as a negative transaction.clearing (${money(clearing.facts)}).`,
            fix: 'Count it once: by its id, or by taking only one of the two events.',
            deliveryIds: idsOf(refund, clearing),
          },
    )
    if (
      refund !== undefined &&
      refund.facts.amount !== null &&
      clearing.facts.amount !== null &&
      !sameNumber(refund.facts.amount, clearing.facts.amount)
    )
      found.push({
        code: 'amount-drift',
        level: 'warn',
        message: `The refund is of ${money(refund.facts)}, its clearing of ${money(clearing.facts)}.`,
        fix: 'Take the amount of the clearing: it is what was settled.',
        deliveryIds: idsOf(refund, clearing),
      })
  }
  return found
}

function unmatchedRefund(refund: PurchaseStage, purchases: readonly TransactionFacts[]): Oddity {
  const { facts } = refund
  const likely = purchases.find(
    (other) =>
      !other.isOfRefund &&
      other.id !== facts.id &&
      other.locationId === facts.locationId &&
      (other.happenedAt ?? 0) <= (facts.happenedAt ?? 0) &&
      isOpposite(other, facts),
  )
  return {
    code: 'unmatched-refund',
    level: 'warn',
    message:
      likely === undefined
        ? 'The refund names no purchase: the service did not identify the one that it refunds.'
        : `The refund names no purchase; ${likely.id} of the same card, location and amount may be the one.`,
    fix: 'Do not require originalTransactionId. Match by card, location, merchant and amount, or put the refund aside for a person to look at.',
    deliveryIds: [facts.delivery.id, ...(likely === undefined ? [] : [likely.delivery.id])],
  }
}

function isOpposite(purchase: TransactionFacts, refund: TransactionFacts): boolean {
  return purchase.amount !== null && refund.amount !== null && sameNumber(`-${purchase.amount}`, refund.amount)
}

/** More was given back than was paid. */
function refundTotals(purchase: PurchaseStage | undefined, refunds: readonly Refund[]): Oddity[] {
  if (purchase === undefined || refunds.length === 0 || purchase.facts.amount === null) return []
  const given = refunds.reduce((sum, { refund, first }) => sum - Number((refund ?? first).facts.amount ?? 0), 0)
  const paid = Number(purchase.facts.amount)
  // Amounts have a few decimals; the sum of doubles is a hair beside.
  if (given <= paid + Math.abs(paid) * 1e-9) return []
  return [
    {
      code: 'refund-exceeds',
      level: 'warn',
      message: `${refunds.length === 1 ? 'The refund gives' : `${refunds.length} refunds give`} back ${Number(given.toFixed(6))}, more than the ${money(purchase.facts)} paid.`,
      fix: 'Look whether one of them was counted twice, or belongs to another purchase.',
      deliveryIds: idsOf(purchase, ...refunds.map(({ first }) => first)),
    },
  ]
}

/** What arrived before what it follows. */
function outOfOrder(auth: PurchaseStage | undefined, clearing: PurchaseStage | undefined, refunds: readonly Refund[]): Oddity[] {
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
function repeats({ name, all }: PurchaseStage): Oddity[] {
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

function unproved(stages: readonly PurchaseStage[]): Oddity[] {
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
