/** The two sides of the comparison. */
import { useMemo } from 'react'
import { contentEncodings, utf8Text } from '../../../shared/body/encoding.ts'
import { nothingVolatile } from '../../../shared/diff/volatile-fields.ts'
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { useWholeBody } from '../../core-data/use-body.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { formatSentAmount } from '../../../shared/text/amount.ts'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { eventWord } from '../../ui/verdict.tsx'
import { sideChoice, type SideName } from './compare-slice.ts'

export type Side =
  | {
      readonly kind: 'delivery'
      readonly delivery: Delivery
      readonly bytes: Uint8Array<ArrayBuffer>
      /** Text without `content-encoding`; null if it isn't UTF-8. */
      readonly text: string | null
      /** Report of the signature; null if it failed. */
      readonly signature: SignatureReport | null
    }
  | { readonly kind: 'text'; readonly text: string }

/** Returns a side's title, such as `transaction.auth, 21 Nov 2026 14:03:07.512 (…)`. */
export function sideTitle(side: Side): string {
  if (side.kind === 'text') return 'pasted text'
  const { delivery } = side
  return `${eventWord(delivery).text}, ${calendarDay(delivery.receivedAt)} ${clockTime(delivery.receivedAt)} (${delivery.id})`
}

/** Returns what a delivery is about: its event, amount with currency, and merchant. */
export function sideFacts(side: Side | null): readonly string[] {
  if (side?.kind !== 'delivery') return []
  const { amount, currency, merchant } = side.delivery
  const paid = amount === null ? '' : `${formatSentAmount(amount, currency)} ${currency ?? ''}`
  return [eventWord(side.delivery).text, paid, merchant ?? ''].filter(Boolean).map(visibleText)
}

function useSide(name: SideName) {
  const { param, text } = useAppParts((state) => ({
    param: state.navigation.at.compare[name],
    text: state.compare.texts[name],
  }))
  const choice = useMemo(() => sideChoice(param, text), [param, text])
  const id = choice?.kind === 'delivery' ? choice.id : null
  const input = id === null ? null : { id }
  const { output: delivery, ...read } = useRead('deliveries.get', input)
  const { output: report, problem: reportProblem } = useRead('deliveries.signature', input)
  const isEncoded = delivery !== undefined && contentEncodings(delivery.headers).length > 0
  const body = useWholeBody('deliveries.body', id)
  const content = useWholeBody('bodies.decoded', isEncoded ? id : null)
  const { bytes } = body
  const decoded = isEncoded ? content.bytes : bytes
  const isExplained = report !== undefined || reportProblem !== null
  const side = useMemo((): Side | null => {
    if (choice?.kind === 'text') return choice
    if (delivery === undefined || bytes === null || decoded === null || !isExplained) return null
    return {
      kind: 'delivery',
      delivery,
      bytes,
      // A partly decoded body may end inside a character.
      text: utf8Text(decoded, delivery.truncated || isEncoded),
      signature: report ?? null,
    }
  }, [choice, delivery, bytes, decoded, isExplained, isEncoded, report])
  return {
    choice,
    side,
    isGone: read.isGone,
    problem: read.problem ?? body.problem ?? content.problem,
    readAgain() {
      for (const { problem, readAgain } of [read, body, content]) if (problem !== null) readAgain()
    },
  }
}

/** Reads both sides, and the ignored fields of the right side's hook or else the left's. */
export function useSides() {
  const ignore = useApp((state) => state.compare.ignoreVolatile)
  const sides = { left: useSide('left'), right: useSide('right') }
  const left = sides.left.side
  const right = sides.right.side
  const hookSide = right?.kind === 'delivery' ? right : left
  const hookId = hookSide?.kind === 'delivery' ? hookSide.delivery.hookId : null
  const list = useRead('compare.volatile', left === null || right === null ? null : { hookId })
  return {
    ...sides,
    hookId,
    list,
    volatile: ignore ? (list.output?.fields ?? nothingVolatile) : nothingVolatile,
    problem: sides.left.problem ?? sides.right.problem ?? list.problem,
    readAgain() {
      for (const { problem, readAgain } of [sides.left, sides.right, list])
        if (problem !== null) readAgain()
    },
  }
}

export type ComparedSides = ReturnType<typeof useSides>
