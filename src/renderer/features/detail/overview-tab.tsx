/** A delivery at a glance: verdict, cause and action; amount, merchant and card; the responses; then metadata. */
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  CircleX,
  Clock,
  CodeXml,
  Copy,
  Download,
  FileText,
  GitCompareArrows,
  Info,
  KeyRound,
  Layers,
  RotateCw,
  Send,
  Server,
  Shield,
  Table2,
  Terminal,
  TriangleAlert,
  Webhook,
  type LucideIcon,
} from 'lucide-react'
import { useEffect, useMemo, useState, type ReactNode } from 'react'
import type { Delivery, DeliveryRow, SchemaReport } from '../../../shared/model/delivery.ts'
import { subjectWord, type Lifecycle } from '../../../shared/model/lifecycle.ts'
import { DEFAULT_PREFIX, headerNames } from '../../../shared/service/header-names.ts'
import { MAX_ATTEMPTS } from '../../../shared/service/limits.ts'
import { closestEvent } from '../../../shared/service/payload.ts'
import { writtenAmount } from '../../../shared/text/amount.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { termOf } from '../../../shared/query/terms.ts'
import { acknowledgementRule } from '../../state/acknowledgement.ts'
import { rowValue } from '../../state/delivery-actions.ts'
import { menuValue, type MenuValue } from '../../state/menu-slice.ts'
import { printAddress } from '../../state/addresses.ts'
import type { AppState } from '../../state/store.ts'
import { useApp, useAppParts, useAppStore } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { fromBase64 } from '../../ui/bytes.ts'
import { copyText, CopyButton } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ExactLines, ExactText } from '../../ui/exact-text.tsx'
import { FindingText, QuotedText } from '../../ui/finding-text.tsx'
import { Middle } from '../../ui/middle.tsx'
import { ago, duration, exactTime, milliseconds } from '../../ui/moment.ts'
import { useNow } from '../../ui/use-now.ts'
import { handlerLook, VerdictGlyph, verdictToneText, type VerdictTone } from '../../ui/verdict.tsx'
import type { Shown } from './detail-slice.ts'
import { answerWords, eventSentence, originSentence } from './sentences.ts'
import {
  checksOf,
  factsOfRow,
  isCertain,
  payloadFacts,
  summaryOfRow,
  respondedLook,
  deliverySummary,
  responseMessage,
  type PayloadFacts,
  type DeliverySummary,
  type SummaryAction,
} from './summary.ts'

