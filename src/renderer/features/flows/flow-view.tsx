/** The open flow: heading, controls, diagram or list, and the selected step. */
import { ArrowLeft, Download } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode, type KeyboardEvent } from 'react'
import type { FlowPlan, FlowRun } from '../../../shared/model/flow.ts'
import { useApp, useAppParts, useAppStore } from '../../state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ModeMark } from '../../ui/outcome-mark.tsx'
import { SectionLink } from '../../ui/reference-page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { SplitPanes, useNarrow } from '../../ui/split-panes.tsx'
import { ButtonMenu, MenuItem } from '../../ui/menu.tsx'
import { leaveFlow, moveWith } from './flow-actions.ts'
import { FlowControls, FlowQuestions, FlowVerdict, useFlowStart } from './flow-controls.tsx'
import { FlowDiagram } from './flow-diagram.tsx'
import { FlowFileTroubles } from './flow-file.tsx'
import { FlowRuns } from './flow-runs.tsx'
import { FlowSettings, HandlerButton } from './flow-settings.tsx'
import { flowAccount } from './flow-start.ts'
import {
  focusPlace,
  isPlaceFocused,
  placeElement,
  placesOf,
  shownPlace,
  isBad,
  type FlowPlace,
} from './places.ts'
import { StepDetail } from './step-detail.tsx'
import {
  actorLabels,
  momentWords,
  plainWords,
  timeWords,
} from '../../../shared/flow-diagram/words.ts'
import { receivedWords } from '../../../shared/flow-diagram/story.ts'
import { PlaceMark } from './flow-look.tsx'

const TICK_MS = 250

/** Milliseconds of sandbox time per millisecond of real time; 0 if it is paused or jumps. */
function livePace({ state, speed, target }: Pick<FlowRun, 'state' | 'speed' | 'target'>): number {
  if (state !== 'running') return 0
  if (target === 'account') return 1
  return speed === 'max' ? 0 : speed
}

function useLiveClock(run: FlowRun | null): FlowRun | null {
  /** How long ago the reading was made, and which one. */
  const [tick, setTick] = useState({ told: '', passed: 0 })
  const pace = run === null ? 0 : livePace(run)
  const told = run?.clock ?? null
  const toldAt = told?.at ?? ''
  useEffect(() => {
    if (pace === 0 || toldAt === '') return undefined
    const startedAt = performance.now()
    const timer = setInterval(
      () => setTick({ told: toldAt, passed: performance.now() - startedAt }),
      TICK_MS,
    )
    return () => clearInterval(timer)
  }, [pace, toldAt])
  if (run === null || told === null || pace === 0) return run
  const passed = tick.told === toldAt ? tick.passed : 0
  const ahead = (iso: string, ms: number) => new Date(Date.parse(iso) + ms).toISOString()
  return {
    ...run,
    clock: { at: ahead(told.at, passed), businessAt: ahead(told.businessAt, passed * pace) },
  }
}

const formats = [
  ['mermaid', 'Mermaid', 'For a README'],
  ['html', 'HTML report', 'For people'],
  ['junit', 'JUnit', 'For CI'],
] as const

/** Reports need a run. */
function FlowExport({ hasRun }: { readonly hasRun: boolean }) {
  const saveFlow = useApp((state) => state.flows.save)
  return (
    <ButtonMenu
      look="min-w-56"
      trigger={<Button icon={<Download size={13} aria-hidden />}>Export</Button>}
    >
      {formats.map(([format, name, use]) => {
        const disabled = !hasRun && (format === 'html' || format === 'junit')
        return (
          <MenuItem
            key={format}
            disabled={disabled}
            onClick={() => void saveFlow(format)}
            className="gap-6"
          >
            <span className="flex-1">{name}</span>
            <span className="text-small text-muted">{disabled ? 'Run first' : use}</span>
          </MenuItem>
        )
      })}
    </ButtonMenu>
  )
}

/** The button of a run is replaced when it ends. Its focus then goes to the selected step. */
function useEndOfRunFocus(state: FlowRun['state'] | null, shownId: string | null): void {
  const before = useRef(state)
  useEffect(() => {
    const wasOpen = before.current === 'running' || before.current === 'paused'
    before.current = state
    if (!wasOpen || state === 'running' || shownId === null) return
    if (document.activeElement === document.body || isPlaceFocused()) focusPlace(shownId)
  }, [state, shownId])
}

