/** The sandbox clock: time, speed, advance buttons and pending items. */
import { ChevronDown, ChevronUp, Clock, Pause, Play } from 'lucide-react'
import { useId, useMemo } from 'react'
import { z } from 'zod'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useNow } from '../../ui/use-now.ts'
import { bySchema, useForm } from '../../ui/use-form.ts'
import {
  aheadWords,
  clockText,
  readTime,
  sandboxNow,
  speeds,
  speedWords,
  untilWords,
} from './clock-reading.ts'
import type { Mode } from '../../../shared/model/delivery.ts'
import { ModeMark } from '../../ui/outcome-mark.tsx'
import { ordinal } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { objectLine } from './object-words.ts'
import { useClearings, useClockReading, useNotifications, useObjects } from './use-sandbox.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'

const HOUR = 3_600_000
const jumps = [1, 24, 72] as const

export function ClockBar() {
  const { changeClock, waitingShown, setWaitingShown } = useParts(
    'sandbox',
    'changeClock',
    'waitingShown',
    'setWaitingShown',
  )
  const reading = useClockReading()
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const list = useId()
  const waiting = useWaiting()
  const nextClearing = waiting.find(({ kind }) => kind === 'clearing')
  if (reading === null) return <div className="h-11 shrink-0 border-b border-line bg-surface" />
  const { paused, speed } = reading.state
  return (
    <section
      aria-label="Sandbox clock"
      data-pane="clock"
      className="shrink-0 border-b border-line bg-surface"
    >
      <div className="flex min-h-11 flex-wrap items-center gap-x-1.5 gap-y-1 py-1.5 pr-3 pl-4">
        <Clock size={15} aria-hidden className="shrink-0 text-subtle max-[960px]:hidden" />
        <Face />
        <IconButton
          label={paused ? 'Resume clock' : 'Pause clock'}
          pressed={paused}
          icon={paused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
          onClick={() => void changeClock({ action: paused ? 'resume' : 'pause' })}
        />
        <Select
          aria-label="Clock speed"
          data
          choices={[...new Set([...speeds, speed])]
            .toSorted((left, right) => left - right)
            .map((one) => ({ value: String(one), label: speedWords(one) }))}
          value={String(speed)}
          onChange={(next) => void changeClock({ action: 'speed', speed: Number(next) })}
          className="w-[68px]! gap-0.5! px-1.5!"
        />
        <span className="flex items-center gap-1" role="group" aria-label="Advance clock">
          {jumps.map((hours) => (
            <Button
              key={hours}
              className="px-2 max-[960px]:px-1"
              onClick={() => void changeClock({ action: 'jump', ms: hours * HOUR })}
            >
              +{hours} h
            </Button>
          ))}
          <Button
            className="px-2 max-[960px]:px-1"
            disabled={nextClearing === undefined}
            onClick={() => {
              if (nextClearing !== undefined)
                void changeClock({ action: 'set', time: nextClearing.at })
            }}
          >
            Next clearing
          </Button>
          <Button className="px-2 max-[960px]:px-1" onClick={() => openOverlay('set-clock')}>
            Set…
          </Button>
        </span>
        <Button
          kind="quiet"
          className="ml-auto px-2 max-[960px]:px-1"
          aria-expanded={waitingShown}
          {...(waitingShown ? { 'aria-controls': list } : {})}
          icon={
            waitingShown ? (
              <ChevronUp size={13} aria-hidden />
            ) : (
              <ChevronDown size={13} aria-hidden />
            )
          }
          onClick={() => setWaitingShown(!waitingShown)}
        >
          {waiting.length === 0 ? 'Nothing pending' : `${waiting.length} pending`}
        </Button>
      </div>
      {waitingShown && <WaitingList id={list} waiting={waiting} />}
    </section>
  )
}

/** Rendered separately because it changes constantly. */
function Face() {
  const reading = useClockReading()
  const now = useNow(reading !== null && reading.state.speed > 10 ? 100 : 250)
  if (reading === null) return null
  const time = sandboxNow(reading, now)
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
        {reading.state.paused ? (
          <>
            <span className="max-[960px]:hidden">UTC · </span>paused
          </>
        ) : (
          'UTC'
        )}
        <span className="max-[1100px]:hidden"> · {aheadWords(time - now)}</span>
      </span>
    </span>
  )
}

/** Asks for confirmation before advancing the clock while live deliveries depend on it. */
export function ClockLiveDialog() {
  const { clockToConfirm: change, changeClock } = useParts(
    'sandbox',
    'clockToConfirm',
    'changeClock',
  )
  return (
    <OverlayDialog overlay="clock-live" title="Advance clock">
      {(close) => (
        <LiveConfirmation
          environment="sandbox-live"
          action="Advance clock (live)"
          busy={false}
          onConfirm={() => {
            close()
            if (change !== null) void changeClock(change, true)
          }}
          onBack={close}
        >
          Test and live share one clock. Pending live deliveries that fall due will be sent. No real
          cards or money.
        </LiveConfirmation>
      )}
    </OverlayDialog>
  )
}

/** Sets the sandbox clock to a later time. */
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

const checkTime = bySchema(
  z.object({
    text: z
      .string()
      .refine(
        (text) => readTime(text) !== null,
        'Enter a date and time, such as 2026-11-23 12:00.',
      ),
  }),
)

function ClockForm({ onDone }: { readonly onDone: () => void }) {
  const setClock = useApp((state) => state.sandbox.setClock)
  const reading = useClockReading()
  const form = useForm({
    begin: () => ({
      text: reading === null ? '' : clockText(sandboxNow(reading, Date.now()) + 3_600_000),
    }),
    check: checkTime,
    submit({ text }) {
      const time = readTime(text)
      return time === null ? null : setClock(time)
    },
    onDone,
  })
  const { busy, problem } = form
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <TextField
        label="Time (UTC)"
        hint="For example 2026-11-23 12:00, or with a zone: 2026-11-23T13:00+01:00"
        {...form.field('text')}
      />
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot onCancel={onDone} action="Set clock" busyWords="Setting…" busy={busy} />
    </form>
  )
}

// Pending items of the sandbox clock: clearings and next attempts, soonest first.

interface Waiting {
  readonly key: string
  readonly kind: 'clearing' | 'attempt'
  /** In sandbox time. */
  readonly at: string
  readonly mode: Mode
  readonly what: string
  readonly about: string
}

/** Items of both modes, which share one clock. */
function useWaiting(): readonly Waiting[] {
  const clearings = useClearings()
  const notifications = useNotifications()
  const objects = useObjects()
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

function WaitingList({
  id,
  waiting,
}: {
  readonly id: string
  readonly waiting: readonly Waiting[]
}) {
  const changeClock = useApp((state) => state.sandbox.changeClock)
  const reading = useClockReading()
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
