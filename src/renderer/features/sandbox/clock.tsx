/** The sandbox clock: time, speed, advance buttons and pending items. */
import { ChevronDown, ChevronUp, Clock, Pause, Play } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { z } from 'zod'
import type { Mode } from '../../../shared/model/delivery.ts'
import { inForm } from '../../../shared/model/field-words.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ButtonMenu, Choice, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { duration, longDuration, ordinal, useNow } from '../../ui/moment.ts'
import { ModeMark } from '../../ui/outcome-mark.tsx'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { InputForm, useInputForm } from '../../connected/input-form.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { objectLine } from './catalogue.ts'
import {
  useClearings,
  useClockReading,
  useNotifications,
  type ClockReading,
} from './use-sandbox.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const jumps = [1, 24, 72] as const
/** Offered speeds. The command line accepts any other. */
const speeds = [1, 10, 60, 600, 3_600] as const

/** Returns the sandbox time in milliseconds since the epoch, for `now` in real time. */
export function sandboxNow({ state, readAt }: ClockReading, now: number): number {
  const stood = Date.parse(state.now)
  return state.paused ? stood : stood + Math.max(0, now - readAt) * state.speed
}

/** Returns `in 2 days`, `in 4 h 12 min`, `due now`. */
export function untilWords(ms: number): string {
  return ms <= 0
    ? 'due now'
    : `in ${ms < 1_000 ? '1 s' : duration(ms).replace(/^(\d+)\.\d s$/, '$1 s')}`
}

/** Returns the lead of the sandbox over real time: `real time`, `2 days 5 h ahead`. */
export function aheadWords(ms: number): string {
  if (Math.abs(ms) < 1_500) return 'real time'
  // Advancing by 72 h takes a moment: from an hour on, seconds don't count.
  const shown = Math.abs(ms) < HOUR_MS ? ms : Math.round(ms / MINUTE_MS) * MINUTE_MS
  return `${longDuration(shown).replace(/^(\d+)\.\d s$/, '$1 s')} ${ms > 0 ? 'ahead' : 'behind'}`
}

/** Returns `2026-11-23 12:00:00` in UTC, like the times of the service. */
export function clockText(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}

/** Parses a typed time: ISO 8601 with a space or T, UTC without a zone. Null if invalid. */
export function readTime(text: string): string | null {
  const match =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)\s*(Z|UTC|[+-]\d\d:\d\d)?)?$/i.exec(
      text.trim(),
    )
  if (match === null) return null
  const [, day = '', time = '00:00', zone = 'Z'] = match
  const at = new Date(`${day}T${time}${/^(z|utc)$/i.test(zone) ? 'Z' : zone}`)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}

export function ClockBar() {
  const moveClock = useApp((state) => state.sandbox.moveClock)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const reading = useClockReading()
  const waiting = useWaiting()
  const [isListed, setListed] = useState(false)
  const list = useId()
  if (reading === null) return <div className="h-11 shrink-0 border-b border-line bg-surface" />
  const { paused, speed } = reading.state
  const nextClearing = waiting.find(({ event }) => event === 'transaction.clearing')
  const style = 'px-2 max-[960px]:px-1'
  return (
    <section
      aria-label="Sandbox clock"
      data-pane="clock"
      className="shrink-0 border-b border-line bg-surface"
    >
      <div className="flex min-h-11 flex-wrap items-center gap-x-1.5 gap-y-1 py-1.5 pr-3 pl-4">
        <Clock size={15} className="shrink-0 text-subtle max-[960px]:hidden" />
        <Face reading={reading} />
        <IconButton
          label={paused ? 'Resume clock' : 'Pause clock'}
          pressed={paused}
          icon={paused ? Play : Pause}
          onClick={() => void moveClock({ action: paused ? 'resume' : 'pause' })}
        />
        <span className="flex items-center gap-1" role="group" aria-label="Advance clock">
          {jumps.map((hours) => (
            <Button
              key={hours}
              className={style}
              onClick={() => void moveClock({ action: 'jump', ms: hours * HOUR_MS })}
            >
              +{hours} h
            </Button>
          ))}
          <Button
            className={style}
            disabled={nextClearing === undefined}
            onClick={() => {
              if (nextClearing !== undefined)
                void moveClock({ action: 'set', time: nextClearing.at })
            }}
          >
            Next clearing
          </Button>
          <ButtonMenu
            trigger={
              <Button className={style}>
                More
                <ChevronDown size={12} className="text-subtle" />
              </Button>
            }
          >
            {[...new Set([...speeds, speed])]
              .toSorted((left, right) => left - right)
              .map((one) => (
                <Choice
                  key={one}
                  isChosen={one === speed}
                  onChoose={() => void moveClock({ action: 'speed', speed: one })}
                >
                  {one === 1 ? 'Real speed' : `${one.toLocaleString('en')}× speed`}
                </Choice>
              ))}
            <MenuLine />
            <MenuItem className="pl-8" onClick={() => openOverlay('set-clock')}>
              Set time…
            </MenuItem>
          </ButtonMenu>
        </span>
        <Button
          kind="quiet"
          className={`ml-auto ${style}`}
          aria-expanded={isListed}
          {...(isListed ? { 'aria-controls': list } : {})}
          icon={isListed ? ChevronUp : ChevronDown}
          onClick={() => setListed(!isListed)}
        >
          {waiting.length === 0 ? 'Nothing pending' : `${waiting.length} pending`}
        </Button>
      </div>
      {isListed && <WaitingList id={list} waiting={waiting} reading={reading} />}
    </section>
  )
}

