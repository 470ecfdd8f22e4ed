/** The sends of this delivery, newest first, with the selected send's result below. Updates while a replay is running. */
import { useEffect, useRef, useMemo, useState } from 'react'
import type { Send, SendAnswer, SentRequest } from '../../../shared/model/send.ts'
import { useRead } from '../../data/use-read.ts'
import { useAppParts, useParts } from '../../state/use-app.ts'
import { calendarDay, clockTime, milliseconds, byteSize } from '../../ui/moment.ts'
import { SendMark } from '../../ui/outcome-mark.tsx'
import { List, type ListColumn } from '../../ui/list.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { ReplayButton } from '../replay/index.ts'
import type { Shown } from './detail-slice.ts'
import { GitCompareArrows, ShieldQuestionMark } from 'lucide-react'
import { responseWords } from '../../../shared/model/outcomes.ts'
import { signedUrlOf } from '../../../shared/model/replay-edits.ts'
import { Button } from '../../ui/button.tsx'
import { concatenated, fromBase64, fromLatin1 } from '../../ui/bytes.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts, Quiet } from '../../ui/facts.tsx'
import { Segments } from '../../ui/segments.tsx'
import { BodyBytes } from '../body/index.ts'
import { answerAdvice, AnswerChange, isOlderThan } from './answer-change.tsx'
import { HeaderTable } from './headers-tab.tsx'
import { headOf } from './raw-tab.tsx'

/** Maximum number shown. */
const SENDS_SHOWN = 200

/** A delivery's sends, newest first. */
function useSends(id: string) {
  return useRead('replay.ofDelivery', { id, limit: SENDS_SHOWN })
}

/** The number of sends, shown in the tab. */
export function SendsCount({ id }: { readonly id: string }) {
  const { sends = [] } = useSends(id).output ?? {}
  const count = sends.filter(({ state }) => state !== 'waiting').length
  if (count === 0) return null
  return (
    <span className="text-tiny font-normal text-subtle tabular-nums @max-[480px]:hidden">
      {count === SENDS_SHOWN ? `${count}+` : count}
    </span>
  )
}

export function SendsTab({ shown: { delivery } }: { readonly shown: Shown }) {
  const { output, problem } = useSends(delivery.id)
  const { sendId: chosen, selectSend: setChosen } = useParts('detail', 'sendId', 'selectSend')
  // Pending sends have nothing to show yet, so only their number is shown.
  const list = output?.sends.filter(({ state }) => state !== 'waiting') ?? null
  const waiting = (output?.sends.length ?? 0) - (list?.length ?? 0)
  // If the newest is selected, the selection moves to the next one when it arrives.
  const newest = list?.[0]?.id
  const newestBefore = useRef(newest)
  useEffect(() => {
    if (newestBefore.current !== undefined && newestBefore.current === chosen && chosen !== newest)
      setChosen(null)
    newestBefore.current = newest
  }, [newest, chosen, setChosen])
  const selected = list?.find(({ id }) => id === chosen) ?? list?.[0]
  if (problem !== null) {
    return (
      <p role="alert" className="border-b border-line bg-bad-wash px-5 py-2">
        Couldn't load the replays: {problem}
      </p>
    )
  }
  if (list === null)
    return <div role="status" aria-label="Loading replays" className="late m-5 skeleton h-16" />
  if (selected === undefined) {
    return (
      <div className="px-5 py-4">
        <p className="max-w-[520px] text-muted">
          {waiting === 0
            ? 'No replays yet.'
            : waiting === 1
              ? '1 replay pending.'
              : `${waiting} replays pending.`}{' '}
          Replay sends this delivery to your endpoint with a fresh signature.
        </p>
        <div className="mt-3">
          <ReplayButton rows={[delivery]} />
        </div>
      </div>
    )
  }
  return (
    <div className="flex h-full flex-col">
      {waiting > 0 && (
        <p className="shrink-0 border-b border-line px-5 py-1 text-small text-muted" role="status">
          {waiting} more pending
        </p>
      )}
      <List
        label="Replays, newest first"
        rows={list}
        idOf={({ id }) => id}
        columns={columns}
        hasHeader={false}
        selectedId={selected.id}
        onSelect={({ id }) => setChosen(id)}
        className="max-h-[34%] shrink-0 border-b border-line"
      />
      <SendDetail
        key={selected.id}
        send={selected}
        before={sendBefore(list, selected)}
        others={list.filter(({ id, state }) => id !== selected.id && state === 'settled')}
      />
    </div>
  )
}

