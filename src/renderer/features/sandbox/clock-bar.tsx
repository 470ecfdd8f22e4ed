/** The sandbox clock: time, advance buttons and pending items. */
import { ChevronDown, ChevronUp, Clock, Pause, Play } from 'lucide-react'
import { useId, useState } from 'react'
import { useApp } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { useNow } from '../../ui/moment.ts'
import { PendingList, usePendingItems } from './clock-pending.tsx'
import { aheadWords, clockText, HOUR_MS, sandboxNow } from './clock-time.ts'
import { useClearings, useClockReading, type ClockReading } from './use-sandbox.ts'

const jumps = [1, 24, 72] as const

export function ClockBar() {
  const moveClock = useApp((state) => state.sandbox.moveClock)
  const reading = useClockReading()
  const clearings = useClearings()
  const items = usePendingItems()
  const [isListed, setListed] = useState(false)
  const list = useId()
  if (reading === null) return <div className="h-10 shrink-0 border-b border-line bg-surface" />
  const { paused } = reading.state
  const [nextClearing] = clearings
  return (
    <section
      aria-label="Sandbox clock"
      data-pane="clock"
      className="@container shrink-0 border-b border-line bg-surface"
    >
      <div className="flex min-h-10 flex-wrap items-center gap-x-2 gap-y-1 py-1 pr-2 pl-4">
        <Clock size={14} className="shrink-0 text-subtle" />
        <h2 className="text-small text-muted @max-[960px]:sr-only">Sandbox clock</h2>
        <ClockFace reading={reading} />
        <IconButton
          label={paused ? 'Resume clock' : 'Pause clock'}
          pressed={paused}
          icon={paused ? Play : Pause}
          onClick={() => void moveClock({ action: paused ? 'resume' : 'pause' })}
        />
        <AdvanceButtons nextClearingAt={nextClearing?.at ?? null} />
        <Button
          kind="quiet"
          className="ml-auto px-2"
          aria-expanded={isListed}
          {...(isListed ? { 'aria-controls': list } : {})}
          onClick={() => setListed(!isListed)}
        >
          {items.length} pending
          {isListed ? <ChevronUp size={13} /> : <ChevronDown size={13} />}
        </Button>
      </div>
      {isListed && <PendingList id={list} items={items} reading={reading} />}
    </section>
  )
}

/** Shows the time. Separate, because it changes every second. */
function ClockFace({ reading }: { readonly reading: ClockReading }) {
  const { paused, speed } = reading.state
  const now = useNow(speed > 10 ? 100 : 250)
  const time = sandboxNow(reading, now)
  const words = [
    ...(paused ? ['paused'] : []),
    ...(speed === 1 ? [] : [`${speed.toLocaleString('en')}×`]),
  ]
  return (
    <span className="flex items-baseline gap-2 whitespace-nowrap">
      <time
        dateTime={new Date(time).toISOString()}
        title="Sandbox time, UTC"
        className="data text-base font-medium text-text"
      >
        {clockText(time)}
      </time>
      <span className="text-small text-subtle">
        {['UTC', ...words].join(', ')}
        <span className="@max-[960px]:hidden">, {aheadWords(time - now)}</span>
      </span>
    </span>
  )
}

/** Returns `1 Dec 04:00` in UTC, like the clock. */
function clearingWords(at: string): string {
  const day = new Date(at).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  return `${day} ${at.slice(11, 16)}`
}

const segmentStyle =
  'inline-flex h-6 shrink-0 items-center gap-1.5 rounded-small px-2 text-small font-medium whitespace-nowrap text-muted hover:bg-control hover:text-text disabled:opacity-60 disabled:hover:bg-transparent'

function AdvanceButtons({
  nextClearingAt,
}: {
  /** In sandbox time; null if no clearing is pending. */
  readonly nextClearingAt: string | null
}) {
  const moveClock = useApp((state) => state.sandbox.moveClock)
  const label = useId()
  return (
    <span
      role="group"
      aria-labelledby={label}
      className="flex items-center gap-2 border-l border-line pl-3"
    >
      <span id={label} className="text-small text-muted">
        Advance
      </span>
      <span className="flex h-7 items-center rounded-control border border-line bg-raised px-px">
        {jumps.map((hours) => (
          <button
            key={hours}
            type="button"
            className={segmentStyle}
            onClick={() => void moveClock({ action: 'jump', ms: hours * HOUR_MS })}
          >
            {hours} h
          </button>
        ))}
        <button
          type="button"
          className={segmentStyle}
          disabled={nextClearingAt === null}
          onClick={() => {
            if (nextClearingAt !== null) void moveClock({ action: 'set', time: nextClearingAt })
          }}
        >
          Next clearing
          {nextClearingAt !== null && (
            <span className="data text-subtle @max-[720px]:hidden">
              {clearingWords(nextClearingAt)}
            </span>
          )}
        </button>
      </span>
    </span>
  )
}
