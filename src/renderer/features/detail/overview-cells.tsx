/** The payload and responses of a delivery in the Overview. */
import { CircleCheck, CircleX, RotateCw, TriangleAlert, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Delivery, DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { MAX_ATTEMPTS } from '../../../shared/service/limits.ts'
import { formatSentAmount } from '../../../shared/text/amount.ts'
import { capitalized } from '../../../shared/text/english.ts'
import { useAppStore } from '../../ui-state/use-app.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { ago, exactTime, milliseconds, useNow } from '../../ui/moment.ts'
import {
  attemptTone,
  handlerStatus,
  VerdictGlyph,
  verdictToneText,
  type VerdictTone,
} from '../../ui/verdict.tsx'
import { responseStatus } from './response-words.ts'
import type { PayloadFacts } from './payload-facts.ts'
import { responseStatusText } from './fact-sentences.ts'
import type { DeliveryView } from './use-delivery.ts'
import { rowValue } from '../../ui-state/row-values.ts'
import { menuValue, type MenuValue } from '../../ui/menu-value.ts'
import { visibleText } from '../../ui/visible-text.ts'

function Cell({
  name,
  note,
  menu = null,
  children,
}: {
  readonly name: string
  readonly note?: ReactNode
  readonly menu?: MenuValue | null
  readonly children: ReactNode
}) {
  return (
    <div
      {...(menu === null ? {} : menuValue(menu))}
      className="-ml-px min-w-0 border-l border-line px-5 py-3 @max-[560px]:px-4"
    >
      <dt className="text-small text-subtle">{name}</dt>
      <dd className="mt-1 min-w-0">
        <div className="flex min-w-0 flex-wrap items-center gap-x-1.5 text-title font-medium wrap-anywhere @max-[560px]:text-base">
          {children}
        </div>
        {note != null && <div className="mt-1 text-small wrap-anywhere text-muted">{note}</div>}
      </dd>
    </div>
  )
}

// Each cell has a left border, which is clipped at the start of a row.
const cellsStyle = 'grid auto-cols-fr grid-flow-col overflow-x-clip border-b border-line'

export function Payload({
  facts: { amount, currency, merchant, scheme, lastNumbers },
  delivery,
}: {
  readonly facts: PayloadFacts
  readonly delivery: Delivery
}) {
  const hasCard = lastNumbers !== null || scheme !== null
  if (amount === null && merchant === null && !hasCard) return null
  return (
    <dl aria-label="Payload" className={cellsStyle}>
      {amount !== null && (
        <Cell name="Amount" menu={rowValue(delivery, 'amount')}>
          <span className="font-mono tabular-nums">
            {formatSentAmount(amount, currency)}{' '}
            {currency !== null && <ExactText text={currency} />}
          </span>
        </Cell>
      )}
      {merchant !== null && (
        <Cell name="Merchant" menu={rowValue(delivery, 'merchant')}>
          <span className="line-clamp-2" title={visibleText(merchant)}>
            <ExactText text={merchant} />
          </span>
        </Cell>
      )}
      {hasCard && (
        <Cell name="Card">
          {scheme !== null && <ExactText text={capitalized(scheme)} />}
          {lastNumbers !== null && (
            <span className="font-mono whitespace-nowrap">
              •••• <ExactText text={lastNumbers} />
            </span>
          )}
        </Cell>
      )}
    </dl>
  )
}

const toneMarks: Readonly<Record<VerdictTone, LucideIcon | null>> = {
  ok: CircleCheck,
  bad: CircleX,
  warn: TriangleAlert,
  quiet: null,
}

export function ResponseCells({
  shown: { delivery, attempts },
  rule,
  handlerWords,
}: {
  readonly shown: DeliveryView
  readonly rule: Environment['ack']
  readonly handlerWords: string | null
}) {
  const { detail } = useAppStore().getState()
  const { tone, note } = responseStatus(delivery, rule)
  const Icon = toneMarks[tone]
  return (
    <dl aria-label="Responses" className={cellsStyle}>
      <Cell name="Responded" menu={rowValue(delivery, 'responded')} note={note}>
        <ResponseStatus
          label="Show response of Countersign"
          tone={tone}
          ms={delivery.answer.ms}
          onClick={() => detail.showRaw('response')}
        >
          {Icon !== null && <Icon size={16} className="shrink-0" />}
          {responseStatusText(delivery)}
        </ResponseStatus>
      </Cell>
      {/* A malformed request has neither replays nor attempts. */}
      {delivery.malformed === null && (
        <>
          <HandlerCell delivery={delivery} words={handlerWords} />
          <AttemptCell delivery={delivery} attempts={attempts} rule={rule} />
        </>
      )}
    </dl>
  )
}

/** Shows a status that opens its response, and the response time. */
function ResponseStatus({
  label,
  tone,
  ms,
  onClick,
  children,
}: {
  readonly label: string
  readonly tone: VerdictTone
  readonly ms: number | null
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  return (
    <>
      <button
        type="button"
        title={label}
        onClick={onClick}
        className={`-my-0.5 inline-flex min-h-6 items-center gap-1.5 rounded-small font-mono font-medium hover:underline ${verdictToneText[tone]}`}
      >
        {children}
        <span className="sr-only">. {label}</span>
      </button>
      {ms !== null && (
        <span className="data font-normal whitespace-nowrap text-muted">
          in {milliseconds(ms)} ms
        </span>
      )}
    </>
  )
}

/** Shows the last response of the user's handler, and whether it is right. */
function HandlerCell({
  delivery: { handler, ...delivery },
  words,
}: {
  readonly delivery: Delivery
  readonly words: string | null
}) {
  const { detail } = useAppStore().getState()
  const now = useNow(5_000)
  if (handler === null)
    return (
      <Cell name="Your handler" note="No response recorded">
        <span className="text-muted">–</span>
      </Cell>
    )
  const { word, tone, drawing, reason, from } = handlerStatus({ ...delivery, handler })
  return (
    <Cell
      name="Your handler"
      menu={rowValue({ ...delivery, handler }, 'handler')}
      note={
        <>
          {words === null ? reason : `Returned ${words}`}
          <br />
          <ExactText text={from} />
          {handler.at !== null && (
            <time dateTime={handler.at} title={exactTime(handler.at)}>
              , {ago(handler.at, now)}
            </time>
          )}
        </>
      }
    >
      <ResponseStatus
        label="Show response of your handler"
        tone={tone}
        ms={handler.status === null ? null : handler.ms}
        onClick={() => detail.showSend(handler.sendId)}
      >
        <VerdictGlyph drawing={drawing} large />
        {word}
      </ResponseStatus>
    </Cell>
  )
}

function AttemptCell({
  delivery,
  attempts,
  rule,
}: {
  readonly delivery: Delivery
  readonly attempts: readonly DeliveryRow[]
  readonly rule: Environment['ack']
}) {
  const { attempt, duplicateOf } = delivery
  const before = attempts.findLast(({ seq }) => seq < delivery.seq)
  if (duplicateOf !== null)
    return (
      <Cell name="Attempt" note="Repeats an acknowledged notification">
        <span className="text-warn">Duplicate</span>
      </Cell>
    )
  return (
    <Cell
      name="Attempt"
      note={
        attempt === 1 || before === undefined ? (
          'First attempt'
        ) : (
          <>
            Responded <span className="data">{responseStatusText(before)}</span> to attempt{' '}
            {attempt - 1}
          </>
        )
      }
    >
      <span
        className={`inline-flex items-center gap-1.5 font-mono ${attempt > 1 ? verdictToneText[attemptTone(delivery, rule)] : ''}`}
      >
        {attempt > 1 && <RotateCw size={16} />}
        {attempt} of {Math.max(MAX_ATTEMPTS, attempt)}
      </span>
    </Cell>
  )
}
