/** The sandbox clock: time, speed, advance buttons and pending items. */
import { ChevronDown, ChevronUp, Clock, Pause, Play } from 'lucide-react'
import { useId, useState } from 'react'
import { useApp } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ButtonMenu, MenuChoice, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { useNow } from '../../ui/moment.ts'
import { PendingList, usePendingItems } from './clock-pending.tsx'
import { aheadWords, clockText, HOUR_MS, sandboxNow } from './clock-time.ts'
import { useClockReading, type ClockReading } from './use-sandbox.ts'

const jumps = [1, 24, 72] as const
/** Offered speeds. The command line accepts any other. */
const speeds = [1, 10, 60, 600, 3_600] as const

const buttonStyle = 'px-2 max-[960px]:px-1'

export function ClockBar() {
  const moveClock = useApp((state) => state.sandbox.moveClock)
  const reading = useClockReading()
  const items = usePendingItems()
  const [isListed, setListed] = useState(false)
  const list = useId()
  if (reading === null) return <div className="h-11 shrink-0 border-b border-line bg-surface" />
  const { paused, speed } = reading.state
  const nextClearing = items.find(({ event }) => event === 'transaction.clearing')
  return (
    <section
      aria-label="Sandbox clock"
      data-pane="clock"
      className="shrink-0 border-b border-line bg-surface"
    >
      <div className="flex min-h-11 flex-wrap items-center gap-x-1.5 gap-y-1 py-1.5 pr-3 pl-4">
        <Clock size={15} className="shrink-0 text-subtle max-[960px]:hidden" />
        <ClockFace reading={reading} />
        <IconButton
          label={paused ? 'Resume clock' : 'Pause clock'}
          pressed={paused}
          icon={paused ? Play : Pause}
          onClick={() => void moveClock({ action: paused ? 'resume' : 'pause' })}
        />
        <AdvanceButtons speed={speed} nextClearingAt={nextClearing?.at ?? null} />
        <Button
          kind="quiet"
          className={`ml-auto ${buttonStyle}`}
          aria-expanded={isListed}
          {...(isListed ? { 'aria-controls': list } : {})}
          icon={isListed ? ChevronUp : ChevronDown}
          onClick={() => setListed(!isListed)}
        >
          {items.length === 0 ? 'Nothing pending' : `${items.length} pending`}
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
    <span className="mr-1 flex items-baseline gap-2 whitespace-nowrap">
      <time
        dateTime={new Date(time).toISOString()}
        title="Sandbox time, UTC"
        className="data text-base font-medium text-text"
      >
        {clockText(time)}
      </time>
      <span className="text-small text-subtle">
        {['UTC', ...words].join(' · ')}
        <span className="max-[1100px]:hidden"> · {aheadWords(time - now)}</span>
      </span>
    </span>
  )
}

function AdvanceButtons({
  speed,
  nextClearingAt,
}: {
  readonly speed: number
  /** In sandbox time; null if no clearing is pending. */
  readonly nextClearingAt: string | null
}) {
  const moveClock = useApp((state) => state.sandbox.moveClock)
  return (
    <span className="flex items-center gap-1" role="group" aria-label="Advance clock">
      {jumps.map((hours) => (
        <Button
          key={hours}
          className={buttonStyle}
          onClick={() => void moveClock({ action: 'jump', ms: hours * HOUR_MS })}
        >
          +{hours} h
        </Button>
      ))}
      <Button
        className={buttonStyle}
        disabled={nextClearingAt === null}
        onClick={() => {
          if (nextClearingAt !== null) void moveClock({ action: 'set', time: nextClearingAt })
        }}
      >
        Next clearing
      </Button>
      <MoreMenu speed={speed} />
    </span>
  )
}

/** Offers the speeds, and any other time. */
function MoreMenu({ speed }: { readonly speed: number }) {
  const moveClock = useApp((state) => state.sandbox.moveClock)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return (
    <ButtonMenu
      trigger={
        <Button className={buttonStyle}>
          More
          <ChevronDown size={12} className="text-subtle" />
        </Button>
      }
    >
      {[...new Set([...speeds, speed])]
        .toSorted((left, right) => left - right)
        .map((one) => (
          <MenuChoice
            key={one}
            isChosen={one === speed}
            onChoose={() => void moveClock({ action: 'speed', speed: one })}
          >
            {one === 1 ? 'Real speed' : `${one.toLocaleString('en')}× speed`}
          </MenuChoice>
        ))}
      <MenuLine />
      <MenuItem className="pl-8" onClick={() => openOverlay('set-clock')}>
        Set time…
      </MenuItem>
    </ButtonMenu>
  )
}
