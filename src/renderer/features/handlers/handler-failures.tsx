import { CircleX, RotateCw } from 'lucide-react'
import { amountText } from '../../../shared/text/amount.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { clockTime } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { failingQuery, failureName, failureReason } from './handler-facts.ts'
import { HeadingLink, PageSection, rowStyle } from './handler-parts.tsx'
import type { HandlerPageProps } from './use-handler-actions.ts'

/** Failures shown here; the Deliveries screen lists all. */
const LATEST_SHOWN = 6

/** Lists the latest failures; empty without any. */
export function HandlerFailures({
  handler,
  page: { latest, failed },
  failing,
  actions: { replay },
}: HandlerPageProps & { readonly failing: number }) {
  const { go, setQuery } = useAppParts((state) => ({
    go: state.navigation.go,
    setQuery: state.filter.setDraft,
  }))
  if (latest.length === 0 && failing === 0) return null
  return (
    <PageSection
      name="Latest failures"
      note={`${failed.toLocaleString('en')} in the last hour`}
      action={
        failing > 0 && (
          <HeadingLink
            onClick={() => {
              go('deliveries')
              setQuery(failingQuery(handler))
            }}
          >
            Show in Deliveries
          </HeadingLink>
        )
      }
    >
      {latest.slice(0, LATEST_SHOWN).map((send) => (
        <div key={send.sendId} className={`${rowStyle} hover:bg-raised`}>
          <button
            type="button"
            className="flex h-full min-w-0 flex-1 items-center gap-3 text-left"
            onClick={() => go('deliveries', { id: send.deliveryId, tab: 'history' })}
          >
            <span className="data shrink-0 text-muted">{clockTime(send.at).slice(0, 8)}</span>
            <span className="data w-44 shrink-0 truncate @max-[520px]:w-32">
              {visibleText(send.event ?? 'Unknown event')}
            </span>
            <span className="data w-28 shrink-0 truncate text-right @max-[640px]:hidden">
              {send.amount !== null &&
                send.currency !== null &&
                amountText(send.amount, send.currency)}
            </span>
            <span className="data flex w-24 shrink-0 items-center gap-1 font-medium text-bad">
              <CircleX size={14} className="shrink-0" />
              <span className="truncate">{failureName(send)}</span>
            </span>
            <span
              className="min-w-0 flex-1 truncate text-muted"
              title={visibleText(failureReason(send))}
            >
              {visibleText(failureReason(send))}
            </span>
          </button>
          <IconButton
            label={`Replay to ${handlerRef(handler)}`}
            icon={RotateCw}
            className="-mr-1.5 size-6"
            onClick={() => replay({ ids: [send.deliveryId] })}
          />
        </div>
      ))}
    </PageSection>
  )
}
