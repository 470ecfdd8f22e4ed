/**
 * The quick tour: a panel at the bottom of the window that says what a step is about, does it, and says what happened. It covers
 * nothing: the whole app stays usable, and the tour notices what the user does there.
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
import { focusShownPane } from '../../ui/split-panes.tsx'
import { TOUR_LENGTH } from './tour-slice.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'

const TOUR_ID = 'quick-tour'

/** While the panel has the focus, Esc leaves the tour first. */
export function tourHasFocus(): boolean {
  return document.getElementById(TOUR_ID)?.contains(document.activeElement) === true
}

/** Hides the tour, keeping its place; false if it isn't shown. */
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

const resume: TourAction = {
  label: 'Resume capture',
  run: ({ list }) => list.pauseOrResume(false),
}

function Panel({ step: place }: { readonly step: number }) {
  const store = useAppStore()
  const step = tourSteps[place]
  // A step may wait for a run.
  useRead('flows.runs', ALL_FLOW_RUNS)
  const { isDone, trouble, paused, handler, busy, goTo } = useAppParts((state) => ({
    isDone: step?.isDone(state) === true,
    trouble: troubleOf(state),
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
  const offered = isDone
    ? [{ label: isLast ? 'Finish' : 'Next', run: goOn }, ...actions]
    : trouble === null
      ? actions
      : paused
        ? [resume]
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
          <div className="flex items-center gap-2 text-tiny text-subtle">
            <Progress current={place} />
            Quick tour, {place + 1} of {TOUR_LENGTH}
          </div>
          <div aria-live="polite" aria-atomic="true" className="mt-0.5 max-w-[860px]">
            <h2 className="text-title font-medium">{step.title}</h2>
            <p>{isDone ? step.result : step.about}</p>
            {!isDone && trouble !== null && (
              <p className="mt-1 flex items-start gap-2 text-muted">
                <TriangleAlert size={15} className="mt-0.5 shrink-0 text-warn" />
                <span className="min-w-0 wrap-anywhere">
                  <ExactText text={trouble} />
                </span>
              </p>
            )}
          </div>
        </div>
        <div className="ml-auto flex flex-col items-end gap-1.5 max-[900px]:ml-0">
          <div className="flex flex-row-reverse flex-wrap gap-1.5 max-[900px]:flex-row">
            {offered.map(({ label, run }, order) => (
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

/** The step as one of several dots; the text beside it says the same. */
function Progress({ current }: { readonly current: number }) {
  return (
    <span className="flex gap-1" aria-hidden>
      {tourSteps.map(({ title }, place) => (
        <span
          key={title}
          className={`h-1.5 rounded-full ${place === current ? 'w-4 bg-accent' : place < current ? 'w-1.5 bg-accent' : 'w-1.5 bg-edge'}`}
        />
      ))}
    </span>
  )
}

function offerWords(tour: TourProgress | null): string {
  if (tour === null) return 'Take the quick tour · 2 minutes'
  return tour.step >= TOUR_LENGTH
    ? 'Retake the quick tour'
    : `Continue the quick tour · ${tour.step + 1} of ${TOUR_LENGTH}`
}

/** Renders nothing while the tour is shown. */
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

// The five steps of the quick tour as data. A step is done if the app shows it, whether the tour's button or the user did it.

interface TourStep {
  readonly title: string
  /** Shown before the step is done. */
  readonly about: string
  /** Shown once it is done. */
  readonly result: string
  readonly isDone: (state: AppState) => boolean
  /** What to do with the current handler, if there is one; the suggested action first. */
  readonly actions: (handler: SavedHandler | null) => readonly TourAction[]
}

interface TourAction {
  readonly label: string
  readonly run: (state: AppState) => unknown
}

/** The flow of the last step. */
const FLOW = 'purchase-visa'

function showsSignature({ navigation, list }: AppState, verdict: 'valid' | 'invalid'): boolean {
  const { id, tab } = navigation.at.deliveries
  const row = list.rows.rows.get(list.selectedSeq ?? 0)
  return (
    navigation.screen === 'deliveries' &&
    tab === 'signature' &&
    row?.id === id &&
    row?.verdict === verdict
  )
}

export const tourSteps: readonly TourStep[] = [
  {
    title: 'Send a sample',
    about:
      'The sandbox on this computer acts as the service. It sends a signed transaction.auth over HTTPS, to a hook that Countersign adds for you.',
    result:
      'The delivery arrived. Countersign stored its exact bytes, verified its signature and returned 200.',
    isDone: ({ core }) => (core.status?.store.deliveries ?? 0) > 0,
    actions: () => [{ label: 'Send sample', run: ({ list }) => list.sendSample() }],
  },
  {
    title: 'Read the signature',
    about:
      "The service signs every delivery with the hook's secret. The Signature tab computes the signature step by step.",
    result:
      "Valid: body, URL and timestamp, hashed twice with the hook's secret, match the signature received. Anyone can send requests to your URL, but only someone with the secret can sign them.",
    isDone: (state) => showsSignature(state, 'valid'),
    actions: () => [{ label: 'Open signature', run: ({ tour }) => tour.openValid() }],
  },
  {
    title: 'Break it',
    about: 'Send the delivery again, with one character of its body changed after signing.',
    result:
      'Invalid: the signature no longer matches the body. The diagnosis tries other secrets, URLs and signing methods. None fits, so the body was probably changed.',
    isDone: (state) => showsSignature(state, 'invalid'),
    actions: () => [
      { label: 'Change one character and resend', run: ({ tour }) => tour.sendAltered() },
    ],
  },
  {
    title: 'Replay it to your handler',
    about:
      'A replay sends a stored delivery with a fresh signature, as often as you need while you write your code. Without a handler, it arrives here again.',
    result: 'Sent. History shows the response.',
    isDone: ({ core }) =>
      core.replays?.some(({ state, tamper }) => state === 'done' && tamper === null) === true,
    actions: (handler) =>
      handler === null
        ? [
            {
              label: 'Add handler…',
              run: ({ handlers }) => handlers.edit({}),
            },
            { label: 'Replay without handler', run: ({ tour }) => tour.replayValid() },
          ]
        : [{ label: `Replay to ${handlerRef(handler)}`, run: ({ tour }) => tour.replayValid() }],
  },
  {
    title: 'Run a flow',
    about:
      'A flow triggers events in an isolated sandbox and checks the deliveries they cause: here a purchase, from the payment to the clearing two days later.',
    result:
      'Each step shows what was expected and what happened. With a handler set, a flow checks its responses, too.',
    isDone: ({ navigation, data }) =>
      navigation.screen === 'flows' &&
      data
        .known('flows.runs', ALL_FLOW_RUNS)
        ?.runs.some(({ flow, state }) => flow === FLOW && state === 'done') === true,
    actions: () => [
      {
        label: 'Run the purchase flow',
        run: ({ flows }) => flows.openAndRun(FLOW),
      },
    ],
  },
]

/** Why nothing can arrive; null if it can. */
function troubleOf({ core: { status, connection } }: Pick<AppState, 'core'>): string | null {
  if (connection.phase !== 'open' || status === null)
    return "The window isn't connected. The tour continues when it reconnects."
  const { state, problem } = status.receiver
  if (state === 'listening') return null
  if (state === 'paused')
    return 'Capture is paused: the receiver would return 503 and store nothing.'
  return `The receiver isn't listening. ${problem ?? 'This instance runs without a receiver.'}`
}
