/**
 * The quick tour: a panel at the bottom of the window that says what happens, why, and what to do next, and points at the part of
 * the screen concerned. It covers nothing: the whole app stays usable, and the tour notices what the user does there.
 */
import { TriangleAlert, Footprints } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { walkStations, type FirstWalk } from '../../../shared/model/first-walk.ts'
import { useApp, useAppParts, useAppStore } from '../../state/use-app.ts'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { focusShownPane } from '../../ui/split-panes.tsx'
import { TOUR_MARK, type TourPlace } from '../../ui/tour-place.ts'
import {
  momentOf,
  stationAfter,
  stationNumber,
  stations,
  troubleOf,
  type TourFacts,
  type TourTrouble,
} from './stations.ts'
import { actTour, compareTour, leaveTour, showStation, WALK_ID } from './tour-actions.ts'
import { factsOf } from './tour-facts.ts'
import { TourPicture, TourWays } from './tour-ways.tsx'
import type { PaletteItem } from '../../state/commands.ts'
import type { AppState } from '../../state/store.ts'

/** Notices everything opened, by the tour's buttons or by the user, and continues automatically where defined. */
function useTourProgress(walk: FirstWalk, facts: TourFacts): void {
  const store = useAppStore()
  const { openId, tab, follows, connected, watchTour } = useAppParts((state) => ({
    openId:
      state.navigation.screen === 'deliveries' && state.detail.mode !== 'closed'
        ? state.detail.openId
        : null,
    tab: state.detail.tab,
    follows: state.tour.follows,
    connected: state.core.connection.phase === 'open',
    watchTour: state.tour.watch,
  }))
  const hooks = walk.hookIds.join(' ')
  useEffect(() => (connected ? watchTour() : undefined), [connected, watchTour, hooks, walk.after])

  const { auth, altered, clearing } = facts
  useEffect(() => {
    const {
      tour: { markSeen: markTourSeen },
    } = store.getState()
    if (openId === null) return
    markTourSeen(openId)
    if (tab === 'lifecycle' && (openId === auth?.id || openId === clearing?.id))
      markTourSeen('purchase')
  }, [store, openId, tab, auth, clearing])

  useEffect(() => {
    const arrived =
      follows === 'auth'
        ? auth
        : follows === 'altered'
          ? altered
          : follows === 'clearing'
            ? clearing
            : null
    if (arrived === null) return
    store.getState().tour.setFollows(null)
    if (follows === 'auth') showStation(walk.station, store)
    else actTour(follows === 'altered' ? 'open-altered' : 'open-purchase', store)
  }, [store, follows, auth, altered, clearing, walk.station])

  const done = momentOf(walk.station, facts).step === null
  const before = useRef({ station: walk.station, done })
  useEffect(() => {
    const { station, done: wasDone } = before.current
    before.current = { station: walk.station, done }
    // Only recent actions continue automatically: someone who returned to a station stays there.
    if (station === walk.station && !wasDone && done && stations[walk.station].movesOn === true)
      void store.getState().tour.put({ station: stationAfter(walk.station, 1) })
  }, [store, walk.station, done])
}

const MARK = 'data-walk-target'

/** Returns whether the place is on screen. Null marks nothing. */
function useTourTarget(place: TourPlace | null): boolean {
  const [found, setFound] = useState(false)
  useEffect(() => {
    let marked: Element | null = null
    let frame = 0
    const mark = () => {
      frame = 0
      const element = place === null ? null : document.querySelector(`[${TOUR_MARK}="${place}"]`)
      setFound(element !== null)
      if (element === marked) return
      marked?.removeAttribute(MARK)
      element?.setAttribute(MARK, '')
      element?.scrollIntoView({ block: 'nearest' })
      marked = element
    }
    const soon = () => {
      if (frame === 0) frame = requestAnimationFrame(mark)
    }
    mark()
    // The place may be rendered later or again: a row of the list, an opened tab.
    const observer = new MutationObserver(soon)
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributeFilter: [TOUR_MARK],
    })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      marked?.removeAttribute(MARK)
    }
  }, [place])
  return found
}

