/** Comparison of two replays of a delivery. */
import { useState } from 'react'
import { changeWords } from '../../../shared/model/send-words.ts'
import type { Send, SendAnswer } from '../../../shared/model/send.ts'
import { useRead } from '../../core-data/use-read.ts'
import { SendChange } from '../../connected/send-change.tsx'
import { MutedNote } from '../../ui/name-value-table.tsx'
import { clockTime } from '../../ui/moment.ts'
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
      {other !== undefined && <SendChange before={other} now={answer} />}
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
