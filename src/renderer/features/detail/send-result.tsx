/** The result of a replay: where the time went, the complete response, how it differs from another, and the request. */
import { GitCompareArrows, ShieldQuestionMark } from 'lucide-react'
import { useMemo, useState } from 'react'
import { utf8Text } from '../../../shared/body/encoding.ts'
import { compareStructure, compareText, headerRows } from '../../../shared/diff/compare-bodies.ts'
import type { VolatileFields } from '../../../shared/diff/rows.ts'
import { differenceLines } from '../../../shared/diff/written.ts'
import {
  changeWords,
  isAccepted,
  isRejected,
  responseWords,
} from '../../../shared/model/outcomes.ts'
import { signedUrlOf } from '../../../shared/model/replay-edits.ts'
import type { Send, SendAnswer, SentRequest } from '../../../shared/model/send.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { concatenated, fromBase64, fromLatin1 } from '../../ui/bytes.ts'
import { classNames } from '../../ui/class-names.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts, Quiet } from '../../ui/name-value-table.tsx'
import { SelectField } from '../../ui/field.tsx'
import { byteSize, clockTime, milliseconds } from '../../ui/moment.ts'
import { Segments } from '../../ui/segments.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { BodyBytes } from '../body/index.ts'
import { headOf, HeaderTable } from './raw-tab.tsx'

/** The response is one of several entries that scroll together. */
const MOST_ROWS = 16

type View = 'body' | 'headers' | 'change' | 'request'

const views: readonly { readonly value: View; readonly label: string }[] = [
  { value: 'body', label: 'Response' },
  { value: 'headers', label: 'Response headers' },
  { value: 'change', label: 'Changes' },
  { value: 'request', label: 'Request' },
]

/** `sends`: all begun replays of the delivery, oldest first. */
export function ReplayResult({
  send,
  sends,
}: {
  readonly send: Send
  readonly sends: readonly Send[]
}) {
  const [view, setView] = useState<View>('body')
  const isOver = send.state !== 'waiting' && send.state !== 'under-way'
  const { output: answer, problem } = useRead('replay.send', isOver ? { id: send.id } : null)
  const others = sends.filter(({ id, state }) => id !== send.id && state === 'settled').toReversed()
  return (
    <section aria-label="Result" className="mt-1 mb-2 border-b border-line/60 pb-2">
      <Sentences send={send} />
      <SendFacts send={send} />
      {problem !== null && (
        <p role="alert" className="text-bad">
          Couldn't load the response: {problem}
        </p>
      )}
      {answer !== undefined && (
        <>
          <div className="flex min-h-10 flex-wrap items-center gap-2 py-1">
            <Segments label="Result view" options={views} value={view} onChange={setView} />
            <span className="text-small text-subtle">{noteOf(view, answer)}</span>
            <span className="ml-auto flex gap-1">
              {view !== 'change' && others.some(isOlderThan(send)) && (
                <Button kind="quiet" icon={GitCompareArrows} onClick={() => setView('change')}>
                  Compare with previous replay
                </Button>
              )}
              <AddAuthority send={send} />
            </span>
          </div>
          <Content view={view} answer={answer} before={sendBefore(others, send)} others={others} />
        </>
      )}
    </section>
  )
}

/** The previous finished send to the same target with the same changes: the one that the outcome is compared with. */
function sendBefore(others: readonly Send[], send: Send): Send | null {
  const isAlike = (one: Send) =>
    isOlderThan(send)(one) &&
    one.target === send.target &&
    one.tamper === send.tamper &&
    one.edited.join() === send.edited.join()
  return others.find(isAlike) ?? null
}

function Sentences({ send }: { readonly send: Send }) {
  const said = [
    send.state === 'settled' ? responseWords(send.status, send.ms) : null,
    send.error,
    answerAdvice(send),
    send.state === 'uncertain'
      ? 'Countersign stopped during this send, so it may have arrived. It was sent again.'
      : null,
    send.certificateProblem === null
      ? null
      : `The endpoint's certificate isn't trusted (${send.certificateProblem}). Accepted because it's on this computer.`,
  ].filter((sentence) => sentence !== null)
  return said.map((sentence) => (
    <p key={sentence} className="mt-0.5 max-w-[680px] wrap-anywhere text-muted">
      <ExactText text={sentence} />
    </p>
  ))
}

