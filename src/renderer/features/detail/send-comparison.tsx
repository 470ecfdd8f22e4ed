/** Comparison of two replays of a delivery. */
import { useMemo, useState } from 'react'
import { utf8Text } from '../../../shared/body/encoding.ts'
import { compareStructure, compareText } from '../../../shared/diff/compare-bodies.ts'
import { headerRows } from '../../../shared/diff/header-rows.ts'
import type { VolatileFields } from '../../../shared/diff/volatile-fields.ts'
import { differenceLines } from '../../../shared/diff/comparison-export.ts'
import { changeWords } from '../../../shared/model/send-words.ts'
import type { Send, SendAnswer, SentRequest } from '../../../shared/model/send.ts'
import { useRead } from '../../core-data/use-read.ts'
import { fromBase64 } from '../../core-data/bytes.ts'
import { classNames } from '../../ui/class-names.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { MutedNote } from '../../ui/name-value-table.tsx'
import { clockTime, milliseconds } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { SelectField } from '../../ui/select.tsx'

/** Compares a send with another one of its delivery: status, time, response and request. */
export function AnswerChange({
  answer,
  before,
  others,
}: {
  readonly answer: SendAnswer
  /** Send that the outcome is compared with, which is selected initially. */
  readonly before: Send | null
  /** Other finished sends of the delivery, newest first. */
  readonly others: readonly Send[]
}) {
  const [selectedId, setSelectedId] = useState<string | null>(null)
  const selected =
    others.find(({ id }) => id === selectedId) ??
    before ??
    others.find(isOlderThan(answer)) ??
    others[0]
  const { output: other } = useRead(
    'replay.send',
    selected === undefined ? null : { id: selected.id },
  )
  if (selected === undefined) return <MutedNote>No earlier replay to compare with.</MutedNote>
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
          value={selected.id}
          onChange={setSelectedId}
        />
      </div>
      {other !== undefined && <Change before={other} now={answer} />}
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

export interface MessageChange {
  /** Sentences such as "Same headers. Different body." */
  readonly words: string
  /** Differing lines, each with `-`, `+` or `>` in front. */
  readonly lines: readonly string[]
}

type Message = Pick<SendAnswer | SentRequest, 'headers' | 'base64' | 'truncated'>

/**
 * Compares two messages as `countersign compare` does: JSON by structure without ignored fields,
 * other text by line.
 */
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
    const lines = differenceLines(compareText(left, right).rows)
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
  const changes = useMemo(
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
      {changes !== null && (
        <>
          <Part name="Response" change={changes.response} />
          {changes.request === null ? (
            <p className="mt-3 text-muted">
              Couldn't compare the requests: one wasn't sent or isn't stored.
            </p>
          ) : (
            <Part name="Request" change={changes.request} />
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

/** Draws a line with its mark in a separate column. */
function Line({ line }: { readonly line: string }) {
  const [mark = ''] = line
  return (
    <div className={classNames('flex px-3 whitespace-pre', LINE_WASHES[mark])}>
      <span className="w-5 shrink-0 text-subtle">{mark === '-' ? '−' : mark}</span>
      <ExactText text={line.slice(2)} />
    </div>
  )
}
