/** Items that wait for the sandbox clock: clearings and next attempts. */
import { useMemo } from 'react'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { Mode } from '../../../shared/model/delivery.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ordinal, useNow } from '../../ui/moment.ts'
import { ModeMark } from '../../ui/outcome-mark.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { objectLine } from './catalogue.ts'
import { clockText, sandboxNow, untilWords } from './clock-time.ts'
import { TintedEvent } from '../../ui/tinted-event.tsx'
import { useClearings, useNotifications, type ClockReading } from './use-sandbox.ts'

/** A clearing or a next attempt. */
interface PendingItem {
  readonly key: string
  /** In sandbox time. */
  readonly at: string
  readonly mode: Mode
  readonly event: string
  readonly about: string
}

/** Returns the pending items of both modes, which share the clock, soonest first. */
export function usePendingItems(): readonly PendingItem[] {
  const clearings = useClearings()
  const notifications = useNotifications()
  const { objects } = useRead('sandbox.objects', {}).output ?? {}
  return useMemo(() => {
    const payments = clearings.map(({ transactionId, at, mode }): PendingItem => {
      const payment = objects?.find(
        ({ id, kind }) => kind === 'transaction' && id === transactionId,
      )
      const about =
        payment === undefined ? visibleText(shortIdOf(transactionId)) : objectLine(payment)
      return {
        ...{ key: `clearing ${transactionId}`, at, mode },
        ...{ event: 'transaction.clearing', about },
      }
    })
    const attempts = (notifications ?? []).flatMap(
      ({ id, event, mode, nextAt, attempts: previous }): PendingItem | readonly [] =>
        nextAt === null
          ? []
          : { key: id, at: nextAt, mode, event, about: `${ordinal(previous.length + 1)} attempt` },
    )
    return [...payments, ...attempts].toSorted((left, right) => left.at.localeCompare(right.at))
  }, [clearings, notifications, objects])
}

export function PendingList({
  id,
  items,
  reading,
}: {
  readonly id: string
  readonly items: readonly PendingItem[]
  readonly reading: ClockReading
}) {
  const moveClock = useApp((state) => state.sandbox.moveClock)
  const now = useNow(1_000)
  if (items.length === 0)
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
      {items.map(({ key, at, mode, event, about }) => (
        <li
          key={key}
          className="flex h-8 items-center gap-3 border-b border-line/40 pr-3 pl-4 last:border-0"
        >
          <span className="data w-36 shrink-0">{clockText(Date.parse(at))}</span>
          <span className="w-24 shrink-0 truncate text-small text-subtle">
            {untilWords(Date.parse(at) - sandboxNow(reading, now))}
          </span>
          <TintedEvent event={event} />
          <span className="min-w-0 flex-1 truncate text-muted">{about}</span>
          <ModeMark mode={mode} />
          <Button
            kind="quiet"
            className="h-6 px-1.5 text-small"
            aria-label={`Advance to ${event} at ${clockText(Date.parse(at))}`}
            onClick={() => void moveClock({ action: 'set', time: at })}
          >
            Advance
          </Button>
        </li>
      ))}
    </ul>
  )
}