/** The previous finished send to the same target with the same changes: the one that the outcome is compared with. */
function sendBefore(list: readonly Send[], send: Send): Send | null {
  const older = list.slice(list.indexOf(send) + 1)
  const isAlike = (one: Send) =>
    one.target === send.target &&
    one.tamper === send.tamper &&
    one.edited.join() === send.edited.join() &&
    one.state === 'settled'
  return older.find(isAlike) ?? null
}

const columns: readonly ListColumn<Send>[] = [
  { name: 'Outcome', className: 'w-32 shrink-0', cell: (send) => <SendMark send={send} /> },
  {
    name: 'Time',
    className: 'data w-24 shrink-0 text-muted @max-[560px]:hidden',
    cell: ({ startedAt: at }) =>
      at !== null && <span title={`${calendarDay(at)} ${clockTime(at)}`}>{clockTime(at)}</span>,
  },
  {
    name: 'Status',
    className: 'data w-10 shrink-0',
    right: true,
    cell: ({ status }) => status ?? '–',
  },
  {
    name: 'Duration',
    className: 'data w-20 shrink-0 text-subtle @max-[480px]:hidden',
    right: true,
    cell: ({ ms }) => ms !== null && `${milliseconds(ms)} ms`,
  },
  {
    name: 'Sent to',
    className: 'data min-w-0 flex-1 text-muted',
    cell: ({ target }) => <span title={visibleText(target)}>{visibleText(target)}</span>,
  },
  { name: 'Differs', className: 'flex min-w-0 gap-1.5', cell: (send) => <Changes send={send} /> },
]

/** Marks for everything that differs from the captured request. */
function Changes({
  send: { tamper, edited, kind },
}: {
  readonly send: Pick<Send, 'tamper' | 'edited' | 'kind'>
}) {
  const marks = [
    ...(kind === 'forward' ? ['forwarded'] : kind === 'flow' ? ['flow'] : []),
    ...(tamper === null ? [] : [`tampered: ${tamper}`]),
    ...(edited.length === 0 ? [] : [`changed ${edited.join(', ')}`]),
  ]
  if (marks.length === 0) return null
  // Separate marks if there is room; otherwise one text, truncated.
  return (
    <>
      {marks.map((mark) => (
        <span
          key={mark}
          className="min-w-0 truncate rounded-small border border-line px-1.5 text-tiny text-muted @max-[560px]:hidden"
        >
          {mark}
        </span>
      ))}
      <span
        className="hidden min-w-0 flex-1 truncate text-small text-muted @max-[560px]:block"
        title={marks.join(', ')}
      >
        {marks.join(', ')}
      </span>
    </>
  )
}

// One send: its result in a sentence, where the time went, the complete response, and the request.

type View = 'body' | 'headers' | 'change' | 'request'

const views: readonly { readonly value: View; readonly label: string }[] = [
  { value: 'body', label: 'Response' },
  { value: 'headers', label: 'Response headers' },
  { value: 'change', label: 'Changes' },
  { value: 'request', label: 'Request' },
]

interface SendDetailProps {
  readonly send: Send
  /** The send that its outcome is compared with. */
  readonly before: Send | null
  /** Every other finished send of the delivery, newest first. */
  readonly others: readonly Send[]
}

