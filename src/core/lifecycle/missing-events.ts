/** Events that the spec leads us to expect and that are missing. */
import type { MissingStage } from '../../shared/model/lifecycle.ts'
import { spanText } from '../../shared/text/time-text.ts'
import { isoOrNull } from './body-fields.ts'
import {
  type PurchaseContext,
  type Purchase,
  type PurchaseStage,
  paymentTime,
  CLEARING_FROM_MS,
  CLEARING_TO_MS,
  type PurchaseRefund,
  EVENT_NAMES,
} from './purchase-stages.ts'

/** Milliseconds by which an accompanying event may arrive later. */
const ACCOMPANYING_MS = 60_000

export function missingStages(purchase: Purchase): MissingStage[] {
  const { auth, clearing, refunds, proved } = purchase
  return [
    ...(auth !== undefined && clearing === undefined ? [missingClearing(auth, purchase)] : []),
    ...(auth === undefined && clearing === undefined ? missingPurchase(proved) : []),
    ...refunds.flatMap((refund) => missingOfRefund(refund, purchase)),
  ]
}

/** Returns the command that registers a hook; a program hook needs its program (section 2.1). */
function registration(event: string, { programId }: PurchaseContext): string {
  return `countersign hooks add --event ${event}${programId === null ? '' : ` --program ${programId}`}`
}

function missingClearing(auth: PurchaseStage, context: PurchaseContext): MissingStage {
  const { now, hasHook } = context
  const paidAt = paymentTime(auth)
  const event = 'transaction.clearing'
  const due =
    paidAt === null ? null : { from: paidAt + CLEARING_FROM_MS, to: paidAt + CLEARING_TO_MS }
  const missing = (message: string, fix: string): MissingStage => ({
    part: 'purchase',
    event,
    name: 'Clearing',
    from: isoOrNull(due?.from ?? null),
    to: isoOrNull(due?.to ?? null),
    isLate: due !== null && now > due.to,
    message,
    fix,
  })
  if (!hasHook(event))
    return missing(
      `No hook is registered for ${event}, so this purchase's clearing isn't received here.`,
      `Register one: ${registration(event, context)}.`,
    )
  if (due === null || now < due.from)
    return missing(
      `Purchases settle 48 to 72 hours after the payment.${due === null ? '' : ` Expected in ${spanText(due.from - now)}.`}`,
      'Nothing to do yet. In the sandbox you can advance the clock.',
    )
  return now <= due.to
    ? missing(
        `Due now: the payment was ${spanText(now - (due.from - CLEARING_FROM_MS))} ago.`,
        'Nothing to do yet.',
      )
    : missing(
        `Overdue by ${spanText(now - due.to)}: purchases settle within 72 hours of the payment.`,
        'Check whether the receiver was reachable then, and ask the service whether the transaction was settled or reversed.',
      )
}

function missingPurchase(proved: readonly PurchaseStage[]): MissingStage[] {
  const refund = proved.find(({ originalId, id }) => originalId !== null && originalId !== id)
  if (refund === undefined) return []
  return [
    {
      part: 'purchase',
      event: 'transaction.auth',
      name: "The purchase's auth and clearing",
      from: null,
      to: null,
      isLate: false,
      message: `Refunds purchase ${refund.originalId}, which wasn't captured.`,
      fix: 'It was made before capture began, or no hook is registered for its events. Make sure your handler accepts refunds of unknown purchases.',
    },
  ]
}

function missingOfRefund(
  { refund, clearing, first }: PurchaseRefund,
  context: PurchaseContext,
): MissingStage[] {
  if (refund !== undefined && clearing !== undefined) return []
  const event = refund === undefined ? 'transaction.refund' : 'transaction.clearing'
  const { happenedAt } = first
  const hasHook = context.hasHook(event)
  const both = 'A refund triggers both transaction.refund and transaction.clearing.'
  return [
    {
      part: 'refund',
      event,
      name: EVENT_NAMES[refund === undefined ? 2 : 3],
      from: isoOrNull(happenedAt),
      to: isoOrNull(happenedAt),
      isLate: hasHook && context.now - (happenedAt ?? context.now) > ACCOMPANYING_MS,
      message: hasHook
        ? `Missing ${event}. ${both}`
        : `No hook is registered for ${event}. ${both}`,
      fix: hasHook
        ? 'Count the refund once, from the event you received. Check whether the other was rejected or is still being retried.'
        : `If you want both, register one: ${registration(event, context)}.`,
    },
  ]
}
