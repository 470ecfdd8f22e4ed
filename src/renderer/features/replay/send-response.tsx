/** The response to a send in the composer: status, sentence, body, headers, and what differs. */
import { useMemo, useState } from 'react'
import { statusName } from '../../../shared/http.ts'
import { labelOf } from '../../../shared/model/outcomes.ts'
import { outcomeOfSend } from '../../../shared/model/send-outcomes.ts'
import type { Send, SendAnswer } from '../../../shared/model/send.ts'
import { readableHeader } from '../../../shared/text/printable.ts'
import { fromBase64 } from '../../core-data/bytes.ts'
import { useRead } from '../../core-data/use-read.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { MessageDifferences, messageChange } from '../../ui/message-differences.tsx'
import { clockTime, dayUnlessToday, milliseconds } from '../../ui/moment.ts'
import { MutedNote, NameValueTable } from '../../ui/name-value-table.tsx'
import { OutcomeIcon } from '../../ui/outcome-mark.tsx'
import { quotedMessage } from '../../../shared/service/response-message.ts'
import { Segments } from '../../ui/segments.tsx'
import { BodyBytes } from '../body/index.ts'
import { resultSentence } from './replay-words.ts'

/** Most rows of the body, because the pane around it scrolls. */
const MAX_ROWS = 14

interface SendResponseProps {
  readonly send: Send
  /** Started sends of the delivery, newest first. */
  readonly sends: readonly Send[]
  readonly hookId: string | null
  /** Whether the composer sent nothing yet, and this is the delivery's last replay. */
  readonly isEarlier: boolean
  /** Callback that shows the field for the CA certificate. */
  readonly onAuthority: () => void
}

export function SendResponse({ send, sends, hookId, isEarlier, onAuthority }: SendResponseProps) {
  const { status, ms, startedAt, state, errorKind } = send
  const isOver = state !== 'waiting' && state !== 'under-way'
  const before = previousOf(send, sends)
  const { output: answer } = useRead('replay.send', isOver ? { id: send.id } : null)
  const earlier = useRead('replay.send', before === null ? null : { id: before.id }).output
  const outcome = outcomeOfSend(send)
  const message =
    answer !== undefined && answer.base64 === earlier?.base64
      ? (quotedMessage(fromBase64(answer.base64)) ?? '')
      : ''
  const noStatus = state === 'settled' ? 'No response' : labelOf(outcome)
  const title = status === null ? noStatus : `${status} ${statusName(status)}`
  return (
    <section aria-label="Response" className="border-b border-line">
      <div
        role="status"
        className={`border-b border-line px-5 py-2.5 ${outcome.tone === 'bad' ? 'bg-bad-wash' : ''}`}
      >
        <h3 className="flex flex-wrap items-baseline gap-x-2.5 font-normal">
          <OutcomeIcon outcome={outcome} />
          <span className="min-w-0 flex-1">
            <span className="text-title font-medium">{title}</span>
            {status !== null && ms !== null && (
              <span className="data whitespace-nowrap text-muted"> {milliseconds(ms)} ms</span>
            )}
          </span>
          <span className={`data shrink-0 text-muted ${isEarlier ? 'basis-full pl-6' : 'ml-auto'}`}>
            {isEarlier && <span className="font-sans text-small">Last replay {outcome.word} </span>}
            {dayUnlessToday(startedAt ?? '')} {clockTime(startedAt ?? '').slice(0, 8)}
          </span>
        </h3>
        {isOver && (
          <p className="mt-0.5 pl-6 wrap-anywhere text-muted">
            <ExactText text={resultSentence(send, before, message)} />
          </p>
        )}
        {errorKind === 'certificate' && (
          <Button kind="quiet" className="mt-1 ml-3.5" onClick={onAuthority}>
            Add CA certificate…
          </Button>
        )}
      </div>
      {answer !== undefined && answer.status !== null && (
        <Answer answer={answer} earlier={earlier ?? null} hookId={hookId} />
      )}
    </section>
  )
}

/** Returns the last finished send to the same target before this one, if forged in the same way. */
function previousOf(send: Send, sends: readonly Send[]): Send | null {
  const isPrevious = (other: Send) =>
    (other.startedAt ?? '') < (send.startedAt ?? '') &&
    other.state === 'settled' &&
    other.target === send.target &&
    other.tamper === send.tamper &&
    other.expected === send.expected
  return sends.find(isPrevious) ?? null
}

function Answer({
  answer,
  earlier,
  hookId,
}: {
  readonly answer: SendAnswer
  readonly earlier: SendAnswer | null
  readonly hookId: string | null
}) {
  const [view, setView] = useState<'body' | 'headers' | 'change'>('body')
  const bytes = useMemo(() => fromBase64(answer.base64), [answer])
  const fields = useRead('compare.volatile', { hookId }).output?.fields
  const change = useMemo(
    () =>
      earlier === null || fields === undefined ? null : messageChange(earlier, answer, fields),
    [earlier, answer, fields],
  )
  // A binary body can differ without lines that do.
  const differs = change?.words.includes('Different') === true || earlier?.status !== answer.status
  return (
    <>
      <div className="flex h-10 items-center border-b border-line/50 px-5">
        <Segments
          label="Response view"
          options={[
            { value: 'body', label: 'Response' },
            { value: 'headers', label: 'Headers', count: answer.headers.length },
            ...(change === null
              ? []
              : [{ value: 'change', label: differs ? 'Changed' : 'Same as before' } as const]),
          ]}
          value={view}
          onChange={setView}
        />
        <CopyButton
          className="-mr-1 ml-auto"
          text={new TextDecoder().decode(bytes)}
          label="Copy response"
        />
      </div>
      {view === 'body' &&
        (bytes.length === 0 ? (
          <MutedNote>Empty body.</MutedNote>
        ) : (
          <div className="bg-surface">
            <BodyBytes label="Response" bytes={bytes} cut={answer.truncated} mostRows={MAX_ROWS} />
          </div>
        ))}
      {view === 'headers' && (
        <NameValueTable
          label="Response headers"
          copyLabel="Copy header"
          rows={answer.headers.map(([name, stored]) => {
            const value = readableHeader(stored)
            return { name, value, warning: null, note: null, copied: `${name}: ${value}` }
          })}
        />
      )}
      {view === 'change' && change !== null && (
        <div className="px-5 pb-3">
          {earlier?.status !== answer.status && (
            <p>
              <span className="data">{earlier?.status ?? 'No response'}</span>, now{' '}
              <span className="data">{answer.status}</span>.
            </p>
          )}
          <MessageDifferences name="Response" change={change} />
        </div>
      )}
    </>
  )
}
