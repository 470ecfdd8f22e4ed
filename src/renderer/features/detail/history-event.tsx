/** An event of the history, with its deliveries. */
import { Check, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Attempt, LifecycleStage } from '../../../shared/model/lifecycle.ts'
import { formatSentAmount } from '../../../shared/text/amount.ts'
import { acknowledgementRule } from '../../core-data/environments.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { calendarDay, clockTime, exactTime, longDuration, milliseconds } from '../../ui/moment.ts'
import {
  answerTone,
  answerWord,
  attemptTone,
  attemptWord,
  VerdictBadge,
  verdictToneText,
} from '../../ui/verdict.tsx'
import { stageColor } from './lifecycle-timeline.tsx'
import { CompareButton } from './compare-button.tsx'

export const markPlace = 'absolute top-1 left-0'

/** An event on the timeline; `stage` is null if the delivery is part of no lifecycle. */
export type HistoryEvent = Pick<LifecycleStage, 'name' | 'receivedAt' | 'deliveries'> & {
  readonly stage: LifecycleStage | null
}

/** Lists the deliveries of an event: attempts, duplicates, and those of other hooks. */
export function EventView({
  event: { name, deliveries, stage },
  before,
  presentId,
  attempts,
}: {
  readonly event: HistoryEvent
  readonly before: HistoryEvent | undefined
  readonly presentId: string
  readonly attempts: readonly Attempt[]
}) {
  const color = stage === null ? 'text-text' : stageColor(stage)
  const isProved = stage?.isProved !== false
  // Events of a purchase are below its own heading.
  const Heading = stage === null ? 'h3' : 'h4'
  const mark =
    stage !== null && isProved
      ? `${color} border-current bg-current/15`
      : `border-edge ${isProved ? 'bg-raised' : 'border-dashed'}`
  return (
    <>
      <span aria-hidden className={`${markPlace} size-3.5 rounded-full border-2 ${mark}`} />
      <div className="flex flex-wrap items-baseline gap-x-3">
        <Heading className={`font-medium ${isProved ? color : 'text-muted'}`}>
          <ExactText text={name} />
        </Heading>
        {stage !== null && <StageFacts stage={stage} />}
      </div>
      {stage !== null && (
        <dl className="mt-0.5 flex flex-wrap gap-x-5 text-small text-subtle">
          <Time
            name="Event time"
            iso={stage.happenedAt}
            since={before?.stage?.happenedAt ?? null}
          />
          <Time name="Received" iso={stage.receivedAt} since={before?.stage?.receivedAt ?? null} />
        </dl>
      )}
      <ul className="mt-1 -ml-2">
        {deliveries.map((row, index) => {
          const attemptIndex = attempts.findIndex(({ row: { id } }) => id === row.id)
          const attempt = attempts[attemptIndex]
          const previous = attempts[attemptIndex - 1]?.row
          const other = before?.deliveries[0]
          return (
            <li key={row.id}>
              {attempt !== undefined && <Gap attempt={attempt} />}
              <DeliveryLine
                row={row}
                isPresent={row.id === presentId}
                compare={
                  previous !== undefined ? (
                    <CompareButton
                      label="Compare with the previous attempt"
                      pair={[previous.id, row.id]}
                    />
                  ) : (
                    index === 0 &&
                    other !== undefined && (
                      <CompareButton
                        label={`Compare ${before?.name ?? ''} with ${name}`}
                        pair={[other.id, row.id]}
                      />
                    )
                  )
                }
              />
              {attempt !== undefined && <AttemptNotes attempt={attempt} />}
            </li>
          )
        })}
      </ul>
    </>
  )
}