/** Keeps the selected step in view. If another step is focused, focus follows the selection, but not a running flow. */
function useShownInView(shownId: string | null, chosen: string | null): void {
  useEffect(() => {
    // The diagram is drawn once its width is known.
    const frame = requestAnimationFrame(() => {
      if (shownId === null) return
      if (shownId === chosen && isPlaceFocused()) focusPlace(shownId)
      else placeElement(shownId)?.scrollIntoView({ block: 'nearest' })
    })
    return () => cancelAnimationFrame(frame)
  }, [shownId, chosen])
}

/** Below this width, the details move under the diagram. A list is better there. */
const STACK_BELOW = 1100
const LIST_BELOW = 700

const views = [
  { value: 'diagram', label: 'Diagram' },
  { value: 'list', label: 'List' },
] as const

export function FlowView({ plan }: { readonly plan: FlowPlan }) {
  const { told, problem, wanted, begun, chosen, actor, view, setView, account } = useAppParts(
    (state) => ({
      told: state.flows.run,
      problem: state.flows.fileProblem,
      wanted: state.flows.runWanted,
      begun: state.flows.runBegun,
      chosen: state.flows.place,
      actor: state.flows.actor,
      view: state.flows.view,
      setView: state.flows.setView,
      account: flowAccount(state.flows.draft, plan, state.core.environments),
    }),
  )
  const run = useLiveClock(told)
  const starting = useFlowStart()
  useEffect(() => {
    if (!wanted) return
    begun()
    starting.start({ paused: false, from: 0, step: false })
  }, [wanted, begun, starting])
  const [settings, setSettings] = useState(false)
  const narrow = useNarrow(LIST_BELOW)
  const stacked = useNarrow(STACK_BELOW)
  const shownView = view ?? (narrow ? 'list' : 'diagram')
  const drawn = run ?? plan
  const places = placesOf(drawn)
  const shown = shownPlace(places, chosen, run?.current ?? 0)
  const going = run !== null && (run.state === 'running' || run.state === 'paused')
  useShownInView(shown?.id ?? null, chosen)
  useEndOfRunFocus(run?.state ?? null, shown?.id ?? null)
  const from =
    shown?.kind === 'step' && shown.step.index > 0 && !going && account === ''
      ? shown.step.index
      : null
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Heading plan={plan}>
        <HandlerButton isOpen={settings} onToggle={() => setSettings(!settings)} />
        <FlowControls run={run} starting={starting} />
      </Heading>
      {problem !== null && <FlowFileTroubles problem={problem} />}
      <FlowVerdict run={run}>
        <FlowRuns plan={plan} run={run} />
        <Segments label="View" options={views} value={shownView} onChange={setView} />
        <FlowExport hasRun={run !== null} />
      </FlowVerdict>
      <FlowQuestions plan={plan} run={run} starting={starting} />
      {settings && <FlowSettings plan={plan} />}
      <SplitPanes
        name="flow-step"
        className="min-h-0 flex-1"
        stackBelow={STACK_BELOW}
        first={{
          id: 'flow',
          minSize: '34%',
          content: (
            <section
              aria-label="Flow"
              data-pane="flow"
              className="flex h-full min-w-0 flex-col bg-ground"
            >
              {shownView === 'diagram' ? (
                <FlowDiagram drawn={drawn} shownId={shown?.id ?? null} actor={actor} />
              ) : (
                <FlowSteps
                  places={places}
                  shownId={shown?.id ?? null}
                  startedAt={run?.startedAt ?? null}
                />
              )}
            </section>
          ),
        }}
        second={{
          id: 'step',
          defaultSize: stacked ? '55%' : '432px',
          minSize: stacked ? '30%' : '360px',
          content:
            shown === undefined ? null : (
              <StepDetail
                key={shown.id}
                place={shown}
                places={places}
                run={run}
                onRunFrom={
                  from === null ? null : () => starting.start({ paused: true, from, step: false })
                }
              />
            ),
        }}
        resize="Resize step details"
      />
    </div>
  )
}

interface HeadingProps {
  readonly plan: FlowPlan
  readonly children: ReactNode
}

