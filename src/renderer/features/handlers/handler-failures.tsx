import { CircleX, RotateCw } from 'lucide-react'
import { amountText } from '../../../shared/text/amount.ts'
import { deliveryCount } from '../../../shared/text/english.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { TintedEvent } from '../../ui/tinted-event.tsx'
import { clockTime } from '../../ui/moment.ts'
import { eventWord } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { failureName, failureReasonOf } from './handler-facts.ts'
import { PageSection, rowStyle } from './handler-parts.tsx'
import type { HandlerPageProps } from './use-handler-actions.ts'

/** Rows shown here; the Deliveries screen lists all failures. */
const LATEST_SHOWN = 6

/** Lists the latest failures, one per event and reason; empty without any. */
export function HandlerFailures({ page: { latest }, actions: { replay } }: HandlerPageProps) {
  const go = useApp((state) => state.navigation.go)
  if (latest.length === 0) return null
  const shown = latest.slice(0, LATEST_SHOWN)
  const hasWords = shown.some(({ status }) => status === null)
  const hasAmounts = shown.some(({ amount }) => amount !== null)
  return (
    <PageSection name="Latest failures" note="one per event and reason">
      {shown.map((send) => {
        const reason = failureReasonOf(send)
        const { text, color } = eventWord({
          event: send.event,
          eventCandidates: [],
          malformed: null,
        })
        return (
          <div key={send.sendId} className={`${rowStyle} h-auto min-h-7 hover:bg-raised`}>
            <button
              type="button"
              className="flex min-h-7 min-w-0 flex-1 items-center gap-x-3 py-1 text-left @max-[760px]:flex-wrap"
              onClick={() => go('deliveries', { id: send.deliveryId, tab: 'history' })}
            >
              <span className="data shrink-0 text-muted">{clockTime(send.at).slice(0, 8)}</span>
              <span className="flex max-w-58 min-w-0 flex-[99_1_0]">
                <TintedEvent event={text} color={color} />
              </span>
              {hasAmounts && (
                <span className="data w-40 shrink-0 truncate text-right @max-[760px]:hidden">
                  {send.amount !== null &&
                    send.currency !== null &&
                    amountText(send.amount, send.currency)}
                </span>
              )}
              <span
                className={`data flex shrink-0 items-center gap-1 font-medium text-bad @max-[640px]:w-auto ${hasWords ? 'w-28' : 'w-11'}`}
              >
                <CircleX size={14} className="shrink-0" />
                {failureName(send)}
              </span>
              <span className="min-w-0 flex-1 text-pretty wrap-anywhere text-muted @max-[760px]:order-last @max-[760px]:basis-full">
                {visibleText(reason)}
              </span>
              <span className="ml-auto w-24 shrink-0 text-right text-small text-subtle @max-[640px]:w-auto">
                {send.ids.length > 1 && `and ${(send.ids.length - 1).toLocaleString('en')} more`}
              </span>
            </button>
            <IconButton
              label={`Replay ${deliveryCount(send.ids.length)}`}
              icon={RotateCw}
              className="-mr-1.5 size-6"
              onClick={() => replay({ ids: send.ids })}
            />
          </div>
        )
      })}
    </PageSection>
  )
}
