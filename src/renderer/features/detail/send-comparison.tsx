/** Comparison of two replays of a delivery. */
import { useMemo, useState } from 'react'
import { changeWords } from '../../../shared/model/send-words.ts'
import type { Send, SendAnswer } from '../../../shared/model/send.ts'
import { useRead } from '../../core-data/use-read.ts'
import { MessageDifferences, messageChange } from '../../ui/message-differences.tsx'
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
          <MessageDifferences name="Response" change={changes.response} />
          {changes.request === null ? (
            <p className="mt-3 text-muted">
              Couldn't compare the requests: one wasn't sent or isn't stored.
            </p>
          ) : (
            <MessageDifferences name="Request" change={changes.request} />
          )}
        </>
      )}
    </>
  )
}