function SendFacts({ send }: { readonly send: Send }) {
  const kept = send.edited.includes('signature')
  return (
    <div className="mt-2">
      <Facts>
        <Fact name="Sent to">
          <span className="data">
            <ExactText text={send.target} />
          </span>
        </Fact>
        <Fact name="Signed URL">
          {send.registeredUrl === null ? (
            <span className="text-muted">
              {kept || send.tamper === 'no-signature' ? 'not re-signed' : 'not signed'}
            </span>
          ) : (
            <span className="data">
              <ExactText text={signedUrlOf(send.registeredUrl, send.tamper)} />
            </span>
          )}
        </Fact>
        {send.phases !== null && (
          <Fact name="Time">
            <span className="data">
              connect {milliseconds(send.phases.connect)} ms, wait {milliseconds(send.phases.wait)}{' '}
              ms, read {milliseconds(send.phases.body)} ms
            </span>
          </Fact>
        )}
      </Facts>
    </div>
  )
}

function noteOf(view: View, answer: SendAnswer): string {
  const size = fromBase64(answer.base64).length
  if (view === 'body') return answer.truncated ? `first ${byteSize(size)}` : byteSize(size)
  if (view === 'request' && answer.request !== null) return 'without connection headers'
  return ''
}

interface ContentProps {
  readonly view: View
  readonly answer: SendAnswer
  /** The send that its outcome is compared with. */
  readonly before: Send | null
  /** Every other finished send of the delivery, newest first. */
  readonly others: readonly Send[]
}

function Content({ view, answer, before, others }: ContentProps) {
  const bytes = useMemo(() => fromBase64(answer.base64), [answer])
  switch (view) {
    case 'body':
      if (answer.status === null) return <Quiet>No response.</Quiet>
      return bytes.length === 0 ? (
        <Quiet>Empty body.</Quiet>
      ) : (
        <BodyBytes label="Response" bytes={bytes} cut={answer.truncated} mostRows={MOST_ROWS} />
      )
    case 'headers':
      return answer.headers.length === 0 ? (
        <Quiet>No headers.</Quiet>
      ) : (
        <HeaderTable
          label="Response headers"
          headers={answer.headers}
          receivedAt={answer.startedAt ?? ''}
        />
      )
    case 'change':
      return <AnswerChange answer={answer} before={before} others={others} />
    case 'request':
      return answer.request === null ? (
        <Quiet>
          {answer.state === 'uncertain' ? 'Unknown how much was sent.' : 'Nothing went out.'}
        </Quiet>
      ) : (
        <Request request={answer.request} target={answer.target} />
      )
  }
}

function Request({ request, target }: { readonly request: SentRequest; readonly target: string }) {
  const bytes = useMemo(() => requestBytes(request, target), [request, target])
  return (
    <BodyBytes label="Request" bytes={bytes} cut={request.truncated} asSent mostRows={MOST_ROWS} />
  )
}

function requestBytes(
  { method, headers, base64 }: SentRequest,
  target: string,
): Uint8Array<ArrayBuffer> {
  const { pathname, search } = new URL(target)
  return concatenated([
    fromLatin1(headOf(`${method} ${pathname}${search} HTTP/1.1`, headers)),
    fromBase64(base64),
  ])
}

/** Offers to trust the endpoint's certificate, if that is what failed. */
function AddAuthority({ send }: { readonly send: Send }) {
  const compose = useApp((state) => state.replay.compose)
  const { output: delivery } = useRead('deliveries.get', { id: send.deliveryId })
  if (send.errorKind !== 'certificate' || send.kind !== 'replay' || delivery === undefined)
    return null
  return (
    <Button
      kind="quiet"
      icon={ShieldQuestionMark}
      onClick={() => compose({ kind: 'rows', rows: [delivery], wantsAuthority: true })}
    >
      Add CA certificate…
    </Button>
  )
}

