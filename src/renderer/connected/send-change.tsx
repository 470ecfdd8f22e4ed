/** Differences between two sends of a delivery: status, time, response and request. */
import { useMemo } from 'react'
import type { SendAnswer } from '../../shared/model/send.ts'
import { useRead } from '../core-data/use-read.ts'
import { MessageDifferences, messageChange } from '../ui/message-differences.tsx'
import { clockTime, milliseconds } from '../ui/moment.ts'

export function SendChange({
  before,
  now,
}: {
  readonly before: SendAnswer
  readonly now: SendAnswer
}) {
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