export function Tour() {
  const walk = useApp((state) => state.core.settings.firstWalk)
  return walk?.shown === true ? <Panel walk={walk} /> : null
}

function Panel({ walk }: { readonly walk: FirstWalk }) {
  const store = useAppStore()
  const state = useAppParts((all) => ({
    hooks: all.core.hooks,
    status: all.core.status,
    rows: all.tour.rows,
    seen: all.tour.seen,
    othersWait: all.tour.othersWait,
    connected: all.core.connection.phase === 'open',
    busy: all.tour.busy || all.tour.follows !== null,
    problem: all.tour.problem,
    forwards: all.tour.forwards,
    focus: all.tour.focus,
  }))
  const facts = factsOf(walk, state)
  const moment = momentOf(walk.station, facts)
  const trouble = troubleOf(walk.station, { ...state, hookMoved: facts.hookMoved })
  const isShown = useTourTarget(trouble === null ? moment.target : null)
  useTourProgress(walk, facts)

  const primary = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (state.focus > 0) primary.current?.focus()
  }, [state.focus])

  const goTo = (by: 1 | -1) => {
    const station = stationAfter(walk.station, by)
    store.getState().tour.setFollows(null)
    void store.getState().tour.put({ station })
    showStation(station, store)
    primary.current?.focus()
  }
  const goOn = () => {
    if (state.busy) return
    if (trouble !== null) {
      if (trouble.act === 'resume') void store.getState().list.pauseOrResume(false)
      else if (trouble.act === 'register') actTour('register', store)
    } else if (moment.step !== null) actTour(moment.step.act, store)
    else if (walk.station === 'next') finish(false)
    else goTo(1)
  }
  const finish = (remove: boolean) => {
    void store
      .getState()
      .tour.finish(remove)
      .then((done) => {
        if (done) focusShownPane()
      })
  }
  const number = stationNumber(walk.station)
  const { title } = stations[walk.station]
  return (
    <section
      aria-label="Quick tour"
      id={WALK_ID}
      data-pane="first-walk"
      className="max-h-[45%] shrink-0 overflow-auto border-t-2 border-accent bg-surface"
    >
      <div className="flex flex-wrap items-start gap-x-6 gap-y-2 px-4 py-3">
        <div className="min-w-[280px] flex-1 basis-[420px]">
          <div className="flex items-center gap-2 text-tiny text-subtle">
            <Progress number={number} />
            Quick tour, {number} of {walkStations.length}
          </div>
          <div aria-live="polite" aria-atomic="true" className="mt-0.5 max-w-[860px]">
            <h2 className="text-title font-medium">{title}</h2>
            {trouble === null ? (
              <>
                <p>{moment.what}</p>
                <p className="text-muted">{moment.why}</p>
              </>
            ) : (
              <Trouble trouble={trouble} />
            )}
          </div>
          {walk.station === 'picture' && <TourPicture />}
          {facts.alsoHears !== null &&
            trouble === null &&
            (moment.step?.act === 'pay' || moment.step?.act === 'leap') && (
              <p className="mt-1 text-small text-warn">
                Your hook for <span className="data">{facts.alsoHears.event}</span> has no program,
                so it receives this event, too.
              </p>
            )}
          {walk.station === 'picture' && state.forwards > 0 && (
            <p className="mt-1 text-small text-warn">
              Forwarding is on: matching tour deliveries also go to your targets. Pause the targets
              to avoid that.
            </p>
          )}
          {walk.station === 'next' && (
            <div className="mt-1.5">
              <TourWays />
            </div>
          )}
          {state.problem !== null && (
            <p role="alert" className="mt-1 text-bad wrap-anywhere">
              <ExactText text={state.problem} />
            </p>
          )}
        </div>
        <div className="ml-auto flex flex-col items-end gap-1.5 max-[900px]:ml-0 max-[900px]:w-full max-[900px]:flex-row max-[900px]:flex-wrap max-[900px]:items-center">
          <div className="flex flex-row-reverse flex-wrap items-center gap-1.5 max-[900px]:flex-row">
            {(trouble === null || trouble.act !== null) && (
              <Button
                ref={primary}
                data-walk-primary
                kind="primary"
                aria-disabled={state.busy}
                onClick={goOn}
              >
                {state.busy ? 'Working…' : (trouble?.label ?? moment.label)}
              </Button>
            )}
            {walk.station === 'next' && (
              <Button
                aria-disabled={state.busy}
                onClick={() => {
                  if (!state.busy) finish(true)
                }}
              >
                Finish and remove
              </Button>
            )}
            {walk.station === 'signature' && moment.step === null && trouble === null && (
              <Button
                onClick={() => {
                  compareTour(store)
                }}
              >
                See the difference
              </Button>
            )}
            {!isShown && trouble === null && moment.target !== null && (
              <Button
                onClick={() => {
                  showStation(walk.station, store)
                }}
              >
                Show me
              </Button>
            )}
          </div>
          <div className="flex items-center gap-0.5">
            {number > 1 && (
              <Button
                kind="quiet"
                onClick={() => {
                  goTo(-1)
                }}
              >
                Back
              </Button>
            )}
            {number < walkStations.length && (
              <Button
                kind="quiet"
                onClick={() => {
                  goTo(1)
                }}
              >
                Skip
              </Button>
            )}
            <Button
              kind="quiet"
              onClick={() => {
                leaveTour(store)
              }}
            >
              Leave <ActionKeys action="back" />
            </Button>
          </div>
        </div>
      </div>
    </section>
  )
}

