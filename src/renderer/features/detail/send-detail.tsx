/** One send: its result in a sentence, where the time went, the complete response, and the request. */
import { GitCompareArrows, ShieldQuestionMark } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { responseWords } from '../../../shared/model/outcomes.ts'
import type { Send, SendAnswer, SentRequest } from '../../../shared/model/send.ts'
import { signedUrlOf } from '../../../shared/model/replay-edits.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { concatenated, fromBase64, fromLatin1 } from '../../ui/bytes.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts, Quiet } from '../../ui/facts.tsx'
import { byteSize, milliseconds } from '../../ui/moment.ts'
import { SendMark } from '../../ui/outcome-mark.tsx'
import { Segments } from '../../ui/segments.tsx'
import { BodyBytes } from '../body/index.ts'
import { answerAdvice, AnswerChange, isOlderThan } from './answer-change.tsx'
import { HeaderTable } from './headers-tab.tsx'
import { headOf } from './raw-tab.tsx'

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

export function SendDetail({ send, before, others }: SendDetailProps) {
  const [view, setView] = useState<View>('body')
  const { answer, readAnswer } = useAppParts((state) => ({
    answer: state.detail.answers.get(send.id) ?? null,
    readAnswer: state.detail.readAnswer,
  }))
  const isOver = send.state !== 'waiting' && send.state !== 'under-way'
  useEffect(() => {
    if (isOver) void readAnswer(send.id)
  }, [readAnswer, send.id, isOver])
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
      {answer !== null && (
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
