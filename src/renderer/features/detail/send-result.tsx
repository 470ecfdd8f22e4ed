/** The result of a replay: advice, times, response, differences from another replay, request. */
import { GitCompareArrows, ShieldQuestionMark } from 'lucide-react'
import { useMemo, useState } from 'react'
import { responseWords } from '../../../shared/model/outcomes.ts'
import { signedUrlOf } from '../../../shared/model/replay-edits.ts'
import type { Send, SendAnswer, SentRequest } from '../../../shared/model/send.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { concatenated, fromBase64, fromLatin1 } from '../../core-data/bytes.ts'
import { ExactText, UrlText } from '../../ui/exact-text.tsx'
import { Fact, Facts, MutedNote } from '../../ui/name-value-table.tsx'
import { byteSize, milliseconds } from '../../ui/moment.ts'
import { Segments } from '../../ui/segments.tsx'
import { BodyBytes } from '../body/index.ts'
import { headOf } from './raw-tab.tsx'
import { HeaderTable } from './headers-tab.tsx'
import { AnswerChange, isOlderThan } from './send-comparison.tsx'
import { answerAdvice } from '../../ui/send-advice.ts'

/** Most rows of a response or request, because the history around it scrolls too. */
const MAX_ROWS = 16

type View = 'body' | 'headers' | 'change' | 'request'

const views: readonly { readonly value: View; readonly label: string }[] = [
  { value: 'body', label: 'Response' },
  { value: 'headers', label: 'Response headers' },
  { value: 'change', label: 'Changes' },
  { value: 'request', label: 'Request' },
]

/** Shows the result of a replay; `sends` has all started ones of the delivery, oldest first. */
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

/** Returns the previous finished send to the same target with the same changes. */
function sendBefore(others: readonly Send[], send: Send): Send | null {
  const isAlike = (other: Send) =>
    isOlderThan(send)(other) &&
    other.target === send.target &&
    other.tamper === send.tamper &&
    other.edited.join() === send.edited.join()
  return others.find(isAlike) ?? null
}

function Sentences({ send }: { readonly send: Send }) {
  const sentences = [
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
  return sentences.map((sentence) => (
    <p key={sentence} className="mt-0.5 max-w-[680px] wrap-anywhere text-muted">
      <ExactText text={sentence} />
    </p>
  ))
}

function SendFacts({ send }: { readonly send: Send }) {
  const hasOldSignature = send.edited.includes('signature')
  return (
    <div className="mt-2">
      <Facts>
        <Fact name="Sent to">
          <span className="data">
            <UrlText url={send.target} />
          </span>
        </Fact>
        <Fact name="Registered URL">
          {send.registeredUrl === null ? (
            <span className="text-muted">
              {hasOldSignature || send.tamper === 'no-signature' ? 'not re-signed' : 'not signed'}
            </span>
          ) : (
            <span className="data">
              <UrlText url={signedUrlOf(send.registeredUrl, send.tamper)} />
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
  /** Send that the outcome is compared with. */
  readonly before: Send | null
  /** Other finished sends of the delivery, newest first. */
  readonly others: readonly Send[]
}

function Content({ view, answer, before, others }: ContentProps) {
  const bytes = useMemo(() => fromBase64(answer.base64), [answer])
  switch (view) {
    case 'body':
      if (answer.status === null) return <MutedNote>No response.</MutedNote>
      return bytes.length === 0 ? (
        <MutedNote>Empty body.</MutedNote>
      ) : (
        <BodyBytes label="Response" bytes={bytes} cut={answer.truncated} mostRows={MAX_ROWS} />
      )
    case 'headers':
      return answer.headers.length === 0 ? (
        <MutedNote>No headers.</MutedNote>
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
        <MutedNote>
          {answer.state === 'uncertain' ? 'Unknown how much was sent.' : 'Nothing went out.'}
        </MutedNote>
      ) : (
        <Request request={answer.request} target={answer.target} />
      )
  }
}

function Request({ request, target }: { readonly request: SentRequest; readonly target: string }) {
  const bytes = useMemo(() => requestBytes(request, target), [request, target])
  return (
    <BodyBytes label="Request" bytes={bytes} cut={request.truncated} asSent mostRows={MAX_ROWS} />
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
