/** What a failing response usually means, and how a send differs from another one of its delivery. */
import { useEffect, useMemo, useState } from 'react'
import { utf8Text } from '../../../shared/body/encoding.ts'
import { compareText } from '../../../shared/diff/compare-bodies.ts'
import { headerRows } from '../../../shared/diff/header-rows.ts'
import { isDifference, pieceText, whole, type DiffRow } from '../../../shared/diff/rows.ts'
import { usualVolatileFields } from '../../../shared/diff/volatile.ts'
import { isForged } from '../../../shared/model/replay-edits.ts'
import { changeWords, isRejected } from '../../../shared/model/outcomes.ts'
import type { Send, SendAnswer, SentRequest } from '../../../shared/model/send.ts'
import { useAppParts } from '../../state/use-app.ts'
import { fromBase64 } from '../../ui/bytes.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { Quiet } from '../../ui/facts.tsx'
import { ChoiceField } from '../../ui/field.tsx'
import { clockTime, milliseconds } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'

interface AnswerChangeProps {
  readonly answer: SendAnswer
  /** The send that its outcome is compared with: compared first. */
  readonly before: Send | null
  /** Every other finished send of the delivery, newest first. */
  readonly others: readonly Send[]
}

/** Compares two sends of a delivery: status, time, headers and body of the responses, and the requests. */
export function AnswerChange({ answer, before, others }: AnswerChangeProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const wanted = others.find(({ id }) => id === chosen) ?? before ?? others.find(isOlderThan(answer)) ?? others[0]
  const { other, readAnswer } = useAppParts((state) => ({
    other: wanted === undefined ? null : (state.detail.answers.get(wanted.id) ?? null),
    readAnswer: state.detail.readAnswer,
  }))
  const otherId = wanted?.id ?? null
  useEffect(() => {
    if (otherId !== null) void readAnswer(otherId)
  }, [readAnswer, otherId])
  if (wanted === undefined) return <Quiet>No earlier replay to compare with.</Quiet>
  return (
    <div className="px-5 py-3">
      <div className="mb-3 max-w-[420px]">
        <ChoiceField
          label="Compare with"
          choices={others.map((send) => ({ value: send.id, label: nameOf(send), note: changeWords(send).join('; ') }))}
          value={wanted.id}
          onChange={setChosen}
        />
      </div>
      {other !== null && <Change before={other} now={answer} />}
    </div>
  )
}

export function isOlderThan({ startedAt }: Pick<Send, 'startedAt'>): (send: Send) => boolean {
  return (send) => (send.startedAt ?? '') < (startedAt ?? '')
}

function nameOf({ startedAt, status, handler, target }: Send): string {
  const at = startedAt === null ? '' : clockTime(startedAt)
  return `${at} · ${status ?? 'no response'} · ${handler === null ? visibleText(target) : `@${handler}`}`
}

/** Null if the bodies are equal; otherwise the lines that differ, or nothing for binary ones. */
function bodyLines(before: SendAnswer | SentRequest, now: SendAnswer | SentRequest): readonly DiffRow[] | null {
  if (before.base64 === now.base64) return null
  const [left, right] = [before, now].map(({ base64, truncated }) => utf8Text(fromBase64(base64), truncated))
  return typeof left !== 'string' || typeof right !== 'string' ? [] : compareText(left, right, true).rows
}

/** The headers that differ, without those that always do: date, signature, timestamp. */
function headerLines(before: SendAnswer | SentRequest, now: SendAnswer | SentRequest): readonly DiffRow[] {
  return headerRows(before.headers, now.headers, usualVolatileFields)
    .filter((row) => isDifference(row) && !row.isIgnored)
    .map((row) => {
      const named = (pieces: DiffRow['left']) => pieces && whole(`${row.label}: ${pieceText(pieces)}`)
      return { ...row, left: named(row.left), right: named(row.right) }
    })
}

function Change({ before, now }: { readonly before: SendAnswer; readonly now: SendAnswer }) {
  const found = useMemo(
    () => ({
      body: bodyLines(before, now),
      headers: headerLines(before, now),
      request:
        before.request === null || now.request === null
          ? null
          : { body: bodyLines(before.request, now.request), headers: headerLines(before.request, now.request) },
    }),
    [before, now],
  )
  const status = (answer: SendAnswer) => answer.status ?? 'no response'
  const took = (answer: SendAnswer) => (answer.ms === null ? 'unknown' : `${milliseconds(answer.ms)} ms`)
  return (
    <>
      <p>
        Replay at <span className="data">{before.startedAt === null ? '' : clockTime(before.startedAt)}</span>:{' '}
        {before.status === now.status ? (
          <>
            same status, <span className="data">{status(now)}</span>.
          </>
        ) : (
          <>
            <span className="data">{status(before)}</span>, now <span className="data">{status(now)}</span>.
          </>
        )}{' '}
        Took <span className="data">{took(before)}</span>, now <span className="data">{took(now)}</span>.
      </p>
      <Part name="Response" headers={found.headers} body={found.body} />
      {found.request === null ? (
        <p className="mt-3 text-muted">Couldn't compare the requests: one wasn't sent or isn't stored.</p>
      ) : (
        <Part name="Request" headers={found.request.headers} body={found.request.body} />
      )}
    </>
  )
}

interface PartProps {
  readonly name: 'Response' | 'Request'
  readonly headers: readonly DiffRow[]
  readonly body: readonly DiffRow[] | null
}

function Part({ name, headers, body }: PartProps) {
  const rows = [...headers, ...(body ?? [])]
  const bodies = body === null ? 'Same body.' : body.length === 0 ? 'Both bodies are binary, and they differ.' : 'Different body.'
  return (
    <section aria-label={`${name} differences`} className="mt-3">
      <h4 className="font-medium">
        {name}{' '}
        <span className="font-normal text-muted">
          {headers.length === 0 ? 'Same headers.' : 'Different headers.'} {bodies}
        </span>
      </h4>
      {rows.length > 0 && (
        <div
          className="mt-1 overflow-auto border border-line bg-ground py-1 leading-5 data"
          tabIndex={0}
          role="group"
          aria-label={`Differences of the ${name.toLowerCase()}`}
        >
          {rows.map((row, index) => (
            <Lines key={index} row={row} />
          ))}
        </div>
      )}
    </section>
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
