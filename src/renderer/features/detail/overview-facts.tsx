/** The Overview's facts in large type: amount, merchant and card; the attempt, our response and the handler's. */
import { CircleCheck, CircleX, RotateCw, TriangleAlert, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { MAX_ATTEMPTS } from '../../../shared/service/limits.ts'
import { writtenAmount } from '../../../shared/text/amount.ts'
import { acknowledgementRule } from '../../state/acknowledgement.ts'
import { rowValue } from '../../state/delivery-actions.ts'
import { menuValue, type MenuValue } from '../../state/menu-slice.ts'
import type { AppState } from '../../state/store.ts'
import { useApp, useAppStore } from '../../state/use-app.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { ago, exactTime, milliseconds } from '../../ui/moment.ts'
import { useNow } from '../../ui/use-now.ts'
import {
  attemptTone,
  handlerLook,
  VerdictGlyph,
  verdictToneText,
  type VerdictTone,
} from '../../ui/verdict.tsx'
import type { Shown } from './detail-slice.ts'
import { answerWords } from './sentences.ts'
import { respondedLook, type PayloadFacts } from './summary.ts'

/** A value in large type with its name above and a note below. */
function Cell({
  name,
  aside,
  note,
  className = '',
  menu = null,
  children,
}: {
  readonly name: string
  /** Beside the name. */
  readonly aside?: ReactNode
  readonly note?: ReactNode
  readonly className?: string
  /** The value that the context menu offers to filter by. */
  readonly menu?: MenuValue | null
  readonly children: ReactNode
}) {
  return (
    <div
      {...(menu === null ? {} : menuValue(menu))}
      className={`min-w-0 border-line -ml-px border-l px-5 py-3 @max-[560px]:px-4 ${className}`}
    >
      <dt className="flex items-center gap-2 text-small text-subtle">
        <span className="flex-1">{name}</span>
        {aside}
      </dt>
      <dd className="mt-1 min-w-0">
        <div className="flex min-w-0 flex-wrap items-center gap-x-1.5 text-title font-medium">
          {children}
        </div>
        {note !== undefined && note !== null && (
          <div className="mt-1 text-small wrap-anywhere text-muted">{note}</div>
        )}
      </dd>
    </div>
  )
}

// Each cell's left border covers the line before it, and the first of each row is cut off.
const cellsLook = 'grid overflow-x-clip border-b border-line'
const columns = ['', 'grid-cols-1', 'grid-cols-2', 'grid-cols-3 @max-[560px]:grid-cols-2'] as const

/** Amount, merchant and card, as far as the payload has them. */
export function Payload({
  facts,
  delivery,
}: {
  readonly facts: PayloadFacts
  readonly delivery: Delivery
}) {
  const { receivedAt } = delivery
  const { amount, currency, paidAt, merchant, address, scheme, firstNumbers, lastNumbers } = facts
  const card = scheme === null ? '' : scheme.charAt(0).toUpperCase() + scheme.slice(1)
  const hasCard = lastNumbers !== null || scheme !== null
  const hasMerchant = merchant !== null || address !== null
  const count = Number(amount !== null) + Number(hasMerchant) + Number(hasCard)
  if (count === 0) return null
  return (
    <dl aria-label="Payload" className={`${cellsLook} ${columns[count] ?? ''}`}>
      {amount !== null && (
        <Cell
          name="Amount"
          menu={rowValue(delivery, 'amount')}
          note={
            <>
              <span className={hasCard && count === 3 ? '@max-[560px]:hidden' : ''}>
                {paidAt !== null && paidWords(amount, paidAt, receivedAt)}
              </span>
              {hasCard && count === 3 && (
                <span className="@min-[560px]:hidden">
                  <ExactText text={card} />
                  {lastNumbers !== null && (
                    <>
                      {' '}
                      ending{' '}
                      <span className="data">
                        <ExactText text={lastNumbers} />
                      </span>
                    </>
                  )}
                </span>
              )}
            </>
          }
        >
          <span className="font-mono whitespace-nowrap tabular-nums">
            {writtenAmount(amount, currency)} {currency !== null && <ExactText text={currency} />}
          </span>
        </Cell>
      )}
      {hasMerchant && (
        <Cell
          name="Merchant"
          menu={rowValue(delivery, 'merchant')}
          note={merchant !== null && address !== null && <ExactText text={address} />}
        >
          <span className="wrap-anywhere">
            <ExactText text={merchant ?? address ?? ''} />
          </span>
        </Cell>
      )}
      {hasCard && (
        <Cell
          name="Card"
          className={count === 3 ? '@max-[560px]:hidden' : ''}
          note={
            firstNumbers !== null && (
              <>
                First six{' '}
                <span className="data">
                  <ExactText text={firstNumbers} />
                </span>
              </>
            )
          }
        >
          <span className="whitespace-nowrap">
            <ExactText text={card} />{' '}
            {lastNumbers !== null && (
              <span className="font-mono">
                •••• <ExactText text={lastNumbers} />
              </span>
            )}
          </span>
        </Cell>
      )}
    </dl>
  )
}

/** `Purchase at 14:30:51`; with its day, unless that is the day of receipt. */
function paidWords(amount: string, paidAt: string, receivedAt: string): ReactNode {
  const [day = '', time = ''] = paidAt.split('T')
  return (
    <>
      {amount.startsWith('-') ? 'Refund' : 'Purchase'} at{' '}
      <span className="data">
        <ExactText
          text={`${day === receivedAt.slice(0, 10) ? '' : `${day} `}${time.slice(0, 8)}`}
        />
      </span>
    </>
  )
}

/** The attempt, our response, and the handler's. */
export function Exchange({
  shown,
  handlerWords,
}: {
  readonly shown: Shown
  readonly handlerWords: string | null
}) {
  const { delivery } = shown
  const store = useAppStore()
  const rule = useApp((state) => acknowledgementRule(state.core.environments, delivery.environment))
  const responded = respondedLook(delivery, rule)
  /** A malformed request has neither attempts nor replays. */
  const isRead = delivery.malformed === null
  const showOwn = () => store.getState().detail.showRaw('response')
  const own = (
    <>
      <span
        className={`inline-flex items-center gap-1.5 font-mono ${verdictToneText[responded.tone]}`}
      >
        <ToneMark tone={responded.tone} />
        {answerWords(delivery)}
      </span>
      {delivery.answer.ms !== null && <Small>in {milliseconds(delivery.answer.ms)} ms</Small>}
    </>
  )
  return (
    <>
      {isRead && (
        <dl aria-label="Responses" className={`${cellsLook} grid-cols-3 @max-[560px]:grid-cols-2`}>
          <AttemptCell shown={shown} rule={rule} />
          <Cell
            name="Responded"
            menu={rowValue(delivery, 'responded')}
            className="@max-[560px]:hidden"
            aside={<LinkButton label="Show response of Countersign" onClick={showOwn} />}
            note={responded.note}
          >
            {own}
          </Cell>
          <HandlerCell delivery={delivery} words={handlerWords} />
        </dl>
      )}
      <div
        className={`border-b border-line px-5 py-2 text-small text-muted @max-[560px]:px-4 ${isRead ? '@min-[560px]:hidden' : ''}`}
      >
        <p className="flex items-center gap-x-2 whitespace-nowrap">
          <span className="text-subtle">Responded</span> {own}
          <span className="flex-1" />
          <LinkButton label="Show response of Countersign" onClick={showOwn} />
        </p>
        <p className="mt-0.5">{responded.note}</p>
      </div>
    </>
  )
}

function Small({ children }: { readonly children: ReactNode }) {
  return <span className="data font-normal text-muted">{children}</span>
}

/** A quiet button inside a text; `label` completes its words for screen readers. */
export function LinkButton({
  label,
  onClick,
  children = 'Show response',
}: {
  readonly label: string
  readonly onClick: () => void
  readonly children?: ReactNode
}) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="shrink-0 rounded-small font-medium text-accent hover:underline"
    >
      {children}
    </button>
  )
}