function SendDetail({ send, before, others }: SendDetailProps) {
  const [view, setView] = useState<View>('body')
  const isOver = send.state !== 'waiting' && send.state !== 'under-way'
  const { output: answer, problem } = useRead('replay.send', isOver ? { id: send.id } : null)
  return (
    <section
      aria-label="Result"
      className="flex min-h-0 flex-1 flex-col overflow-auto"
      tabIndex={0}
    >
      <div className="px-5 pt-3 pb-2">
        <h3 className="flex flex-wrap items-center gap-x-3 font-medium">
          <SendMark send={send} />
          {send.state === 'settled' && (
            <span className="data font-normal">{responseWords(send.status, send.ms)}</span>
          )}
          <AuthoritySend send={send} />
        </h3>
        <Sentences send={send} />
        {send.phases !== null && send.ms !== null && <Phases phases={send.phases} ms={send.ms} />}
        <SendFacts send={send} />
      </div>
      {problem !== null && (
        <p role="alert" className="px-5 text-bad">
          Couldn't load the response: {problem}
        </p>
      )}
      {answer !== undefined && (
        <>
          <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-y border-line py-1 pr-3 pl-4">
            <Segments label="Result view" options={views} value={view} onChange={setView} />
            <span className="text-small text-subtle">{noteOf(view, answer)}</span>
            {view !== 'change' && others.some(isOlderThan(send)) && (
              <Button
                kind="quiet"
                className="ml-auto"
                icon={<GitCompareArrows size={13} aria-hidden />}
                onClick={() => setView('change')}
              >
                Compare with previous replay
              </Button>
            )}
          </div>
          <div className="min-h-48 flex-1">
            <Content view={view} answer={answer} before={before} others={others} />
          </div>
        </>
      )}
    </section>
  )
}

function Sentences({ send }: { readonly send: Send }) {
  const said = [
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

const phaseNames = { connect: 'connect', wait: 'wait', body: 'read' } as const
const phaseLooks = { connect: 'bg-edge', wait: 'bg-accent', body: 'bg-muted' } as const

function Phases({
  phases,
  ms,
}: {
  readonly phases: NonNullable<Send['phases']>
  readonly ms: number
}) {
  const parts = (['connect', 'wait', 'body'] as const).map((name) => ({ name, ms: phases[name] }))
  return (
    <div className="mt-2 flex max-w-[680px] flex-wrap items-center gap-x-4 gap-y-1">
      <span className="flex h-1.5 min-w-32 flex-1 gap-px overflow-hidden rounded-small" aria-hidden>
        {parts.map((part) => (
          <span
            key={part.name}
            className={phaseLooks[part.name]}
            style={{ flexGrow: Math.max(part.ms / Math.max(ms, 0.001), 0.005) }}
          />
        ))}
      </span>
      {parts.map((part) => (
        <span
          key={part.name}
          className="flex items-center gap-1.5 text-small whitespace-nowrap text-subtle"
        >
          <span className={`size-2 rounded-small ${phaseLooks[part.name]}`} aria-hidden />
          {phaseNames[part.name]}{' '}
          <span className="data text-muted">{milliseconds(part.ms)} ms</span>
        </span>
      ))}
    </div>
  )
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

interface ContentProps extends Pick<SendDetailProps, 'before' | 'others'> {
  readonly view: View
  readonly answer: SendAnswer
}

function Content({ view, answer, before, others }: ContentProps) {
  const bytes = useMemo(() => fromBase64(answer.base64), [answer])
  switch (view) {
    case 'body':
      if (answer.status === null) return <Quiet>No response.</Quiet>
      return bytes.length === 0 ? (
        <Quiet>Empty body.</Quiet>
      ) : (
        <BodyBytes label="Response" bytes={bytes} cut={answer.truncated} />
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
  return <BodyBytes label="Request" bytes={bytes} cut={request.truncated} asSent />
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

function AuthoritySend({ send }: { readonly send: Send }) {
  const { delivery, composeReplay } = useAppParts((state) => ({
    delivery: state.detail.shown?.delivery ?? null,
    composeReplay: state.replay.compose,
  }))
  if (
    send.errorKind !== 'certificate' ||
    send.kind !== 'replay' ||
    delivery?.id !== send.deliveryId
  )
    return null
  return (
    <Button
      kind="quiet"
      className="ml-auto font-normal"
      icon={<ShieldQuestionMark size={13} aria-hidden />}
      onClick={() => composeReplay({ kind: 'rows', rows: [delivery], wantsAuthority: true })}
    >
      Add CA certificate…
    </Button>
  )
}
