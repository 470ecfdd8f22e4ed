import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { formatSentAmount } from '../../../shared/text/amount.ts'
import { TintedEvent } from '../../ui/tinted-event.tsx'
import { eventWord } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'

/** Returns an amount with its currency; empty if there is none. */
export function amountOf({ amount, currency }: DeliveryRow): string {
  return amount === null
    ? ''
    : visibleText(`${formatSentAmount(amount, currency)} ${currency ?? ''}`)
}

/** Names a delivery by event, amount, merchant and id, in a row. */
export function DeliveryWords({ row }: { readonly row: DeliveryRow }) {
  const { text, color } = eventWord(row)
  const { merchant, id } = row
  return (
    <span className="flex min-w-0 flex-1 items-center gap-3">
      <TintedEvent event={text} color={color} />
      <span className="data shrink-0 empty:hidden">{amountOf(row)}</span>
      {merchant !== null && (
        <span className="min-w-0 shrink-[99999] truncate" title={visibleText(merchant)}>
          {visibleText(merchant)}
        </span>
      )}
      <span className="data shrink-0 text-subtle">{shortIdOf(id)}</span>
    </span>
  )
}
