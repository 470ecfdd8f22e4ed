/**
 * The quick tour: a panel below the app that explains a step, performs it, and tells its result.
 */
import { Footprints, TriangleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { PaletteItem } from '../../ui-state/commands.ts'
import type { TourProgress } from '../../ui-state/preferences-slice.ts'
import type { AppState, AppStore } from '../../ui-state/store.ts'
import { ALL_FLOW_RUNS } from '../../core-data/events.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts, useAppStore } from '../../ui-state/use-app.ts'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { TOUR_LENGTH } from './tour-slice.ts'
import { type TourAction, type TourStep, tourSteps, obstacleOf } from './tour-steps.ts'
import { focusShownPane } from '../../ui/pane-focus.ts'

const TOUR_ID = 'quick-tour'

/** Whether the panel has the focus; Esc then leaves the tour first. */
export function tourHasFocus(): boolean {
  return document.getElementById(TOUR_ID)?.contains(document.activeElement) === true
}

/** Hides the tour, keeping its step; returns false if it isn't shown. */
export function leaveTour(store: AppStore): boolean {
  const hadFocus = tourHasFocus()
  if (!store.getState().tour.leave()) return false
  if (hadFocus) focusShownPane()
  return true
}

export function Tour() {
  const step = useApp(({ preferences: { tour } }) => (tour?.shown === true ? tour.step : null))
  return step === null ? null : <Panel step={step} />
}

const resumeCapture: TourAction = {
  label: 'Resume capture',
  run: ({ list }) => list.pauseOrResume(false),
}

function Panel({ step: place }: { readonly step: number }) {
  const store = useAppStore()
  const step = tourSteps[place]
  // A step may wait for a flow run.
  useRead('flows.runs', ALL_FLOW_RUNS)
  const { isDone, obstacle, paused, handler, busy, goTo } = useAppParts((state) => ({
    isDone: step?.isDone(state) === true,
    obstacle: obstacleOf(state),
    paused: state.core.status?.receiver.state === 'paused',
    handler: state.core.handlers.find(({ current }) => current) ?? null,
    busy: state.tour.busy || state.list.sending,
    goTo: state.tour.goTo,
  }))
  const primary = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    primary.current?.focus()
  }, [place])
  if (step === undefined) return null
  const isLast = place + 1 === TOUR_LENGTH
  const goOn = () => {
    goTo(place + 1)
    if (isLast) focusShownPane()
  }
  const actions = step.actions(handler)
  const buttons = isDone
    ? [{ label: isLast ? 'Finish' : 'Next', run: goOn }, ...actions]
    : obstacle === null
      ? actions
      : paused
        ? [resumeCapture]
        : []
  return (
    <section
      aria-label="Quick tour"
      id={TOUR_ID}
      data-pane="quick-tour"
      className="max-h-[45%] shrink-0 overflow-auto border-t-2 border-accent bg-surface"
    >
      <div className="flex flex-wrap items-start gap-x-6 gap-y-2 px-4 py-3">
        <div className="min-w-[280px] flex-1 basis-[420px]">
          <Progress current={place} />
          <StepText step={step} isDone={isDone} obstacle={obstacle} />
        </div>
        <div className="ml-auto flex flex-col items-end gap-1.5 max-[900px]:ml-0">
          <div className="flex flex-row-reverse flex-wrap gap-1.5 max-[900px]:flex-row">
            {buttons.map(({ label, run }, order) => (
              <Button
                key={label}
                {...(order === 0 ? { ref: primary, kind: 'primary' as const } : {})}
                aria-disabled={busy}
                onClick={() => {
                  if (!busy) void run(store.getState())
                }}
              >
                {busy && order === 0 ? 'Working…' : label}
              </Button>
            ))}
          </div>
          <div className="flex items-center gap-0.5">
            {place > 0 && (
              <Button kind="quiet" onClick={() => goTo(place - 1)}>
                Back
              </Button>
            )}
            {!isDone && (
              <Button kind="quiet" onClick={goOn}>
                Skip
              </Button>
            )}
            <Button kind="quiet" onClick={() => leaveTour(store)}>
              Leave <ActionKeys action="back" />
            </Button>
          </div>
        </div>
      </div>
    </section>
  )
}

function StepText({
  step: { title, about, result },
  isDone,
  obstacle,
}: {
  readonly step: TourStep
  readonly isDone: boolean
  readonly obstacle: string | null
}) {
  return (
    <div aria-live="polite" aria-atomic="true" className="mt-0.5 max-w-[860px]">
      <h2 className="text-title font-medium">{title}</h2>
      <p>{isDone ? result : about}</p>
      {!isDone && obstacle !== null && (
        <p className="mt-1 flex items-start gap-2 text-muted">
          <TriangleAlert size={15} className="mt-0.5 shrink-0 text-warn" />
          <span className="min-w-0 wrap-anywhere">
            <ExactText text={obstacle} />
          </span>
        </p>
      )}
    </div>
  )
}

/** Shows the number of the step, in words and as the current one of a row of dots. */
function Progress({ current }: { readonly current: number }) {
  return (
    <div className="flex items-center gap-2 text-tiny text-subtle">
      <span className="flex gap-1" aria-hidden>
        {tourSteps.map(({ title }, place) => (
          <span
            key={title}
            className={`h-1.5 rounded-full ${place === current ? 'w-4 bg-accent' : place < current ? 'w-1.5 bg-accent' : 'w-1.5 bg-edge'}`}
          />
        ))}
      </span>
      Quick tour, {current + 1} of {TOUR_LENGTH}
    </div>
  )
}

function offerWords(tour: TourProgress | null): string {
  if (tour === null) return 'Take the quick tour · 2 minutes'
  return tour.step >= TOUR_LENGTH
    ? 'Retake the quick tour'
    : `Continue the quick tour · ${tour.step + 1} of ${TOUR_LENGTH}`
}

/** Offers the tour; renders nothing while it is shown. */
export function TourOffer({ kind = 'plain' }: Pick<ButtonProps, 'kind'>) {
  const tour = useApp((state) => state.preferences.tour)
  const begin = useApp((state) => state.tour.begin)
  if (tour?.shown === true) return null
  return (
    <Button kind={kind} icon={Footprints} onClick={begin}>
      {offerWords(tour)}
    </Button>
  )
}

export function tourCommands({ preferences, tour }: AppState): readonly PaletteItem[] {
  if (preferences.tour?.shown === true)
    return [{ value: 'leave-tour', label: 'Leave the quick tour', run: () => void tour.leave() }]
  return [{ value: 'tour', label: offerWords(preferences.tour), run: tour.begin }]
}
