/** A delivery at a glance: verdict, cause and action; the facts, the outcomes, failed checks; and everything else. */
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  CircleX,
  Clock,
  FileText,
  Info,
  RotateCw,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import { useId, useMemo, useState, type ReactNode } from 'react'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import {
  type Delivery,
  type DeliveryRow,
  type SchemaReport,
  ALTERED_BODY,
  senderOf,
} from '../../../shared/model/delivery.ts'
import { isDeletedHook } from '../../../shared/model/hook.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { subjectWord, type Lifecycle } from '../../../shared/model/lifecycle.ts'
import { prefixEffect } from '../../../shared/model/signature.ts'
import { termOf } from '../../../shared/query/terms.ts'
import { isExhausted, MAX_ATTEMPTS } from '../../../shared/service/limits.ts'
import { closestEvent } from '../../../shared/service/payload.ts'
import { writtenAmount } from '../../../shared/text/amount.ts'
import { capitalized, counted, uncapitalized } from '../../../shared/text/counted.ts'
import type { Notice } from '../../core-data/act.ts'
import { useRead } from '../../core-data/use-read.ts'
import { acknowledgementRule } from '../../ui-state/environments.ts'
import { rowValue } from '../../ui-state/delivery-actions.ts'
import { menuValue, type MenuValue } from '../../ui-state/menu-slice.ts'
import { printAddress } from '../../ui-state/routes.ts'
import type { AppState } from '../../ui-state/store.ts'
import { useAppParts, useAppStore, useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { fromBase64 } from '../../ui/bytes.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Disclosure, DisclosureButton } from '../../ui/disclosure.tsx'
import { ExactText, ExactLines, Middle } from '../../ui/exact-text.tsx'
import { FindingText, QuotedText } from '../../ui/finding-text.tsx'
import { ago, exactTime, milliseconds, duration, useNow } from '../../ui/moment.ts'
import {
  attemptTone,
  handlerStatus,
  VerdictGlyph,
  verdictToneText,
  type VerdictTone,
} from '../../ui/verdict.tsx'
import {
  answerWords,
  checksOf,
  deliverySummary,
  factsOfRow,
  isCertain,
  payloadFacts,
  responseStatus,
  responseMessage,
  summaryOfRow,
  type DeliverySummary,
  type PayloadFacts,
  type ShownCheck,
  type SummaryAction,
  eventSentence,
  originSentence,
} from './summary.ts'
import { useSigner, type Shown } from './use-delivery.ts'

export function OverviewTab({ shown }: { readonly shown: Shown }) {
  const { delivery, loaded, signature, schema, attempts, body } = shown
  const signer = useSigner(shown)
  const rule = useApp((state) => acknowledgementRule(state.core.environments, delivery.environment))
  const sendId = delivery.handler?.sendId
  const answer = useRead('replay.send', loaded && sendId !== undefined ? { id: sendId } : null)
  const facts = useMemo(
    () => (loaded ? payloadFacts(body.bytes) : factsOfRow(delivery)),
    [loaded, delivery, body.bytes],
  )
  const isUnknown = delivery.event === null && delivery.eventCandidates.length === 0
  const closest = useMemo(
    () => (isUnknown && loaded ? closestEvent(body.bytes) : null),
    [isUnknown, loaded, body.bytes],
  )
  const handlerWords = useMemo(
    () => (answer.output === undefined ? null : responseMessage(fromBase64(answer.output.base64))),
    [answer.output],
  )
  const schemaErrors = schema?.failures.map(({ message }) => message) ?? null
  const summary = deliverySummary({
    delivery,
    signature,
    schemaErrors,
    ...signer,
    closest,
    handlerWords,
    isAbandoned:
      delivery.origin === 'received' &&
      delivery.malformed === null &&
      [delivery, ...attempts].some((row) => isExhausted(row, rule)),
  })
  const isSure = loaded || isCertain(summary)
  return (
    <div
      className="h-full overflow-auto"
      tabIndex={0}
      role="group"
      aria-label="Overview"
      aria-busy={!loaded}
    >
      <Headline
        shown={shown}
        summary={loaded ? summary : summaryOfRow(summary, delivery)}
        closest={closest?.event ?? null}
        isSure={isSure}
      />
      {isSure && facts !== null && <Payload facts={facts} delivery={delivery} />}
      {isSure && (loaded || facts !== null) && (
        <Outcomes shown={shown} rule={rule} handlerWords={handlerWords} />
      )}
      {loaded && (
        <>
          <Checks
            key={delivery.id}
            checks={checksOf(summary, delivery, signature, schemaErrors?.length ?? null)}
            schema={schema}
            onShow={(path) => (state) => state.detail.showPath(delivery.id, path)}
          />
          <Disclosure title="More facts" openAtFirst>
            <MoreFacts shown={shown} />
          </Disclosure>
        </>
      )}
    </div>
  )
}

const headlineIcons: Readonly<Record<DeliverySummary['kind'], LucideIcon>> = {
  malformed: TriangleAlert,
  abandoned: CircleX,
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

function Headline({
  shown,
  summary: { kind, headline, cause, tone, wash, urls, action },
  closest,
  isSure,
}: {
  readonly shown: Shown
  readonly summary: DeliverySummary
  readonly closest: string | null
  readonly isSure: boolean
}) {
  const store = useAppStore()
  const Icon = headlineIcons[kind]
  const { label, run } = buttonOfAction(action, shown, closest)
  return (
    <section
      aria-label="Summary"
      className={`grid grid-cols-[20px_minmax(0,1fr)] gap-x-3 border-b border-line p-5 pt-4 pb-4 @max-[560px]:px-4 ${wash === null ? '' : washes[wash]}`}
    >
      <Icon
        size={20}
        strokeWidth={1.75}
        className={`mt-1 @max-[560px]:mt-0 ${verdictToneText[tone]}`}
      />
      <div className="min-w-0">
        <p className="text-display font-medium tracking-[-0.01em] wrap-anywhere @max-[560px]:text-title @max-[560px]:tracking-normal">
          <ExactText text={headline} />
        </p>
        <p className="mt-1 text-muted wrap-anywhere">
          <QuotedText text={cause} />
        </p>
        {urls !== null && <ComparedUrls {...urls} />}
        <div className="mt-3 min-h-7">
          {isSure && (
            <Button kind="primary" onClick={() => run(store.getState())}>
              {label}
            </Button>
          )}
        </div>
      </div>
    </section>
  )
}

/** Marks the part that only the signed URL has. */
function ComparedUrls({
  signed,
  registered,
}: {
  readonly signed: string
  readonly registered: string
}) {
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
  while (same < most - start && one[one.length - 1 - same] === other[other.length - 1 - same])
    same++
  return [start, one.length - same]
}

interface ActionButton {
  readonly label: string
  readonly run: (state: AppState) => unknown
}

/** Time in which a changed prefix can be undone, in milliseconds. */
const PREFIX_UNDO_MS = 15_000

/** Until the signature's report is loaded. */
const NO_PREFIX = { prefix: '', environment: '', mode: 'test' } as const

/** The button of an action: its words, and what it does. `closest`: the event that an unknown body is closest to. */
export function buttonOfAction(
  action: SummaryAction,
  { delivery, signature, schema }: Pick<Shown, 'delivery' | 'signature' | 'schema'>,
  closest: string | null,
): ActionButton {
  const tab = (name: 'signature' | 'body' | 'headers' | 'history') => (state: AppState) =>
    state.detail.setTab(name)
  const { prefix, environment } = signature?.unknownPrefix ?? NO_PREFIX
  const buttons: Readonly<Record<SummaryAction, ActionButton>> = {
    'replay-re-signed': {
      label: 'Replay re-signed',
      run: (state) => state.replay.again([delivery]),
    },
    'show-signature': { label: 'Show signature', run: tab('signature') },
    'show-code': {
      label: 'Show correct code',
      run: (state) => state.detail.showSignature('code'),
    },
    'try-secret': {
      label: 'Try another secret…',
      run: (state) => state.detail.showSignature('try'),
    },
    'edit-hook-url': {
      label: 'Update hook URL…',
      run(state) {
        const hookId = signature?.hookId ?? delivery.hookId
        if (hookId !== null)
          state.hooks.open('edit-hook', { url: signature?.diagnosis?.signedUrl ?? '' }, hookId)
      },
    },
    'import-hook': {
      label: delivery.verifiedHere ? 'Import the hook…' : 'Import its hook…',
      run(state) {
        const url =
          signature?.diagnosis?.signedUrl ??
          signature?.url ??
          `${state.core.status?.receiver.url ?? ''}${delivery.path ?? ''}`
        state.hooks.open('import-hook', { url, event: delivery.event ?? undefined })
      },
    },
    'use-prefix': {
      label: `Use ${prefix} in ${environment}`,
      run(state) {
        const { act, client } = state.data
        const before = state.core.environments.find(({ name }) => name === environment)?.prefix
        const change = (chosen: string, done?: () => Notice) =>
          act(
            `Couldn't change ${environment}`,
            () => client.call('environments.update', { name: environment, prefix: chosen }),
            done && { done },
          )
        return change(prefix, () => ({
          tone: 'ok',
          title: `${environment} uses ${prefix}`,
          message: prefixEffect(prefix, 'now').replaceAll('`', ''),
          ...(before === undefined
            ? {}
            : state.marks.offerUndo(() => void change(before), PREFIX_UNDO_MS)),
        }))
      },
    },
    'show-in-body': {
      label: 'Show in body',
      run: (state) => state.detail.showPath(delivery.id, schema?.failures[0]?.path ?? ''),
    },
    'show-body': { label: 'Show body', run: tab('body') },
    'show-headers': { label: 'Show headers', run: tab('headers') },
    'show-history': { label: 'Show attempts', run: tab('history') },
    'show-bytes': {
      label: 'Show bytes',
      run: (state) => state.detail.showRaw('request', 'hex'),
    },
    'show-response': {
      label: 'Show response',
      run: (state) => state.detail.showSend(delivery.handler?.sendId ?? null),
    },
    'compare-closest': {
      label: `Compare with ${closest ?? ''}`,
      run: (state) => closest !== null && state.detail.compareWithEvent(closest),
    },
    'send-sample': { label: 'Send a signed sample', run: (state) => state.list.sendSample() },
    'copy-https-url': {
      label: 'Copy HTTPS URL',
      run: (state) => state.menu.copy(state.core.status?.receiver.url ?? '', 'Copied the URL'),
    },
    'copy-ca-path': {
      label: 'Copy path of ca.pem',
      run: (state) => state.menu.copy(state.core.status?.caFile ?? '', 'Copied the path'),
    },
  }
  return buttons[action]
}

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

// Each cell's left border covers the line before it, and the first of each row is cut off.
const cellsStyle = 'grid auto-cols-fr grid-flow-col overflow-x-clip border-b border-line'

function Payload({
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
            {writtenAmount(amount, currency)} {currency !== null && <ExactText text={currency} />}
          </span>
        </Cell>
      )}
      {merchant !== null && (
        <Cell name="Merchant" menu={rowValue(delivery, 'merchant')}>
          <ExactText text={merchant} />
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

function Outcomes({
  shown: { delivery, attempts },
  rule,
  handlerWords,
}: {
  readonly shown: Shown
  readonly rule: Environment['ack']
  readonly handlerWords: string | null
}) {
  const { detail } = useAppStore().getState()
  const { tone, note } = responseStatus(delivery, rule)
  const Icon = toneMarks[tone]
  return (
    <dl aria-label="Responses" className={cellsStyle}>
      <Cell name="Responded" menu={rowValue(delivery, 'responded')} note={note}>
        <Answer
          label="Show response of Countersign"
          tone={tone}
          ms={delivery.answer.ms}
          onClick={() => detail.showRaw('response')}
        >
          {Icon !== null && <Icon size={16} className="shrink-0" />}
          {answerWords(delivery)}
        </Answer>
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

/** A status that opens its response, and how long it took. */
function Answer({
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
        className={`inline-flex items-center gap-1.5 rounded-small font-mono font-medium hover:underline ${verdictToneText[tone]}`}
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

/** What the user's handler last returned, when, and whether that is right. */
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
      <Cell name="My handler" note="No response recorded">
        <span className="text-muted">–</span>
      </Cell>
    )
  const { word, tone, drawing, reason, from } = handlerStatus({ ...delivery, handler })
  return (
    <Cell
      name="My handler"
      menu={rowValue({ ...delivery, handler }, 'handler')}
      note={
        <>
          <span title={reason} className="line-clamp-2">
            {words === null ? reason : `Returned ${words}`}{' '}
          </span>
          <ExactText text={from} />
          {handler.at !== null && (
            <time dateTime={handler.at} title={exactTime(handler.at)}>
              , {ago(handler.at, now)}
            </time>
          )}
        </>
      }
    >
      <Answer
        label="Show response of my handler"
        tone={tone}
        ms={handler.status === null ? null : handler.ms}
        onClick={() => detail.showSend(handler.sendId)}
      >
        <VerdictGlyph drawing={drawing} large />
        {word}
      </Answer>
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
            Responded <span className="data">{answerWords(before)}</span> to attempt {attempt - 1}
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

/** More findings are shown on request: a body of another event lacks every field. */
const SHOWN_AT_FIRST = 6

const checkIcons: Readonly<Record<VerdictTone, LucideIcon>> = {
  ok: CircleCheck,
  bad: CircleX,
  warn: Clock,
  quiet: Info,
}

/** What failed, with each schema error; what passed and the notes about the schema are folded. */
function Checks({
  checks,
  schema,
  onShow,
}: {
  readonly checks: readonly ShownCheck[]
  readonly schema: SchemaReport | null
  readonly onShow: (path: string) => (state: AppState) => void
}) {
  const store = useAppStore()
  const [all, setAll] = useState(false)
  const [open, setOpen] = useState(false)
  const id = useId()
  const { failures, findings } = schema ?? { failures: [], findings: [] }
  const failed = checks.filter(({ tone }) => tone !== 'ok')
  const passed = checks.filter(({ tone }) => tone === 'ok')
  const folded = [
    ...(passed.length > 0 ? [`${counted(passed.length, 'check')} passed`] : []),
    ...(findings.length > 0 ? [counted(findings.length, 'note')] : []),
  ]
  const shown = all ? failures : failures.slice(0, SHOWN_AT_FIRST)
  return (
    <div className="text-small">
      {(failed.length > 0 || failures.length > 0) && (
        <ul
          aria-label="Failed checks"
          className="flex flex-col gap-1.5 px-5 pt-3 pb-2 @max-[560px]:px-4"
        >
          {failed.map((check) => (
            <CheckRow key={check.text} tone={check.tone}>
              <ExactText text={check.text} />
            </CheckRow>
          ))}
          {shown.map((note) => (
            <CheckRow key={`${note.path} ${note.message}`} tone="bad" word="Error">
              <FindingText finding={note} />{' '}
              <LinkButton
                label={`Show in body: ${note.path}`}
                onClick={() => onShow(note.path)(store.getState())}
              >
                Show in body
              </LinkButton>
            </CheckRow>
          ))}
          {failures.length > shown.length && (
            <li>
              <Button kind="quiet" className="-ml-2.5 text-small" onClick={() => setAll(true)}>
                Show all {failures.length}
              </Button>
            </li>
          )}
        </ul>
      )}
      {folded.length > 0 && (
        <>
          <DisclosureButton
            open={open}
            content={id}
            onToggle={setOpen}
            className="gap-2 px-5 text-muted @max-[560px]:px-4"
          >
            {folded.join(', ')}
          </DisclosureButton>
          {open && (
            <ul id={id} aria-label="Passed checks" className="flex flex-col gap-1.5 px-5 pb-3">
              {passed.map(({ tone, text }) => (
                <CheckRow key={text} tone={tone}>
                  <ExactText text={text} />
                </CheckRow>
              ))}
              {findings.map((note) => (
                <CheckRow key={`${note.path} ${note.message}`} tone="quiet" word="Note">
                  <FindingText finding={note} />
                </CheckRow>
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  )
}

function CheckRow({
  tone,
  word,
  children,
}: {
  readonly tone: VerdictTone
  readonly word?: string
  readonly children: ReactNode
}) {
  const Icon = checkIcons[tone]
  return (
    <li className="flex min-w-0 gap-2">
      <Icon
        size={14}
        {...(word === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': word })}
        className={`mt-px shrink-0 ${verdictToneText[tone]}`}
      />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </li>
  )
}

// Everything else about a delivery: where it came from, what it belongs to, and deliveries to compare it with.

function MoreFacts({ shown: { delivery, signature } }: { readonly shown: Shown }) {
  const { hook, editNote } = useAppParts((state) => ({
    hook: state.core.hooks.find((one) => one.id === delivery.hookId),
    editNote: state.marks.editNote,
  }))
  const event = eventSentence(delivery)
  const origin = originSentence(delivery)
  const sender = senderOf(delivery)
  return (
    <dl
      aria-label="More facts"
      className="grid grid-cols-[104px_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2 text-small text-muted @max-[480px]:grid-cols-[80px_minmax(0,1fr)]"
    >
      {origin !== null && <Item name="Origin">{origin}</Item>}
      {delivery.malformed === null && (
        <>
          <Item
            name="Hook"
            menu={
              hook === undefined
                ? null
                : { name: 'Hook', text: hook.url, term: termOf('hook', hook.id) }
            }
          >
            {hook === undefined ? (
              'None matched'
            ) : (
              <Copied text={hook.url} label="Copy hook URL">
                <ExactText text={hook.url} />
                {isDeletedHook(hook) && ' (deleted)'}
                {signature?.hookInferred === true && ` (probably the ${hook.event} hook)`}
              </Copied>
            )}
          </Item>
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
      {delivery.environment !== null && (
        <Item
          name="Environment"
          menu={{
            name: 'Environment',
            text: delivery.environment,
            term: termOf('environment', delivery.environment),
          }}
        >
          <span className="text-text">{delivery.environment}</span>
          {delivery.mode !== null && <> · {delivery.mode}</>}
        </Item>
      )}
      {delivery.replayOf !== null && <ReplayOf id={delivery.replayOf} />}
      {delivery.flowRun !== null && <FlowItem flowRun={delivery.flowRun} />}
      <Item name="Request" menu={rowValue(delivery, 'path')}>
        <span className="data text-text">
          {delivery.method ?? '—'} <ExactText text={delivery.path ?? ''} />
        </span>
        {delivery.method !== null && <> HTTP/{delivery.httpVersion}</>}
        {sender !== null && (
          <>
            {' '}
            from <span className="data">{sender}</span>
          </>
        )}
      </Item>
      <Item name="Received" menu={rowValue(delivery, 'time')}>
        <span className="data text-text">{exactTime(delivery.receivedAt)}</span>
      </Item>
      {delivery.judgedAt !== null && (
        <Item name="Judged again">
          <span className="data text-text">{exactTime(delivery.judgedAt)}</span>
        </Item>
      )}
      <Item name="Size" menu={rowValue(delivery, 'size')}>
        <span className="data text-text">{delivery.bodySize.toLocaleString('en')}</span>{' '}
        {delivery.bodySize === 1 ? 'byte' : 'bytes'}
        <SizeNote delivery={delivery} />
      </Item>
      <Item
        name="SHA-256"
        menu={{
          name: 'SHA-256',
          text: delivery.bodySha256,
          term: termOf('sha256', delivery.bodySha256),
        }}
      >
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
        <LinkButton onClick={() => editNote([delivery])}>
          {delivery.note === null ? 'Add note' : 'Edit note'}
        </LinkButton>
      </Item>
    </dl>
  )
}

function Item({
  name,
  menu = null,
  children,
}: {
  readonly name: string
  readonly menu?: MenuValue | null
  readonly children: ReactNode
}) {
  return (
    <>
      <dt className="text-subtle">{name}</dt>
      <dd {...(menu === null ? {} : menuValue(menu))} className="min-w-0 wrap-anywhere">
        {children}
      </dd>
    </>
  )
}

function Copied({
  text,
  label,
  children,
}: {
  readonly text: string
  readonly label: string
  readonly children: ReactNode
}) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <span className="data min-w-0 wrap-anywhere text-text">{children}</span>
      <CopyButton text={text} label={label} className="-my-1.5" />
    </span>
  )
}

function SizeNote({
  delivery: { truncated, bodyLost, bodyAltered },
}: {
  readonly delivery: Delivery
}) {
  const note = bodyLost
    ? 'Body lost: its database page was damaged.'
    : bodyAltered
      ? ALTERED_BODY
      : truncated
        ? 'Over the size limit: only the start was kept.'
        : null
  return note === null ? null : <span className="text-warn">. {note}</span>
}

function PurchaseItem({ delivery }: { readonly delivery: Delivery }) {
  const setTab = useApp((state) => state.detail.setTab)
  const { output: lifecycle } = useRead('lifecycle.get', { deliveryId: delivery.id })
  if (lifecycle === undefined || lifecycle.kind === 'none') return null
  return (
    <Item name={subjectWord(lifecycle)}>
      <span className="text-text">{stageWords(lifecycle)}</span>{' '}
      {lifecycle.missing[0] !== undefined && (
        <ExactText text={`${lifecycle.missing[0].message} `} />
      )}
      <LinkButton onClick={() => setTab('history')}>Show history</LinkButton>
    </Item>
  )
}

/** `Auth only.`, `Auth, clearing and refund.` */
function stageWords({ stages }: Lifecycle): string {
  const names = [...new Set(stages.map(({ name }) => name))].map((name, index) =>
    index === 0 ? name : uncapitalized(name),
  )
  if (names.length === 1) return `${names[0]} only.`
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`
}

/** A quiet button inside a text; `label` completes its words for screen readers. */
function LinkButton({
  label,
  onClick,
  children,
}: {
  readonly label?: string
  readonly onClick: () => void
  readonly children: ReactNode
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

/** The flow that caused the delivery: links to its run, at this step. */
function FlowItem({
  flowRun: { flow, run, step },
}: {
  readonly flowRun: NonNullable<DeliveryRow['flowRun']>
}) {
  return (
    <Item name="Flow">
      <a
        href={printAddress('flows', { flow, run, step: step ?? undefined })}
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
  const go = useApp((state) => state.navigation.go)
  return (
    <Item name="Replay of">
      <span className="data text-text">{shortIdOf(id)}</span> sent by Countersign: a replay, or a
      forwarded delivery.{' '}
      <LinkButton onClick={() => go('deliveries', { id })}>Open original</LinkButton>
    </Item>
  )
}

/** Earlier deliveries worth comparing with, most likely first. */
function ComparisonItems({
  delivery: { id: deliveryId, seq, receivedAt },
}: {
  readonly delivery: Delivery
}) {
  const { compare, go } = useAppParts((state) => ({
    compare: state.compare.start,
    go: state.navigation.go,
  }))
  const { output, problem, readAgain } = useRead('compare.offers', { deliveryId })
  if (problem !== null)
    return (
      <Item name="Compare with">
        {problem} <LinkButton onClick={readAgain}>Try again</LinkButton>
      </Item>
    )
  if (output === undefined)
    return (
      <Item name="Compare with">
        <span className="late text-subtle">Loading…</span>
      </Item>
    )
  if (output.offers.length === 0)
    return <Item name="Compare with">Nothing earlier to compare with.</Item>
  return (
    <Item name="Compare with">
      <ul className="flex flex-col gap-1">
        {output.offers.map(({ name, delivery: other }) => (
          <li key={other.id} className="wrap-anywhere">
            <button
              type="button"
              title={`Open ${other.id}`}
              className="data rounded-small text-text hover:underline"
              onClick={() => go('deliveries', { id: other.id })}
            >
              {shortIdOf(other.id)}
            </button>{' '}
            {name}, {gapWords(Date.parse(receivedAt) - Date.parse(other.receivedAt))}.{' '}
            <LinkButton
              label={`Compare with ${name}`}
              onClick={() => {
                // The earlier delivery is on the left.
                const [left, right] =
                  other.seq < seq ? [other.id, deliveryId] : [deliveryId, other.id]
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