function StageFacts({
  stage: { isProved, status, offer, amount, currency },
}: {
  readonly stage: LifecycleStage
}) {
  return (
    <>
      {!isProved && <span className="text-small text-warn">not verified, so not counted</span>}
      {status !== null && (
        <span className="data">
          <ExactText text={status} />
        </span>
      )}
      <span className="flex-1" />
      {offer !== null && (
        <span
          className="text-small text-subtle"
          title={`Offer ${offer.id} ${offer.cashback ?? ''}`}
        >
          {offer.cashback === null ? (
            'offer'
          ) : (
            <>
              cashback {formatSentAmount(offer.cashback, currency)}{' '}
              <ExactText text={currency ?? ''} />
            </>
          )}
        </span>
      )}
      {amount !== null && (
        <span className="data font-medium text-text">
          {formatSentAmount(amount, currency)} <ExactText text={currency ?? ''} />
        </span>
      )}
    </>
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
      <dt className="shrink-0">{name}</dt>
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

function DeliveryLine({
  row,
  isPresent,
  compare,
}: {
  readonly row: DeliveryRow
  readonly isPresent: boolean
  /** Button at the end of the row. */
  readonly compare: ReactNode
}) {
  const { go, rule } = useAppParts((state) => ({
    go: state.navigation.go,
    rule: acknowledgementRule(state.core.environments, row.environment),
  }))
  const note = attemptWord(row)
  return (
    <div className="flex items-center gap-1">
      <button
        type="button"
        aria-current={isPresent}
        onClick={() => go('deliveries', { id: row.id })}
        className={`flex min-h-7 min-w-0 flex-1 items-center gap-x-3 rounded-control px-2 text-left ${isPresent ? 'bg-selected' : 'hover:bg-raised'}`}
      >
        <span className="w-[104px] shrink-0 @max-[440px]:w-[80px]">
          <VerdictBadge of={row} />
        </span>
        <span className="data shrink-0 text-muted">{clockTime(row.receivedAt)}</span>
        <span className="min-w-0 flex-1 truncate text-small text-subtle">
          {isPresent ? 'this delivery' : ''}
          {isPresent && note !== null ? ', ' : ''}
          <span className={verdictToneText[attemptTone(row, rule)]}>{note ?? ''}</span>
        </span>
        <span className={`data shrink-0 ${verdictToneText[answerTone(row, rule)]}`}>
          {answerWord(row)}
        </span>
        <span className="data w-16 shrink-0 text-right whitespace-nowrap text-subtle @max-[480px]:hidden">
          {row.answer.ms !== null && `${milliseconds(row.answer.ms)} ms`}
        </span>
      </button>
      <span className="flex w-22 shrink-0 justify-end @max-[560px]:w-7">{compare}</span>
    </div>
  )
}

function Gap({ attempt: { gapMs, expectedGapMs } }: { readonly attempt: Attempt }) {
  return (
    gapMs !== null && (
      <p aria-hidden className="flex gap-2 px-2 py-1.5 text-small text-muted">
        <span className="data">+ {longDuration(gapMs)}</span>
        {expectedGapMs !== null && (
          <span className="text-subtle">expected + {longDuration(expectedGapMs)}</span>
        )}
      </p>
    )
  )
}

/**
 * Explains an attempt's response, and lists what must or must not differ from the first attempt.
 */
function AttemptNotes({ attempt: { message, checks } }: { readonly attempt: Attempt }) {
  return (
    <div className="px-2 pb-1 text-small">
      <p className="text-muted">{message}</p>
      {checks.length > 0 && (
        <ul className="mt-1 grid gap-y-0.5">
          {checks.map(({ what, holds, must, message: sentence }) => {
            const Icon = holds ? Check : TriangleAlert
            return (
              <li
                key={what}
                className={`flex items-start gap-1.5 ${holds ? 'text-subtle' : 'text-warn'}`}
              >
                <Icon size={13} className="mt-0.5 shrink-0" />
                <span className="wrap-anywhere">
                  <ExactText text={sentence} />
                  <span className="sr-only">
                    {holds
                      ? ''
                      : must === 'differ'
                        ? ' It must differ.'
                        : ' It must stay the same.'}
                  </span>
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}
