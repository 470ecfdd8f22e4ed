/** A response: what a failing one usually means, and how it differs from the previous one. */
import { useEffect, useMemo } from 'react'
import { utf8Text } from '../../../shared/body/encoding.ts'
import { compareText } from '../../../shared/diff/compare-bodies.ts'
import type { DiffRow } from '../../../shared/diff/rows.ts'
import { isForged } from '../../../shared/model/replay-edits.ts'
import { isRejected } from '../../../shared/model/outcomes.ts'
import type { Send, SendAnswer } from '../../../shared/model/send.ts'
import { useAppParts } from '../../state/use-app.ts'
import { fromBase64 } from '../../ui/bytes.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { Quiet } from '../../ui/facts.tsx'
import { clockTime } from '../../ui/moment.ts'

export function AnswerChange({ answer, before }: { readonly answer: SendAnswer; readonly before: Send | null }) {
  const { other, readAnswer } = useAppParts((state) => ({
    other: before === null ? null : (state.detail.answers.get(before.id) ?? null),
    readAnswer: state.detail.readAnswer,
  }))
  const beforeId = before?.id ?? null
  useEffect(() => {
    if (beforeId !== null) void readAnswer(beforeId)
  }, [readAnswer, beforeId])
  if (before === null) return <Quiet>No earlier send to compare with.</Quiet>
  if (other === null) return null
  return <Change before={other} now={answer} />
}

function textOf(answer: SendAnswer): string | null {
  return utf8Text(fromBase64(answer.base64), answer.truncated)
}

function Change({ before, now }: { readonly before: SendAnswer; readonly now: SendAnswer }) {
  const rows = useMemo(() => {
    if (before.base64 === now.base64) return []
    const [left, right] = [textOf(before), textOf(now)]
    return left === null || right === null ? null : compareText(left, right, true).rows
  }, [before, now])
  const status = (answer: SendAnswer) => answer.status ?? 'no response'
  return (
    <div className="px-5 py-3">
      <p>
        Previous send at <span className="data">{before.startedAt === null ? '' : clockTime(before.startedAt)}</span>:{' '}
        {before.status === now.status ? (
          <>
            same status, <span className="data">{status(now)}</span>.
          </>
        ) : (
          <>
            <span className="data">{status(before)}</span>, now <span className="data">{status(now)}</span>.
          </>
        )}{' '}
        {rows === null ? 'Both bodies are binary, and they differ.' : rows.length === 0 ? 'Same body.' : 'Different body:'}
      </p>
      {rows !== null && rows.length > 0 && (
        <div
          className="mt-2 overflow-auto border border-line bg-ground py-1 leading-5 data"
          tabIndex={0}
          role="group"
          aria-label="Body differences"
        >
          {rows.map((row, index) => (
            <Lines key={index} row={row} />
          ))}
        </div>
      )}
    </div>
  )
}

function Lines({ row }: { readonly row: DiffRow }) {
  if (row.kind === 'fold') return <div className="px-3 text-subtle">…</div>
  // An absent body isn't an empty line.
  const text = (pieces: DiffRow['left']) => (pieces ?? []).map((piece) => piece.text).join('')
  if (row.kind === 'same') return <Line mark=" " text={text(row.right)} look="" />
  return (
    <>
      {row.left !== null && text(row.left) !== '' && <Line mark="−" text={text(row.left)} look="bg-bad-wash" />}
      {row.right !== null && text(row.right) !== '' && <Line mark="+" text={text(row.right)} look="bg-ok-wash" />}
    </>
  )
}

function Line({ mark, text, look }: { readonly mark: string; readonly text: string; readonly look: string }) {
  return (
    <div className={`flex px-3 whitespace-pre ${look}`}>
      <span className="w-5 shrink-0 text-subtle">{mark}</span>
      <ExactText text={text} />
    </div>
  )
}

/** One sentence of advice; null if there is nothing to do. */
export function answerAdvice(send: Send): string | null {
  const { status, outcome, error, tamper, validPassed } = send
  if (outcome === 'recorded') return "Countersign responded, not your handler. Replay this delivery to your handler's URL."
  const fails = outcome === 'first-fail' || outcome === 'still-failing' || outcome === 'regressed'
  if (error !== null || status === null || outcome === null) return null
  if (!fails) {
    if (tamper !== null) return 'Your handler accepted a forged delivery. Check how it verifies the signature and timestamp.'
    return isForged(send)
      ? 'Accepted without a fresh signature. Correct only if the signature still matches and the timestamp is fresh.'
      : null
  }
  if (isRejected(send)) {
    if (validPassed === null)
      return 'Rejected. Replay the valid delivery to the same URL too: an endpoint that rejects both proves nothing.'
    return validPassed
      ? 'Rejected, as expected for a forged delivery.'
      : "Inconclusive: your handler doesn't accept the valid delivery either."
  }
  if (status >= 200 && status < 300)
    return 'The service would retry: only 200 acknowledges, unless the environment accepts any 2xx.'
  if (status >= 300 && status < 400)
    return 'Neither Countersign nor the service follows redirects. Register the URL it redirects to.'
  if (status === 401 || status === 403) return 'Your endpoint rejected the signature. Check its secret and registered URL.'
  if (status === 404 || status === 405) return "Your endpoint doesn't know this path or method. Check the URL against its routes."
  if (status === 413) return 'The body is larger than your endpoint allows.'
  if (status >= 500) return 'Your handler failed. Check its log, fix it, then replay.'
  return 'Your endpoint rejected the request. Its response may say why.'
}
