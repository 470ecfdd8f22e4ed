/** How an answer differs from that to the send before it: the status, and the body line by line. */
import { useEffect, useMemo } from 'react'
import { utf8Text } from '../../../shared/body/utf8-text.ts'
import { compareText } from '../../../shared/diff/compare-bodies.ts'
import type { DiffRow } from '../../../shared/diff/rows.ts'
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
  if (before === null) return <Quiet>It was sent nowhere else alike before: there is nothing to hold it against.</Quiet>
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
  const status = (answer: SendAnswer) => answer.status ?? 'no answer'
  return (
    <div className="px-5 py-3">
      <p>
        The send before it, at <span className="data">{before.startedAt === null ? '' : clockTime(before.startedAt)}</span>:{' '}
        {before.status === now.status ? (
          <>
            answered alike, <span className="data">{status(now)}</span>.
          </>
        ) : (
          <>
            <span className="data">{status(before)}</span>, now <span className="data">{status(now)}</span>.
          </>
        )}{' '}
        {rows === null
          ? 'The bodies differ, and are no text.'
          : rows.length === 0
            ? 'The bodies are the same.'
            : 'The bodies differ:'}
      </p>
      {rows !== null && rows.length > 0 && (
        <div
          className="mt-2 overflow-auto border border-line bg-ground py-1 leading-5 data"
          tabIndex={0}
          role="group"
          aria-label="What differs"
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
  // A body that is not there is no empty line.
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