// How a send differs from another one of its delivery, and what a failing response usually means.

/** Compares two sends of a delivery: status, time, headers and body of the responses, and the requests. */
function AnswerChange({
  answer,
  before,
  others,
}: {
  readonly answer: SendAnswer
  /** The send that its outcome is compared with: compared first. */
  readonly before: Send | null
  /** Every other finished send of the delivery, newest first. */
  readonly others: readonly Send[]
}) {
  const [chosen, setChosen] = useState<string | null>(null)
  const wanted =
    others.find(({ id }) => id === chosen) ??
    before ??
    others.find(isOlderThan(answer)) ??
    others[0]
  const { output: other } = useRead('replay.send', wanted === undefined ? null : { id: wanted.id })
  if (wanted === undefined) return <Quiet>No earlier replay to compare with.</Quiet>
  return (
    <div className="py-2">
      <div className="mb-3 max-w-[420px]">
        <SelectField
          label="Compare with"
          choices={others.map((send) => ({
            value: send.id,
            label: nameOf(send),
            note: changeWords(send).join('; '),
          }))}
          value={wanted.id}
          onChange={setChosen}
        />
      </div>
      {other !== undefined && <Change before={other} now={answer} />}
    </div>
  )
}

function isOlderThan({ startedAt }: Pick<Send, 'startedAt'>): (send: Send) => boolean {
  return (send) => (send.startedAt ?? '') < (startedAt ?? '')
}

function nameOf({ startedAt, status, handler, target }: Send): string {
  const at = startedAt === null ? '' : clockTime(startedAt)
  return `${at} · ${status ?? 'no response'} · ${handler === null ? visibleText(target) : `@${handler}`}`
}

export interface MessageChange {
  /** "Same headers. Different body." */
  readonly words: string
  /** What differs, each line with `-`, `+` or `>` in front. */
  readonly lines: readonly string[]
}

type Message = Pick<SendAnswer | SentRequest, 'headers' | 'base64' | 'truncated'>

/** How two messages differ, as `countersign compare` prints it: JSON by structure, ignored fields left out, other text by line. */
export function messageChange(
  before: Message,
  now: Message,
  volatile: VolatileFields,
): MessageChange {
  const headers = differenceLines(headerRows(before.headers, now.headers, volatile))
  const body = bodyChange(before, now, volatile)
  return {
    words: `${headers.length === 0 ? 'Same headers.' : 'Different headers.'} ${body.words}`,
    lines: [...headers, ...body.lines],
  }
}

function bodyChange(before: Message, now: Message, volatile: VolatileFields): MessageChange {
  if (before.base64 === now.base64) return { words: 'Same body.', lines: [] }
  const [left, right] = [before, now].map(({ base64, truncated }) =>
    utf8Text(fromBase64(base64), truncated),
  )
  if (typeof left !== 'string' || typeof right !== 'string')
    return { words: 'Different body (binary).', lines: [] }
  const structure = compareStructure(left, right, volatile)
  if (structure.outcome === 'not-json') {
    const lines = differenceLines(compareText(left, right, false).rows)
    // An absent body isn't an empty line.
    return {
      words: 'Different body.',
      lines: left === '' || right === '' ? lines.filter((line) => line.length > 2) : lines,
    }
  }
  if (structure.differs) return { words: 'Different body.', lines: differenceLines(structure.rows) }
  return {
    words: structure.rows.some(({ isIgnored }) => isIgnored)
      ? 'Only ignored fields differ.'
      : 'Same values.',
    lines: [],
  }
}

