/** Pending items of the sandbox clock: clearings and next attempts, soonest first. */
import { useMemo } from 'react'
import type { Mode } from '../../../shared/model/delivery.ts'
import { useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ModeMark } from '../../ui/outcome-mark.tsx'
import { ordinal } from '../../ui/moment.ts'
import { useNow } from '../../ui/use-now.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { clockText, sandboxNow, untilWords } from './clock-reading.ts'
import { objectLine } from './object-words.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'

export interface Waiting {
  readonly key: string
  readonly kind: 'clearing' | 'attempt'
  /** In sandbox time. */
  readonly at: string
  readonly mode: Mode
  readonly what: string
  readonly about: string
}

/** Items of both modes, which share one clock. */
export function useWaiting(): readonly Waiting[] {
  const { clearings, notifications, objects } = useParts(
    'sandbox',
    'clearings',
    'notifications',
    'objects',
  )
  return useMemo(() => {
    const payments = clearings.map(({ transactionId, at, mode }): Waiting => {
      const payment = objects?.find(
        ({ id, kind }) => kind === 'transaction' && id === transactionId,
      )
      const about =
        payment === undefined ? visibleText(shortIdOf(transactionId)) : objectLine(payment)
      return {
        key: `clearing ${transactionId}`,
        kind: 'clearing',
        at,
        mode,
        what: 'transaction.clearing',
        about,
      }
    })
    const attempts = (notifications ?? []).flatMap(
      ({ id, event, mode, nextAt, attempts: made }): readonly Waiting[] =>
        nextAt === null
          ? []
          : [
              {
                key: id,
                kind: 'attempt',
                at: nextAt,
                mode,
                what: event,
                about: `${ordinal(made.length + 1)} attempt`,
              },
            ],
    )
    return [...payments, ...attempts].toSorted((left, right) => left.at.localeCompare(right.at))
  }, [clearings, notifications, objects])
}

export function WaitingList({
  id,
  waiting,
}: {
  readonly id: string
  readonly waiting: readonly Waiting[]
}) {
  const { clockReading: reading, changeClock } = useParts('sandbox', 'clockReading', 'changeClock')
  const now = useNow(1_000)
  if (waiting.length === 0)
    return (
      <p id={id} className="border-t border-line/60 px-4 py-2 text-muted">
        Payments are listed here until they clear (48–72 hours), and unacknowledged deliveries until
        their next attempt.
      </p>
    )
  return (
    <ul
      id={id}
      aria-label="Pending on the clock"
      tabIndex={0}
      className="max-h-44 overflow-auto border-t border-line/60"
    >
      {waiting.map(({ key, at, mode, what, about }) => (
        <li
          key={key}
          className="flex h-8 items-center gap-3 border-b border-line/40 pr-3 pl-4 last:border-0"
        >
          <span className="data w-36 shrink-0">{clockText(Date.parse(at))}</span>
          <span className="w-24 shrink-0 truncate text-small text-subtle">
            {reading === null ? '' : untilWords(Date.parse(at) - sandboxNow(reading, now))}
          </span>
          <span className="data min-w-0 shrink truncate">{visibleText(what)}</span>
          <span className="min-w-0 flex-1 truncate text-muted">{about}</span>
          <ModeMark mode={mode} />
          <Button
            kind="quiet"
            className="h-6 px-1.5 text-small"
            aria-label={`Advance to ${what} at ${clockText(Date.parse(at))}`}
            onClick={() => void changeClock({ action: 'set', time: at })}
          >
            Advance
          </Button>
        </li>
      ))}
    </ul>
  )
}