const toneMarks: Readonly<Record<VerdictTone, LucideIcon | null>> = {
  ok: CircleCheck,
  bad: CircleX,
  warn: TriangleAlert,
  quiet: null,
}

function ToneMark({ tone }: { readonly tone: VerdictTone }) {
  const Icon = toneMarks[tone]
  return Icon === null ? null : <Icon size={16} aria-hidden className="shrink-0" />
}

function AttemptCell({
  shown: { delivery, attempts },
  rule,
}: {
  readonly shown: Shown
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
            Responded <span className="data">{answerWords(before)}</span> to attempt {attempt - 1}
          </>
        )
      }
    >
      <span
        className={`inline-flex items-center gap-1.5 font-mono ${attempt > 1 ? verdictToneText[attemptTone(delivery, rule)] : ''}`}
      >
        {attempt > 1 && <RotateCw size={16} aria-hidden />}
        {attempt} of {Math.max(MAX_ATTEMPTS, attempt)}
      </span>
    </Cell>
  )
}

/** What the user's handler last returned, when, and whether that is right. */
function HandlerCell({
  delivery: { handler, ...delivery },
  words,
}: {
  readonly delivery: Delivery
  readonly words: string | null
}) {
  const store = useAppStore()
  const first = '@max-[560px]:order-first'
  if (handler === null)
    return (
      <Cell name="My handler" className={first} note="No response recorded">
        <span className="text-muted">–</span>
      </Cell>
    )
  const { word, tone, drawing, reason, from } = handlerLook({ ...delivery, handler })
  return (
    <Cell
      name="My handler"
      menu={rowValue({ ...delivery, handler }, 'handler')}
      className={first}
      aside={
        <LinkButton
          label="Show response of my handler"
          onClick={() => showHandlerResponse({ handler })(store.getState())}
        />
      }
      note={
        <span title={reason}>
          {words === null ? reason : `Returned ${words}`} <ExactText text={from} />
          {handler.at !== null && <HandlerTime at={handler.at} />}
        </span>
      }
    >
      <span className={`inline-flex items-center gap-1.5 font-mono ${verdictToneText[tone]}`}>
        <VerdictGlyph drawing={drawing} large />
        {word}
      </span>
      {handler.status !== null && handler.ms !== null && (
        <Small>in {milliseconds(handler.ms)} ms</Small>
      )}
    </Cell>
  )
}

function HandlerTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      , {ago(at, useNow(5_000))}
    </time>
  )
}

/** Opens the Replays tab at the handler's response. */
export function showHandlerResponse({
  handler,
}: Pick<Delivery, 'handler'>): (state: AppState) => void {
  return (state) => {
    state.detail.selectSend(handler?.sendId ?? null)
    state.detail.setTab('replays')
  }
}