/** The current station as one of several dots; the text beside it says the same. */
function Progress({ number }: { readonly number: number }) {
  return (
    <span className="flex gap-1" aria-hidden>
      {walkStations.map((station, at) => (
        <span
          key={station}
          className={`h-1.5 rounded-full ${at + 1 === number ? 'w-4 bg-accent' : at < number ? 'w-1.5 bg-accent' : 'w-1.5 bg-edge'}`}
        />
      ))}
    </span>
  )
}

function Trouble({ trouble: { title, message } }: { readonly trouble: TourTrouble }) {
  return (
    <p className="flex items-start gap-2">
      <TriangleAlert size={15} aria-hidden className="mt-0.5 shrink-0 text-warn" />
      <span className="min-w-0 wrap-anywhere">
        <span className="font-medium">{title}</span>{' '}
        <span className="text-muted">
          <ExactText text={message} />
        </span>
      </span>
    </p>
  )
}

/** `short`: for narrow places. */
function tourOfferWords(walk: FirstWalk | null, short = false): string {
  if (walk === null) return short ? 'Quick tour' : 'Take the quick tour · 2 minutes'
  if (walk.finished) return 'Retake the quick tour'
  return short ? 'Continue tour' : `Continue the quick tour · ${stationNumber(walk.station)} of 6`
}

/** Renders nothing while the tour's panel is shown. */
export function TourOffer({
  kind,
  short = false,
}: Pick<ButtonProps, 'kind'> & { readonly short?: boolean }) {
  const { walk, beginTour, connected } = useAppParts((state) => ({
    walk: state.core.settings.firstWalk,
    beginTour: state.tour.begin,
    connected: state.core.connection.phase === 'open',
  }))
  if (walk?.shown === true) return null
  return (
    <Button
      {...(kind === undefined ? {} : { kind })}
      icon={<Footprints size={14} aria-hidden />}
      disabled={!connected}
      onClick={() => void beginTour()}
    >
      {tourOfferWords(walk, short)}
    </Button>
  )
}

/** Palette commands: take, continue or leave the quick tour. */
export function tourCommands(state: AppState): readonly PaletteItem[] {
  const walk = state.core.settings.firstWalk
  if (walk?.shown === true)
    return [
      { value: 'leave-walk', label: 'Leave the quick tour', run: () => void state.tour.leave() },
    ]
  return [{ value: 'walk', label: tourOfferWords(walk), run: () => void state.tour.begin() }]
}
