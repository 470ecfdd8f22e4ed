/** What the interface lets expect of a purchase and did not come (sections 6.2 and 6.3). Pure. */
import type { MissingStage } from '../../shared/model/lifecycle.ts'
import { isoOrNull } from './transaction-facts.ts'
import { stageName, type PurchaseStage } from './purchase-stages.ts'
import { spanText } from './spans.ts'

const HOUR = 3_600_000
/** A transaction is settled "usually 48 to 72 hours after payment" (section 6.2). */
export const CLEARING_FROM = 48 * HOUR
export const CLEARING_TO = 72 * HOUR
/** What comes along with something else may be a little behind it. */
const ALONG = 60_000

export interface PurchaseContext {
  /** Business time now, in milliseconds. */
  readonly now: number
  /** The program of this purchase, where one is told. */
  readonly programId: string | null
  /** Whether a hook is registered here for an event of this purchase's environment. */
  hasHook(event: string): boolean
}

export function missingOfPurchase(stages: readonly PurchaseStage[], around: PurchaseContext): MissingStage[] {
  const proved = stages.filter((stage) => stage.isProved)
  const auth = proved.find(({ base }) => base === 'auth')
  const hasClearing = proved.some(({ base, isOfRefund }) => base === 'clearing' && !isOfRefund)
  const refunds = new Set(proved.filter(({ isOfRefund }) => isOfRefund).map(({ facts }) => facts.id))
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

/** The command that registers a hook: one of a program cannot be registered without it (section 2.1). */
function registration(event: string, programId: string | null): string {
  return `countersign hooks add --event ${event}${programId === null ? '' : ` --program ${programId}`}`
}

function clearingOf({ facts }: PurchaseStage, { now, programId, hasHook }: PurchaseContext): MissingStage {
  const paidAt = facts.createdAt ?? facts.happenedAt
  const event = 'transaction.clearing'
  const base = { part: 'purchase', event, name: 'Clearing' } as const
  const due = paidAt === null ? null : { from: paidAt + CLEARING_FROM, to: paidAt + CLEARING_TO }
  const times = { from: isoOrNull(due?.from ?? null), to: isoOrNull(due?.to ?? null), isLate: due !== null && now > due.to }
  if (!hasHook(event)) {
    return {
      ...base,
      ...times,
      message: `No hook is registered for ${event}, so the clearing of this purchase does not come here.`,
      fix: `Register one: ${registration(event, programId)}.`,
    }
  }
  if (due === null || now < due.from) {
    const wait = due === null ? '' : ` It can be expected in ${spanText(due.from - now)}.`
    return {
      ...base,
      ...times,
      message: `A purchase is settled 48 to 72 hours after the payment.${wait}`,
      fix: 'Nothing is to be done yet. In the sandbox the clock can be moved on.',
    }
  }
  if (!times.isLate)
    return {
      ...base,
      ...times,
      message: `It is due: the payment was ${spanText(now - (due.from - CLEARING_FROM))} ago.`,
      fix: 'Nothing is to be done yet.',
    }
  return {
    ...base,
    ...times,
    message: `It should have come ${spanText(now - due.to)} ago at the latest: 72 hours after the payment.`,
    fix: 'Look whether the receiver was reachable then, and ask the service whether the transaction was settled or reversed.',
  }
}

/** A refund names a purchase of which nothing was received. */
function originalOf(proved: readonly PurchaseStage[]): MissingStage[] {
  const refund = proved.find(({ facts }) => facts.originalId !== null && facts.originalId !== facts.id)
  if (refund === undefined) return []
  return [
    {
      part: 'purchase',
      event: 'transaction.auth',
      name: 'Auth and clearing of the purchase',
      from: null,
      to: null,
      isLate: false,
      message: `The refund names the purchase ${refund.facts.originalId}, of which nothing was received here.`,
      fix: 'It was made before capture began, or no hook is registered for its events. Your handler must cope with a refund of a purchase that it does not know.',
    },
  ]
}

function missingOfRefund(stages: readonly PurchaseStage[], { now, programId, hasHook }: PurchaseContext): MissingStage[] {
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
        ? `A refund causes both transaction.refund and transaction.clearing; ${event} did not come.`
        : `A refund causes both transaction.refund and transaction.clearing, but no hook is registered for ${event}.`,
      fix: hasHook(event)
        ? 'Count the refund once, from the event that came; look whether the other was refused or is still tried again.'
        : `Register one, if you want both: ${registration(event, programId)}.`,
    },
  ]
}
