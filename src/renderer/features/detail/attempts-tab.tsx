/** The deliveries of one notification on a timeline: the gaps, the responses, and which values must change between attempts. */
import { Check, TriangleAlert } from 'lucide-react'
import type { Environment } from '../../../shared/model/environment.ts'
import type { Attempt, AttemptCheck } from '../../../shared/model/lifecycle.ts'
import { acknowledgementRule } from '../../state/acknowledgement.ts'
import { useRead } from '../../data/use-read.ts'
import { useApp } from '../../state/use-app.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { calendarDay, clockTime, longDuration, milliseconds, ordinal } from '../../ui/moment.ts'
import { VerdictBadge, answerTone, answerWord, verdictToneText } from '../../ui/verdict.tsx'
import { ComparePlace } from './compare-place.tsx'
import type { Shown } from './detail-slice.ts'

export function AttemptsTab({ shown }: { readonly shown: Shown }) {
  const { delivery, attempts: rows } = shown
  const ack = useApp((state) => acknowledgementRule(state.core.environments, delivery.environment))
  const { output, problem } = useRead('lifecycle.attempts', { deliveryId: delivery.id })
  const attempts = output?.attempts
  return (
    <div className="h-full overflow-auto" tabIndex={0} role="group" aria-label="Attempts">
      <p className="px-5 py-3 text-muted">{introduction(attempts?.length ?? rows.length, ack)}</p>
      {problem !== null && (
        <p role="alert" className="border-y border-line bg-bad-wash px-5 py-2">
          Couldn't load the attempts: {problem}
        </p>
      )}
      {attempts === undefined ? (
        problem === null && (
          <div role="status" aria-label="Loading attempts" className="late mx-5 skeleton h-16" />
        )
      ) : (
        <ol aria-label="Attempts" className="px-5 pb-4">
          {attempts.map((attempt, index) => (
            <AttemptView
              key={attempt.row.id}
              attempt={attempt}
              before={attempts[index - 1]}
              presentId={delivery.id}
              ack={ack}
              isLast={index === attempts.length - 1}
            />
          ))}
        </ol>
      )}
    </div>
  )
}

function introduction(count: number, ack: Environment['ack']): string {
  const rule = `Without a ${ack} within 20 seconds, the service retries after one minute, then after two.`
  const times = count <= 1 ? 'once' : count === 2 ? 'twice' : `${count} times`
  return `Delivered ${times}. ${rule}`
}

function AttemptView({
  attempt: { row, gapMs, expectedGapMs, message, checks },
  before,
  presentId,
  ack,
  isLast,
}: {
  readonly attempt: Attempt
  readonly before: Attempt | undefined
  readonly presentId: string
  readonly ack: Environment['ack']
  readonly isLast: boolean
}) {
  const goToDelivery = useApp((state) => state.detail.goTo)
  const present = row.id === presentId
  const tone = answerTone(row, ack)
  const dot =
    tone === 'quiet'
      ? 'border-ok bg-ok-wash'
      : tone === 'warn'
        ? 'border-warn bg-warn-wash'
        : 'border-bad bg-bad-wash'
  return (
    <>
      {gapMs !== null && (
        <li className="grid grid-cols-[14px_minmax(0,1fr)] gap-x-3 text-small" aria-hidden>
          <span className="flex justify-center">
            <span className="h-8 border-l border-dashed border-edge" />
          </span>
          <span className="flex items-center gap-2 text-muted">
            <span className="data">+ {longDuration(gapMs)}</span>
            {expectedGapMs !== null && (
              <span className="text-subtle">expected + {longDuration(expectedGapMs)}</span>
            )}
          </span>
        </li>
      )}
      <li className="grid grid-cols-[14px_minmax(0,1fr)] gap-x-3">
        <span className="flex flex-col items-center" aria-hidden>
          <span className={`mt-2.5 size-3 shrink-0 rounded-full border-2 ${dot}`} />
          {!isLast && <span className="mt-1 w-px flex-1 bg-line" />}
        </span>
        <div className="min-w-0 pb-1">
          <div className="-ml-2 flex items-center gap-1">
            <button
              type="button"
              aria-current={present}
              onClick={() => void goToDelivery(row.id)}
              className={`flex min-h-8 min-w-0 flex-1 items-center gap-x-3 rounded-control px-2 text-left @max-[480px]:flex-wrap @max-[480px]:py-1 ${present ? 'bg-selected' : 'hover:bg-raised'}`}
            >
              <span className="w-[72px] shrink-0 font-medium @max-[480px]:w-auto @max-[480px]:min-w-10">
                {row.duplicateOf === null ? ordinal(row.attempt) : 'Duplicate'}
              </span>
              <span className="shrink-0 text-small text-subtle @max-[520px]:hidden">
                {calendarDay(row.receivedAt)}
              </span>
              <span className="data shrink-0 text-muted">{clockTime(row.receivedAt)}</span>
              <span className="min-w-0 flex-1 @max-[480px]:order-last @max-[480px]:basis-full">
                <VerdictBadge of={row} />
              </span>
              <span className={`data shrink-0 @max-[480px]:ml-auto ${verdictToneText[tone]}`}>
                {answerWord(row)}
              </span>
              <span className="data min-w-16 shrink-0 text-right whitespace-nowrap text-subtle">
                {row.answer.ms === null ? '' : `${milliseconds(row.answer.ms)} ms`}
              </span>
            </button>
            <ComparePlace
              label="Compare with the previous attempt"
              pair={before === undefined ? null : [before.row.id, row.id]}
            />
          </div>
          <p className="text-small text-muted">{message}</p>
          {checks.length > 0 && (
            <ul className="mt-1.5 mb-1 grid gap-x-4 gap-y-0.5">
              {checks.map((check) => (
                <CheckView key={check.what} check={check} />
              ))}
            </ul>
          )}
        </div>
      </li>
    </>
  )
}

function CheckView({ check: { must, holds, message } }: { readonly check: AttemptCheck }) {
  const Icon = holds ? Check : TriangleAlert
  return (
    <li className={`flex items-start gap-1.5 text-small ${holds ? 'text-subtle' : 'text-warn'}`}>
      <Icon size={13} aria-hidden className={`mt-0.5 shrink-0 ${holds ? 'text-ok' : ''}`} />
      <span className="wrap-anywhere">
        <ExactText text={message} />
        <span className="sr-only">
          {holds ? '' : must === 'differ' ? ' It must differ.' : ' It must stay the same.'}
        </span>
      </span>
    </li>
  )
}