/** Shows the time. A component of its own, because it changes every second. */
function Face({ reading }: { readonly reading: ClockReading }) {
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

export function ClockDialog() {
  return (
    <OverlayDialog
      overlay="set-clock"
      title="Set sandbox clock"
      description="The clock only moves forward. Everything due on the way happens. Signatures keep using real time."
    >
      {(close) => <ClockForm onDone={close} />}
    </OverlayDialog>
  )
}

const clockSchema = z.object({
  text: inForm(
    z.string().refine((text) => readTime(text) !== null),
    {
      label: 'Time (UTC)',
      hint: 'For example 2026-11-23 12:00, or with a zone: 2026-11-23T13:00+01:00',
      expected: 'a date and time, such as 2026-11-23 12:00',
    },
  ),
})

function ClockForm({ onDone }: { readonly onDone: () => void }) {
  const changeClock = useApp((state) => state.sandbox.changeClock)
  const reading = useClockReading()
  const form = useInputForm({
    schema: clockSchema,
    begin: () => ({
      text: reading === null ? '' : clockText(sandboxNow(reading, Date.now()) + HOUR_MS),
    }),
    submit({ text }) {
      const time = readTime(text)
      return time === null ? null : changeClock({ action: 'set', time })
    },
    onDone,
  })
  return <InputForm form={form} action="Set clock" busyWords="Setting…" onCancel={onDone} />
}

/** A clearing or a next attempt. */
interface Waiting {
  readonly key: string
  /** In sandbox time. */
  readonly at: string
  readonly mode: Mode
  readonly event: string
  readonly about: string
}

/** Returns the pending items of both modes, which share the clock, soonest first. */
function useWaiting(): readonly Waiting[] {
  const clearings = useClearings()
  const notifications = useNotifications()
  const { objects } = useRead('sandbox.objects', {}).output ?? {}
  return useMemo(() => {
    const payments = clearings.map(({ transactionId, at, mode }): Waiting => {
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
      ({ id, event, mode, nextAt, attempts: made }): Waiting | readonly [] =>
        nextAt === null
          ? []
          : { key: id, at: nextAt, mode, event, about: `${ordinal(made.length + 1)} attempt` },
    )
    return [...payments, ...attempts].toSorted((left, right) => left.at.localeCompare(right.at))
  }, [clearings, notifications, objects])
}

function WaitingList({
  id,
  waiting,
  reading,
}: {
  readonly id: string
  readonly waiting: readonly Waiting[]
  readonly reading: ClockReading
}) {
  const moveClock = useApp((state) => state.sandbox.moveClock)
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
      {waiting.map(({ key, at, mode, event, about }) => (
        <li
          key={key}
          className="flex h-8 items-center gap-3 border-b border-line/40 pr-3 pl-4 last:border-0"
        >
          <span className="data w-36 shrink-0">{clockText(Date.parse(at))}</span>
          <span className="w-24 shrink-0 truncate text-small text-subtle">
            {untilWords(Date.parse(at) - sandboxNow(reading, now))}
          </span>
          <span className="data min-w-0 shrink truncate">{visibleText(event)}</span>
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