function Heading({ plan: { title, about, mode, sections }, children }: HeadingProps) {
  const store = useAppStore()
  return (
    <header className="window-drag flex min-h-14 shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface py-1.5 pr-4 pl-2">
      <IconButton
        label="All flows"
        shortcut="back"
        icon={<ArrowLeft size={16} aria-hidden />}
        onClick={() => void leaveFlow(store)}
      />
      <div className="min-w-0 flex-[1_1_260px] max-[1000px]:flex-[1_1_170px]">
        <h1 className="flex items-center gap-2 text-title font-medium">
          <span className="min-w-0 truncate">{title}</span>
          {mode === 'live' && <ModeMark mode="live" />}
        </h1>
        <p className="truncate text-small text-muted" title={about ?? undefined}>
          {about}{' '}
          {sections.map((section) => (
            <span key={section} className="mr-2 whitespace-nowrap">
              <SectionLink section={section} />
            </span>
          ))}
        </p>
      </div>
      {children}
    </header>
  )
}

// The steps of a flow as a list, for screen readers and narrow windows.

function FlowSteps({
  places,
  shownId,
  startedAt,
}: {
  readonly places: readonly FlowPlace[]
  readonly shownId: string | null
  /** When the run started; null for a plan. */
  readonly startedAt: string | null
}) {
  return (
    <ol aria-label="Steps" className="@container min-h-0 flex-1 overflow-auto">
      {places.map((place, index) => (
        <StepRow
          key={place.id}
          place={place}
          number={index + 1}
          shown={place.id === shownId}
          startedAt={startedAt}
        />
      ))}
    </ol>
  )
}

function StepRow({
  place,
  number,
  shown,
  startedAt,
}: {
  readonly place: FlowPlace
  readonly number: number
  readonly shown: boolean
  readonly startedAt: string | null
}) {
  const store = useAppStore()
  const select = useApp((state) => state.flows.selectPlace)
  const { title, between, what, message, businessAt, at } = wordsOf(place)
  return (
    <li className="border-b border-line/50">
      <button
        type="button"
        data-flow-place={place.id}
        tabIndex={shown ? 0 : -1}
        aria-pressed={shown}
        onClick={(event) => {
          event.currentTarget.focus()
          select(place.id)
        }}
        onFocus={() => select(place.id)}
        onKeyDown={(event: KeyboardEvent) => {
          if (moveWith(store, event.key)) event.preventDefault()
        }}
        className={`flex w-full items-start gap-3 px-4 py-1.5 text-left outline-offset-[-2px] ${shown ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-raised'}`}
      >
        <span className="data w-5 shrink-0 text-right text-subtle">{number}</span>
        <span className="w-[92px] shrink-0">
          <PlaceMark place={place} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block wrap-anywhere">{title}</span>
          <span className="block text-small text-subtle">{between}</span>
          {what !== '' && <span className="block text-small wrap-anywhere text-muted">{what}</span>}
          {isBad(place) && (
            <span className="block text-small wrap-anywhere text-bad">{message}</span>
          )}
        </span>
        {businessAt !== null && at !== null && startedAt !== null && (
          <span className="data shrink-0 text-right">
            <span className="block text-muted">{momentWords(businessAt)}</span>
            <span className="block text-subtle">
              +{timeWords(Math.max(0, Date.parse(at) - Date.parse(startedAt)))}
            </span>
          </span>
        )}
      </button>
    </li>
  )
}

function wordsOf(place: FlowPlace) {
  if (place.kind === 'stray') {
    const { stray } = place
    return {
      ...stray,
      title: stray.event ?? 'Delivery',
      between: 'Unexpected',
      what: receivedWords({ ...stray, kind: 'delivery' }),
    }
  }
  const { step } = place
  const between =
    step.kind === 'wait'
      ? 'Sandbox time passes'
      : step.from === step.to
        ? actorLabels[step.from]
        : `${actorLabels[step.from]} → ${actorLabels[step.to]}`
  const came = 'state' in step ? step : { message: '', businessAt: null, at: null }
  const what = 'state' in step ? receivedWords(step) : ''
  return {
    title: plainWords(step.title),
    between,
    what,
    message: came.message,
    businessAt: came.businessAt,
    at: came.at,
  }
}