export function OverviewTab({ shown }: { readonly shown: Shown }) {
  const { delivery, loaded, signature, schema, body } = shown
  const { hook, prefix, answer, readAnswer, slow, hasPrevious } = useAppParts((state) => ({
    hook: state.core.hooks.find((one) => one.id === (signature?.hookId ?? delivery.hookId)),
    prefix: state.core.environments.find(({ name }) => name === delivery.environment)?.prefix ?? DEFAULT_PREFIX,
    answer: delivery.handler === null ? null : (state.detail.answers.get(delivery.handler.sendId) ?? null),
    readAnswer: state.detail.readAnswer,
    slow: state.detail.slow,
    hasPrevious: (state.detail.comparisonOffers?.id === delivery.id && state.detail.comparisonOffers.value?.length) !== 0,
  }))
  const sendId = delivery.handler?.sendId ?? null
  useEffect(() => {
    if (loaded && sendId !== null) void readAnswer(sendId)
  }, [readAnswer, loaded, sendId])
  const facts = useMemo(() => (loaded ? payloadFacts(body.bytes) : factsOfRow(delivery)), [loaded, delivery, body.bytes])
  const isUnknown = delivery.event === null && delivery.eventCandidates.length === 0
  const closest = useMemo(() => (isUnknown && loaded ? closestEvent(body.bytes) : null), [isUnknown, loaded, body.bytes])
  const handlerWords = useMemo(() => (answer === null ? null : responseMessage(fromBase64(answer.base64))), [answer])
  const schemaErrors = schema?.failures.map(({ message }) => message) ?? null
  const signatureHeader = headerNames(prefix).signature
  const summary = deliverySummary({
    delivery,
    signature,
    schemaErrors,
    hook,
    closest,
    handlerWords,
    hasPrevious,
    signatureHeader,
  })
  const checks = checksOf(summary, delivery, signature, schemaErrors?.length ?? null)
  if (!loaded)
    return (
      <div className="h-full overflow-auto" tabIndex={0} role="group" aria-label="Overview" aria-busy>
        <Headline shown={shown} summary={summaryOfRow(summary, delivery)} closest={null} />
        {isCertain(summary) && (facts !== null || delivery.malformed !== null) && (
          <>
            {facts !== null && <Payload facts={facts} delivery={delivery} />}
            <Exchange shown={shown} handlerWords={null} />
          </>
        )}
        {slow && <span role="status" aria-label="Loading delivery" className="skeleton m-5 block h-24" />}
      </div>
    )
  return (
    <div className="h-full overflow-auto" tabIndex={0} role="group" aria-label="Overview">
      <Headline shown={shown} summary={summary} closest={closest?.event ?? null} />
      {facts !== null && <Payload facts={facts} delivery={delivery} />}
      <Exchange shown={shown} handlerWords={handlerWords} />
      {checks.length > 0 && (
        <ul
          aria-label="Checks"
          className="grid grid-cols-2 gap-x-5 gap-y-2 border-b border-line px-5 py-3 text-small @max-[560px]:grid-cols-1 @max-[560px]:px-4"
        >
          {checks.map(({ tone, text }) => (
            <li key={text} className="flex min-w-0 items-center gap-2">
              <ToneIcon tone={tone} />
              <span className="min-w-0 wrap-anywhere">
                <ExactText text={text} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {schema !== null && <SchemaNotes key={delivery.id} report={schema} />}
      <Metadata shown={shown} />
    </div>
  )
}

const toneIcons: Readonly<Record<VerdictTone, LucideIcon>> = { ok: CircleCheck, bad: CircleX, warn: Clock, quiet: Info }

function ToneIcon({ tone }: { readonly tone: VerdictTone }) {
  const Icon = toneIcons[tone]
  return <Icon size={14} aria-hidden className={`shrink-0 ${verdictToneText[tone]}`} />
}

const headlineIcons: Readonly<Record<DeliverySummary['kind'], LucideIcon>> = {
  malformed: TriangleAlert,
  unsigned: CircleDashed,
  invalid: CircleX,
  'unknown-hook': CircleQuestionMark,
  claimed: FileText,
  stale: Clock,
  future: Clock,
  'unknown-event': Info,
  'schema-errors': CircleAlert,
  'handler-failed': CircleX,
  valid: CircleCheck,
}

const washes = { bad: 'bg-bad-wash', warn: 'bg-warn-wash' } as const

interface HeadlineProps {
  readonly shown: Shown
  readonly summary: DeliverySummary
  readonly closest: string | null
}

function Headline({ shown, summary: { kind, headline, cause, tone, wash, urls, actions }, closest }: HeadlineProps) {
  const Icon = headlineIcons[kind]
  return (
    <section
      aria-label="Summary"
      className={`grid grid-cols-[20px_minmax(0,1fr)] gap-x-3 border-b border-line p-5 pt-4 pb-4 @max-[560px]:px-4 ${wash === null ? '' : washes[wash]}`}
    >
      <Icon size={20} strokeWidth={1.75} aria-hidden className={`mt-1 @max-[560px]:mt-0 ${verdictToneText[tone]}`} />
      <div className="min-w-0">
        <p className="text-display font-medium tracking-[-0.01em] wrap-anywhere @max-[560px]:text-title @max-[560px]:tracking-normal">
          <ExactText text={headline} />
        </p>
        <p className="mt-1 text-muted wrap-anywhere">
          <QuotedText text={cause} />
        </p>
        {urls !== null && <ComparedUrls {...urls} />}
        <div className="mt-4 flex flex-wrap gap-2">
          {(shown.loaded || isCertain({ kind }) ? actions : []).map((action, index) => (
            <ActionButton key={action} action={action} main={index === 0} shown={shown} closest={closest} />
          ))}
        </div>
      </div>
    </section>
  )
}

/** The signed and the registered URL, one below the other, with the part that only the signed one has marked. */
function ComparedUrls({ signed, registered }: { readonly signed: string; readonly registered: string }) {
  const [start, end] = differingPart(signed, registered)
  return (
    <dl className="mt-3 grid grid-cols-[76px_minmax(0,1fr)] items-baseline gap-y-1">
      <dt className="text-small text-muted">Signed</dt>
      <dd className="data wrap-anywhere">
        <ExactText text={signed.slice(0, start)} />
        {end > start && (
          <mark className="rounded-small bg-bad px-px font-medium text-ground">
            <ExactText text={signed.slice(start, end)} />
          </mark>
        )}
        <ExactText text={signed.slice(end)} />
      </dd>
      <dt className="text-small text-muted">Registered</dt>
      <dd className="data wrap-anywhere">
        <ExactText text={registered} />
      </dd>
    </dl>
  )
}

/** Start and end of what the first text has between the beginning and the end that both share. */
function differingPart(one: string, other: string): readonly [start: number, end: number] {
  const most = Math.min(one.length, other.length)
  let start = 0
  while (start < most && one[start] === other[start]) start++
  let same = 0
  while (same < most - start && one[one.length - 1 - same] === other[other.length - 1 - same]) same++
  return [start, one.length - same]
}

interface ActionLook {
  readonly icon: LucideIcon
  readonly label: string
  /** Returns a text to copy, or does something else. */
  readonly run: (state: AppState) => string | null | void
}

/** The button of each action: its words, and what it does. */
function lookOfAction(
  action: SummaryAction,
  { delivery, signature, schema }: Shown,
  to: string | null,
  closest: string | null,
): ActionLook {
  const replay = (state: AppState) => {
    void state.replay.again([delivery])
  }
  const tab = (name: 'signature' | 'body' | 'headers' | 'sends') => (state: AppState) => {
    state.detail.setTab(name)
  }
  switch (action) {
    case 'replay':
      return { icon: RotateCw, label: to === null ? 'Replay' : `Replay to ${to}`, run: replay }
    case 'replay-re-signed':
      return { icon: RotateCw, label: 'Replay re-signed', run: replay }
    case 'show-signature':
      return { icon: Shield, label: 'Show signature', run: tab('signature') }
    case 'show-code':
      return {
        icon: CodeXml,
        label: 'Show correct code',
        run: (state) => {
          state.detail.showSignature('code')
        },
      }
    case 'try-secret':
      return {
        icon: KeyRound,
        label: 'Try another secret…',
        run: (state) => {
          state.detail.showSignature('try')
        },
      }
    case 'edit-hook-url':
      return {
        icon: Webhook,
        label: 'Update hook URL…',
        run: (state) => {
          const hookId = signature?.hookId ?? delivery.hookId
          if (hookId !== null) state.hooks.editWithUrl(hookId, signature?.diagnosis?.signedUrl ?? '')
        },
      }
    case 'import-hook':
      return {
        icon: Download,
        label: delivery.verifiedHere ? 'Import the hook…' : 'Import its hook…',
        run: (state) => {
          const receiver = state.core.status?.receiver
          const url = signature?.diagnosis?.signedUrl ?? signature?.url ?? `${receiver?.url ?? ''}${delivery.path ?? ''}`
          state.hooks.beginImport({ url, event: delivery.event })
        },
      }
    case 'show-in-body':
      return {
        icon: Layers,
        label: 'Show in body',
        run: (state) => {
          const path = schema?.failures[0]?.path
          if (path !== undefined) state.body.showPath(delivery.id, path)
          state.detail.setTab('body')
        },
      }
    case 'show-body':
      return { icon: Layers, label: 'Show body', run: tab('body') }
    case 'show-headers':
      return { icon: Table2, label: 'Show headers', run: tab('headers') }
    case 'show-bytes':
      return {
        icon: Terminal,
        label: 'Show bytes',
        run: (state) => {
          state.detail.showRaw('request', 'hex')
        },
      }
    case 'show-response':
      return { icon: Server, label: 'Show response', run: showHandlerResponse(delivery) }
    case 'compare-previous':
      return {
        icon: GitCompareArrows,
        label: 'Compare with previous',
        run: (state) => {
          void state.compare.start(null, { kind: 'delivery', id: delivery.id })
        },
      }
    case 'compare-closest':
      return {
        icon: GitCompareArrows,
        label: `Compare with ${closest ?? ''}`,
        run: (state) => {
          if (closest !== null) void state.detail.compareWithEvent(closest)
        },
      }
    case 'send-sample':
      return {
        icon: Send,
        label: 'Send a signed sample',
        run: (state) => {
          void state.list.sendSample()
        },
      }
    case 'copy-https-url':
      return { icon: Copy, label: 'Copy HTTPS URL', run: (state) => state.core.status?.receiver.url ?? null }
    case 'copy-ca-path':
      return { icon: Copy, label: 'Copy path of ca.pem', run: (state) => state.core.status?.caFile ?? null }
  }
}

function showHandlerResponse({ handler }: Pick<Delivery, 'handler'>): (state: AppState) => void {
  return (state) => {
    state.detail.selectSend(handler?.sendId ?? null)
    state.detail.setTab('sends')
  }
}

interface ActionButtonProps {
  readonly action: SummaryAction
  readonly main: boolean
  readonly shown: Shown
  readonly closest: string | null
}

/** How long a button says that it copied. */
const COPIED_MS = 1_500

function ActionButton({ action, main, shown, closest }: ActionButtonProps) {
  const store = useAppStore()
  const to = useApp((state) => state.core.handlers.find(({ current }) => current)) ?? null
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => {
      setCopied(false)
    }, COPIED_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [copied])
  const { icon: Icon, label, run } = lookOfAction(action, shown, to === null ? null : handlerRef(to), closest)
  return (
    <Button
      kind={main ? 'primary' : 'plain'}
      icon={<Icon size={14} aria-hidden />}
      onClick={() => {
        const text = run(store.getState())
        if (typeof text === 'string') void copyText(text).then(setCopied)
      }}
    >
      {copied ? 'Copied' : label}
    </Button>
  )
}

interface CellProps {
  readonly name: string
  /** Beside the name. */
  readonly aside?: ReactNode
  readonly note?: ReactNode
  readonly className?: string
  /** The value that the context menu offers to filter by. */
  readonly menu?: MenuValue | null
  readonly children: ReactNode
}

/** A value in large type with its name above and a note below. */
function Cell({ name, aside, note, className = '', menu = null, children }: CellProps) {
  return (
    <div
      {...(menu === null ? {} : menuValue(menu))}
      className={`min-w-0 border-line px-5 py-3 not-last:border-r @max-[560px]:px-4 ${className}`}
    >
      <dt className="flex items-center gap-2 text-small text-subtle">
        <span className="flex-1">{name}</span>
        {aside}
      </dt>
      <dd className="mt-1 min-w-0">
        <div className="flex min-w-0 flex-wrap items-center gap-x-1.5 text-title font-medium">{children}</div>
        {note !== undefined && note !== null && <div className="mt-1 text-small wrap-anywhere text-muted">{note}</div>}
      </dd>
    </div>
  )
}

const cellsLook = 'grid border-b border-line'
const columns = ['', 'grid-cols-1', 'grid-cols-2', 'grid-cols-3 @max-[560px]:grid-cols-2'] as const

function Payload({ facts, delivery }: { readonly facts: PayloadFacts; readonly delivery: Delivery }) {
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
        <ExactText text={`${day === receivedAt.slice(0, 10) ? '' : `${day} `}${time.slice(0, 8)}`} />
      </span>
    </>
  )
}

/** The attempt, our response, and the handler's. */
function Exchange({ shown, handlerWords }: { readonly shown: Shown; readonly handlerWords: string | null }) {
  const { delivery } = shown
  const store = useAppStore()
  const rule = useApp((state) => acknowledgementRule(state.core.environments, delivery.environment))
  const responded = respondedLook(delivery, rule)
  /** A malformed request has neither attempts nor replays. */
  const isRead = delivery.malformed === null
  const showOwn = () => {
    store.getState().detail.showRaw('response')
  }
  const own = (
    <>
      <span className={`inline-flex items-center gap-1.5 font-mono ${verdictToneText[responded.tone]}`}>
        <ToneMark tone={responded.tone} />
        {answerWords(delivery.answer)}
      </span>
      {delivery.answer.ms !== null && <Small>in {milliseconds(delivery.answer.ms)} ms</Small>}
    </>
  )
  return (
    <>
      {isRead && (
        <dl aria-label="Responses" className={`${cellsLook} grid-cols-3 @max-[560px]:grid-cols-2`}>
          <AttemptCell shown={shown} />
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
      <p
        className={`flex flex-wrap items-center gap-x-2 border-b border-line px-5 py-2 text-small text-muted @max-[560px]:px-4 ${isRead ? '@min-[560px]:hidden' : ''}`}
      >
        <span className="text-subtle">Responded</span> {own} · {responded.note}
        <LinkButton label="Show response of Countersign" onClick={showOwn} />
      </p>
    </>
  )
}

function Small({ children }: { readonly children: ReactNode }) {
  return <span className="data font-normal text-muted">{children}</span>
}

/** A quiet button inside a text; `label` completes its words for screen readers. */
function LinkButton({
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

function AttemptCell({ shown: { delivery, attempts } }: { readonly shown: Shown }) {
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
            Responded <span className="data">{answerWords(before.answer)}</span> to attempt {attempt - 1}
          </>
        )
      }
    >
      <span className={`inline-flex items-center gap-1.5 font-mono ${attempt > 1 ? 'text-warn' : ''}`}>
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
  const first = '@max-[560px]:order-first @max-[560px]:border-r'
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
          onClick={() => {
            showHandlerResponse({ handler })(store.getState())
          }}
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
      {handler.status !== null && handler.ms !== null && <Small>in {milliseconds(handler.ms)} ms</Small>}
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

/** More findings are shown on request: a body of another event lacks every field. */
const SHOWN_AT_FIRST = 6

/** The result of the schema check: errors first, then notes, each with its section of the spec. */
function SchemaNotes({ report: { failures, findings } }: { readonly report: SchemaReport }) {
  const [all, setAll] = useState(false)
  const notes = [
    ...failures.map((note) => ({ ...note, isFailure: true })),
    ...findings.map((note) => ({ ...note, isFailure: false })),
  ]
  if (notes.length === 0) return null
  const shown = all ? notes : notes.slice(0, SHOWN_AT_FIRST)
  return (
    <div className="border-b border-line px-5 py-3 @max-[560px]:px-4">
      <ul aria-label="Schema findings" className="flex flex-col gap-1.5 text-small">
        {shown.map(({ isFailure, ...note }) => (
          <li key={`${note.path} ${note.message}`} className="flex gap-2">
            {isFailure ? (
              <CircleX size={13} role="img" aria-label="Error" className="mt-[1.5px] shrink-0 text-bad" />
            ) : (
              <Info size={13} role="img" aria-label="Note" className="mt-[1.5px] shrink-0 text-muted" />
            )}
            <span className="min-w-0 wrap-anywhere">
              <FindingText finding={note} />
            </span>
          </li>
        ))}
      </ul>
      {notes.length > shown.length && (
        <Button
          kind="quiet"
          className="mt-1 -ml-2.5 text-small"
          onClick={() => {
            setAll(true)
          }}
        >
          Show all {notes.length}
        </Button>
      )}
    </div>
  )
}

function Metadata({ shown: { delivery } }: { readonly shown: Shown }) {
  const { hook, editNote } = useAppParts((state) => ({
    hook: state.core.hooks.find((one) => one.id === delivery.hookId),
    editNote: state.marks.editNote,
  }))
  const event = eventSentence(delivery)
  const origin = originSentence(delivery)
  const isRead = delivery.malformed === null
  return (
    <dl
      aria-label="Metadata"
      className="grid grid-cols-[104px_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2 px-5 py-4 text-small text-muted @max-[560px]:px-4 @max-[480px]:grid-cols-[80px_minmax(0,1fr)]"
    >
      {origin !== null && <Item name="Origin">{origin}</Item>}
      {isRead && (
        <Item name="Hook" menu={hook === undefined ? null : { name: 'Hook', text: hook.url, term: termOf('hook', hook.id) }}>
          {hook === undefined ? (
            'None matched'
          ) : (
            <Copied text={hook.url} label="Copy hook URL">
              <ExactText text={hook.url} />
            </Copied>
          )}
        </Item>
      )}
      {delivery.environment !== null && (
        <Item
          name="Environment"
          menu={{ name: 'Environment', text: delivery.environment, term: termOf('environment', delivery.environment) }}
        >
          <span className="text-text">{delivery.environment}</span>
          {delivery.mode !== null && <> · {delivery.mode}</>}
        </Item>
      )}
      {isRead && (
        <>
          <Item name="Event" menu={rowValue(delivery, 'event')}>
            <span className="data text-text">
              <ExactText text={event.text} />
            </span>{' '}
            {event.note}
          </Item>
          <PurchaseItem delivery={delivery} />
          <ComparisonItems delivery={delivery} />
        </>
      )}
      {delivery.replayOf !== null && <ReplayOf id={delivery.replayOf} />}
      {delivery.flowRun !== null && <FlowItem flowRun={delivery.flowRun} />}
      <Item name="Request" menu={rowValue(delivery, 'path')}>
        <span className="data text-text">
          {delivery.method ?? '—'} <ExactText text={delivery.path ?? ''} />
        </span>
        {delivery.method !== null && <> HTTP/{delivery.httpVersion}</>}
        {delivery.remote !== null && (
          <>
            {' '}
            from <span className="data">{delivery.remote}</span>
          </>
        )}
      </Item>
      <Item name="Received" menu={rowValue(delivery, 'time')}>
        <span className="data text-text">{exactTime(delivery.receivedAt)}</span>
      </Item>
      <Item name="Size" menu={rowValue(delivery, 'size')}>
        <span className="data text-text">{delivery.bodySize.toLocaleString('en')}</span>{' '}
        {delivery.bodySize === 1 ? 'byte' : 'bytes'}, {delivery.headers.length}{' '}
        {delivery.headers.length === 1 ? 'header' : 'headers'}
        <SizeNote delivery={delivery} />
      </Item>
      <Item name="SHA-256" menu={{ name: 'SHA-256', text: delivery.bodySha256, term: termOf('sha256', delivery.bodySha256) }}>
        <Copied text={delivery.bodySha256} label="Copy SHA-256">
          <Middle text={delivery.bodySha256} tail={12} />
        </Copied>
      </Item>
      <Item name="ID" menu={{ name: 'ID', text: delivery.id, term: termOf('id', delivery.id) }}>
        <Copied text={delivery.id} label="Copy whole ID">
          {delivery.id}
        </Copied>
      </Item>
      <Item name="Note">
        {delivery.note !== null && (
          <span className="text-text">
            <ExactLines text={delivery.note} />{' '}
          </span>
        )}
        <LinkButton
          label={delivery.note === null ? 'Add note' : 'Edit note'}
          onClick={() => {
            editNote([delivery])
          }}
        >
          {delivery.note === null ? 'Add note' : 'Edit note'}
        </LinkButton>
      </Item>
    </dl>
  )
}

interface ItemProps {
  readonly name: string
  readonly menu?: MenuValue | null
  readonly children: ReactNode
}

function Item({ name, menu = null, children }: ItemProps) {
  return (
    <>
      <dt className="text-subtle">{name}</dt>
      <dd {...(menu === null ? {} : menuValue(menu))} className="min-w-0 wrap-anywhere">
        {children}
      </dd>
    </>
  )
}

function Copied({ text, label, children }: { readonly text: string; readonly label: string; readonly children: ReactNode }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <span className="data min-w-0 wrap-anywhere text-text">{children}</span>
      <CopyButton text={text} label={label} className="-my-1.5" />
    </span>
  )
}

function SizeNote({ delivery: { truncated, bodyLost } }: { readonly delivery: Delivery }) {
  const note = bodyLost
    ? 'Body lost: its database page was damaged.'
    : truncated
      ? 'Over the size limit: only the start was kept.'
      : null
  return note === null ? null : <span className="text-warn">. {note}</span>
}

/** How far the purchase has come, with a link to its lifecycle. */
function PurchaseItem({ delivery }: { readonly delivery: Delivery }) {
  const { lifecycle, readLifecycle, setTab } = useAppParts((state) => ({
    lifecycle: state.detail.lifecycle?.id === delivery.id ? state.detail.lifecycle.value : null,
    readLifecycle: state.detail.readLifecycle,
    setTab: state.detail.setTab,
  }))
  useEffect(() => {
    void readLifecycle(delivery.id)
  }, [readLifecycle, delivery.id])
  if (lifecycle === null || lifecycle.kind === 'none') return null
  return (
    <Item name={subjectWord(lifecycle)}>
      <span className="text-text">{stageWords(lifecycle)}</span>{' '}
      {lifecycle.missing[0] !== undefined && <ExactText text={`${lifecycle.missing[0].message} `} />}
      <LinkButton
        label="Show lifecycle"
        onClick={() => {
          setTab('lifecycle')
        }}
      >
        Show lifecycle
      </LinkButton>
    </Item>
  )
}

/** `Auth only.`, `Auth, clearing and refund.` */
function stageWords({ stages }: Lifecycle): string {
  const names = [...new Set(stages.map(({ name }) => name))].map((name, index) =>
    index === 0 ? name : name.charAt(0).toLowerCase() + name.slice(1),
  )
  if (names.length === 1) return `${names[0]} only.`
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`
}

/** The flow that caused the delivery: links to its run, at this step. */
function FlowItem({ flowRun: { flow, run, step } }: { readonly flowRun: NonNullable<DeliveryRow['flowRun']> }) {
  return (
    <Item name="Flow">
      <a
        href={printAddress({ screen: 'flows', flow: { name: flow, isFile: false }, run, step })}
        className="font-medium text-accent hover:underline"
      >
        <ExactText text={flow} />
      </a>
      {step !== null && (
        <>
          , step <ExactText text={step} />
        </>
      )}
    </Item>
  )
}

/** A request sent by the app itself: links to the delivery it repeats. */
function ReplayOf({ id }: { readonly id: string }) {
  const goToDelivery = useApp((state) => state.detail.goTo)
  return (
    <Item name="Replay of">
      <span className="data text-text">{shortIdOf(id)}</span> sent by Countersign: a replay, or a forwarded delivery.{' '}
      <LinkButton label="Open original" onClick={() => void goToDelivery(id)}>
        Open original
      </LinkButton>
    </Item>
  )
}

/** Earlier deliveries worth comparing with, most likely first. */
function ComparisonItems({ delivery: { id: deliveryId, seq, receivedAt } }: { readonly delivery: Delivery }) {
  const { offers, readOffers, compare, goTo } = useAppParts((state) => ({
    offers: state.detail.comparisonOffers?.id === deliveryId ? state.detail.comparisonOffers : null,
    readOffers: state.detail.readOffers,
    compare: state.compare.start,
    goTo: state.detail.goTo,
  }))
  useEffect(() => {
    void readOffers(deliveryId)
  }, [readOffers, deliveryId])
  if (offers === null) return <Item name="Compare with">{'\u00a0'}</Item>
  if (offers.value === null) return <Item name="Compare with">{offers.problem}</Item>
  if (offers.value.length === 0) return <Item name="Compare with">Nothing earlier to compare with.</Item>
  return (
    <Item name="Compare with">
      <ul className="flex flex-col gap-1">
        {offers.value.map(({ name, delivery: other }) => (
          <li key={other.id} className="wrap-anywhere">
            <button
              type="button"
              title={`Open ${other.id}`}
              className="data rounded-small text-text hover:underline"
              onClick={() => void goTo(other.id)}
            >
              {shortIdOf(other.id)}
            </button>{' '}
            {name}, {gapWords(Date.parse(receivedAt) - Date.parse(other.receivedAt))}.{' '}
            <LinkButton
              label={`Compare with ${name}`}
              onClick={() => {
                // The earlier delivery is on the left.
                const [left, right] = other.seq < seq ? [other.id, deliveryId] : [deliveryId, other.id]
                void compare({ kind: 'delivery', id: left }, { kind: 'delivery', id: right })
              }}
            >
              Compare
            </LinkButton>
          </li>
        ))}
      </ul>
    </Item>
  )
}

function gapWords(ms: number): string {
  return `${duration(ms)} ${ms < 0 ? 'later' : 'earlier'}`
}