function Change({ before, now }: { readonly before: SendAnswer; readonly now: SendAnswer }) {
  const { output: delivery } = useRead('deliveries.get', { id: now.deliveryId })
  const { output: volatile } = useRead(
    'compare.volatile',
    delivery === undefined ? null : { hookId: delivery.hookId },
  )
  const fields = volatile?.fields ?? null
  const found = useMemo(
    () =>
      fields === null
        ? null
        : {
            response: messageChange(before, now, fields),
            request:
              before.request === null || now.request === null
                ? null
                : messageChange(before.request, now.request, fields),
          },
    [before, now, fields],
  )
  const status = (answer: SendAnswer) => answer.status ?? 'no response'
  const took = (answer: SendAnswer) =>
    answer.ms === null ? 'unknown' : `${milliseconds(answer.ms)} ms`
  return (
    <>
      <p>
        Replay at{' '}
        <span className="data">{before.startedAt === null ? '' : clockTime(before.startedAt)}</span>
        :{' '}
        {before.status === now.status ? (
          <>
            same status, <span className="data">{status(now)}</span>.
          </>
        ) : (
          <>
            <span className="data">{status(before)}</span>, now{' '}
            <span className="data">{status(now)}</span>.
          </>
        )}{' '}
        Took <span className="data">{took(before)}</span>, now{' '}
        <span className="data">{took(now)}</span>.
      </p>
      {found !== null && (
        <>
          <Part name="Response" change={found.response} />
          {found.request === null ? (
            <p className="mt-3 text-muted">
              Couldn't compare the requests: one wasn't sent or isn't stored.
            </p>
          ) : (
            <Part name="Request" change={found.request} />
          )}
        </>
      )}
    </>
  )
}

interface PartProps {
  readonly name: 'Response' | 'Request'
  readonly change: MessageChange
}

function Part({ name, change: { words, lines } }: PartProps) {
  return (
    <section aria-label={`${name} differences`} className="mt-3">
      <h4 className="font-medium">
        {name} <span className="font-normal text-muted">{words}</span>
      </h4>
      {lines.length > 0 && (
        <div
          className="mt-1 overflow-auto border border-line bg-ground py-1 leading-5 data"
          tabIndex={0}
          role="group"
          aria-label={`Differences of the ${name.toLowerCase()}`}
        >
          {lines.map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </div>
      )}
    </section>
  )
}

const LINE_WASHES: Readonly<Record<string, string>> = { '-': 'bg-bad-wash', '+': 'bg-ok-wash' }

/** A line, with its mark in a separate column. */
function Line({ line }: { readonly line: string }) {
  const [mark = ''] = line
  return (
    <div className={classNames('flex px-3 whitespace-pre', LINE_WASHES[mark])}>
      <span className="w-5 shrink-0 text-subtle">{mark === '-' ? '−' : mark}</span>
      <ExactText text={line.slice(2)} />
    </div>
  )
}

/** One sentence of advice; null if there is nothing to do. */
export function answerAdvice(send: Send): string | null {
  const { status, outcome, error, tamper, validPassed } = send
  if (outcome === 'recorded')
    return "Countersign responded, not your handler. Replay this delivery to your handler's URL."
  if (error !== null || status === null || outcome === null) return null
  if (isAccepted(send))
    return tamper === null
      ? 'Accepted without a fresh signature. Correct only if the signature still matches and the timestamp is fresh.'
      : 'Your handler accepted a forged delivery. Check how it verifies the signature and timestamp.'
  if (isRejected(send)) {
    if (validPassed === null)
      return 'Rejected. Replay the valid delivery to the same URL too: an endpoint that rejects both proves nothing.'
    return validPassed
      ? 'Rejected, as expected for a forged delivery.'
      : "Inconclusive: your handler doesn't accept the valid delivery either."
  }
  if (outcome === 'first-pass' || outcome === 'still-passing' || outcome === 'fixed') return null
  if (status >= 200 && status < 300)
    return 'The service would retry: only 200 acknowledges, unless the environment accepts any 2xx.'
  if (status >= 300 && status < 400)
    return 'Neither Countersign nor the service follows redirects. Register the URL it redirects to.'
  if (status === 401 || status === 403)
    return 'Your endpoint rejected the signature. Check its secret and registered URL.'
  if (status === 404 || status === 405)
    return "Your endpoint doesn't know this path or method. Check the URL against its routes."
  if (status === 413) return 'The body is larger than your endpoint allows.'
  if (status >= 500) return 'Your handler failed. Check its log, fix it, then replay.'
  return 'Your endpoint rejected the request. Its response may say why.'
}
