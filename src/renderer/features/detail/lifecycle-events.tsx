/** The events of a purchase or location, one below the other: received ones with their deliveries, and expected ones. */
import { CircleDashed } from 'lucide-react'
import type { LifecycleStage, MissingStage } from '../../../shared/model/lifecycle.ts'
import { useApp } from '../../state/use-app.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { calendarDay, clockTime, exactTime, longDuration } from '../../ui/moment.ts'
import { answerWord, attemptWord, VerdictBadge } from '../../ui/verdict.tsx'
import { ComparePlace } from './compare-place.tsx'
import { stageTint } from './lifecycle-timeline.tsx'

export function StageView({
  stage,
  before,
  presentId,
  isLast,
}: {
  readonly stage: LifecycleStage
  readonly before: LifecycleStage | undefined
  readonly presentId: string
  readonly isLast: boolean
}) {
  const { name, amount, currency, status, offer, happenedAt, receivedAt, isProved, deliveries } =
    stage
  const goToDelivery = useApp((state) => state.detail.goTo)
  const tint = stageTint(stage)
  const previous = before?.deliveries[0]
  const first = deliveries[0]
  return (
    <li className="grid grid-cols-[14px_minmax(0,1fr)] gap-x-3">
      <Rail
        look={
          isProved ? `border-2 ${tint.border} ${tint.fill}` : 'border-2 border-dashed border-edge'
        }
        isLast={isLast}
      />
      <div className="pb-4">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <h4 className={`font-medium ${isProved ? tint.text : 'text-muted'}`}>{name}</h4>
          {!isProved && <span className="text-small text-warn">not verified, so not counted</span>}
          {status !== null && (
            <span className="data">
              <ExactText text={status} />
            </span>
          )}
          <span className="flex-1" />
          {offer !== null && (
            <span className="text-small text-subtle" title={`Offer ${offer.id}`}>
              {offer.cashback === null ? 'offer' : `cashback ${offer.cashback}`}
            </span>
          )}
          {amount !== null && (
            <span className="data font-medium text-text">
              {amount} <ExactText text={currency ?? ''} />
            </span>
          )}
        </div>
        <dl className="mt-0.5 flex flex-wrap gap-x-5 text-small text-subtle">
          <Time name="Event time" iso={happenedAt} since={before?.happenedAt ?? null} />
          <Time name="Received" iso={receivedAt} since={before?.receivedAt ?? null} />
        </dl>
        <ul className="mt-1 -ml-2">
          {deliveries.map((row) => {
            const present = row.id === presentId
            const note = attemptWord(row)
            return (
              <li key={row.id} className="flex items-center gap-1">
                <button
                  type="button"
                  aria-current={present}
                  onClick={() => void goToDelivery(row.id)}
                  className={`flex h-7 min-w-0 flex-1 items-center gap-3 rounded-control px-2 text-left ${present ? 'bg-selected' : 'hover:bg-raised'}`}
                >
                  <span className="w-[104px] shrink-0 @max-[440px]:w-[92px]">
                    <VerdictBadge of={row} />
                  </span>
                  <span className="data shrink-0 text-muted">{clockTime(row.receivedAt)}</span>
                  <span className="min-w-0 flex-1 truncate text-small text-subtle">
                    {present ? 'this delivery' : ''}
                    {present && note !== null ? ', ' : ''}
                    {note ?? ''}
                  </span>
                  <span className="data shrink-0 text-subtle">{answerWord(row.answer)}</span>
                </button>
                <ComparePlace
                  label={`Compare ${before?.name ?? ''} with ${name}`}
                  pair={row === first && previous !== undefined ? [previous.id, row.id] : null}
                />
              </li>
            )
          })}
        </ul>
      </div>
    </li>
  )
}

function Rail({ look, isLast }: { readonly look: string; readonly isLast: boolean }) {
  return (
    <span className="flex flex-col items-center" aria-hidden>
      <span className={`mt-1 size-3 shrink-0 rounded-full ${look}`} />
      {!isLast && <span className="mt-1 w-px flex-1 bg-line" />}
    </span>
  )
}

function Time({
  name,
  iso,
  since,
}: {
  readonly name: string
  readonly iso: string | null
  readonly since: string | null
}) {
  const later = iso === null || since === null ? null : Date.parse(iso) - Date.parse(since)
  return (
    <div className="flex gap-1.5">
      <dt>{name}</dt>
      <dd className="text-muted" {...(iso === null ? {} : { title: exactTime(iso) })}>
        {iso === null ? (
          'unknown'
        ) : (
          <>
            {calendarDay(iso)} <span className="data">{clockTime(iso)}</span>
            {later !== null && (
              <span className="text-subtle">
                {' '}
                {later < 0 ? `${longDuration(-later)} before` : `+ ${longDuration(later)}`}
              </span>
            )}
          </>
        )}
      </dd>
    </div>
  )
}

export function MissingView({
  stage: { name, from, to, isLate, message, fix },
  isLast,
}: {
  readonly stage: MissingStage
  readonly isLast: boolean
}) {
  return (
    <li className="grid grid-cols-[14px_minmax(0,1fr)] gap-x-3">
      <span className="flex flex-col items-center" aria-hidden>
        <CircleDashed
          size={13}
          className={`mt-1 shrink-0 ${isLate ? 'text-warn' : 'text-subtle'}`}
        />
        {!isLast && <span className="mt-1 w-px flex-1 bg-line" />}
      </span>
      <div className="pb-4">
        <h4 className="flex flex-wrap items-baseline gap-x-3 font-medium text-muted">
          {name}
          <span className={`text-small font-normal ${isLate ? 'text-warn' : 'text-subtle'}`}>
            {isLate ? 'missing' : 'pending'}
          </span>
        </h4>
        {from !== null && to !== null && from !== to && (
          <p className="text-small text-subtle">
            Expected {calendarDay(from)} <span className="data">{clockTime(from).slice(0, 5)}</span>{' '}
            – {calendarDay(to)} <span className="data">{clockTime(to).slice(0, 5)}</span> (event
            time)
          </p>
        )}
        <p className="mt-0.5 wrap-anywhere">
          <ExactText text={message} /> <span className="text-muted">{fix}</span>
        </p>
      </div>
    </li>
  )
}
