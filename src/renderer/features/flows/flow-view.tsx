/** The open flow: its heading and controls, the verdict, the diagram, and the selected step. */
import {
  ArrowLeft,
  ChevronDown,
  Ellipsis,
  Pause,
  Play,
  RotateCw,
  Square,
  StepForward,
} from 'lucide-react'
import { useEffect, useRef } from 'react'
import { happenedIn, verdictOf } from '../../../shared/flow-diagram/run-summary.ts'
import type { FlowPlan, FlowRun, FlowRunSummary } from '../../../shared/model/flow-run.ts'
import { ALL_FLOW_RUNS } from '../../core-data/events.ts'
import { useRead } from '../../core-data/use-read.ts'
import type { AppStore } from '../../ui-state/store.ts'
import { useApp, useAppParts, useAppStore } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { ButtonMenu, Choice, MenuItem } from '../../ui/menu.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { clockTime } from '../../ui/moment.ts'
import { ModeMark, OutcomeMark } from '../../ui/outcome-mark.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { SectionLink } from '../../ui/reference-page.tsx'
import { SplitPanes, useNarrow } from '../../ui/split-panes.tsx'
import { settleCall } from '../../ui/call-problem.ts'
import { useOutcome } from '../../ui/use-outcome.ts'
import { FlowDiagram } from './flow-diagram.tsx'
import { FlowFileTroubles } from './flow-file.tsx'
import { wordsOfRun } from './flow-table.ts'
import { flowAccount } from './flows-slice.ts'
import {
  flowAt,
  focusPlace,
  isFlowOpen,
  isRunning,
  isPlaceFocused,
  placeElement,
  PLAN,
} from './open-flow.ts'
import { FLOW_RUN_ID, FLOW_STEP_ID, HandlerMenu, RunButton, RunProblem } from './run-form.tsx'
import { StepPane } from './step-pane.tsx'

function useOpenFlow() {
  const state = useAppParts(({ data, navigation, flows }) => ({ data, navigation, flows }))
  const open = flowAt(state)
  // Known before the list is shown, which then focuses the flow's row at once.
  useRead('flows.list', {})
  const reads = [
    useRead('flows.get', open.which),
    useRead('flows.runs', open.which === null ? null : ALL_FLOW_RUNS),
    useRead('flows.run', open.runId === null ? null : { runId: open.runId }),
  ]
  return {
    ...open,
    isLoading: reads[1]?.output === undefined || (open.runId !== null && open.run === null),
    problem: reads.find(({ problem }) => problem !== null)?.problem ?? null,
    readAgain() {
      for (const { problem, readAgain } of reads) if (problem !== null) readAgain()
    },
  }
}

/** Closes the flow and focuses its row in the list. False if the list is already shown. */
export function leaveFlow(store: AppStore): boolean {
  const state = store.getState()
  if (!isFlowOpen(state)) return false
  const { flow } = state.navigation.at.flows
  state.navigation.go('flows', {})
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-flow-row="${CSS.escape(flow ?? '')}"]`)?.focus(),
  )
  return true
}

/** Moves the focus to the selected step when a run ends and its button is replaced. */
function useEndOfRunFocus(state: FlowRun['state'] | null, shownId: string | null): void {
  const before = useRef(state)
  useEffect(() => {
    const wasOpen = before.current === 'running' || before.current === 'paused'
    before.current = state
    if (!wasOpen || state === 'running' || shownId === null) return
    if (document.activeElement === document.body || isPlaceFocused()) focusPlace(shownId)
  }, [state, shownId])
}

/**
 * Keeps the selected step in view. If another step is focused, focus follows the selection, but not
 * a running flow.
 */
function useShownInView(shownId: string | null, isFollowed: boolean): void {
  useEffect(() => {
    if (shownId === null) return
    if (isFollowed && isPlaceFocused()) focusPlace(shownId)
    else placeElement(shownId)?.scrollIntoView({ block: 'nearest' })
  }, [shownId, isFollowed])
}

/** Below this width, the details move under the diagram. */
const STACK_BELOW = 1100

export function FlowView() {
  const open = useOpenFlow()
  const {
    problem: fileProblem,
    wanted,
    begun,
    startFlow,
    draft,
    environments,
  } = useAppParts(({ flows, core }) => ({
    problem: flows.fileProblem,
    wanted: flows.runWanted,
    begun: flows.runBegun,
    startFlow: flows.start,
    draft: flows.draft,
    environments: core.environments,
  }))
  const { plan, run, runs, chosen, shown, isLoading, problem, readAgain } = open
  const { busy, problem: startProblem, run: act } = useOutcome()
  const start = ({ from = 0, step = false } = {}) =>
    void act(() => settleCall(startFlow({ from, step })))
  const isReady = plan !== null && !isLoading
  useEffect(() => {
    if (wanted === null || !isReady) return
    begun()
    start()
  })
  const stacked = useNarrow(STACK_BELOW)
  useShownInView(shown?.id ?? null, chosen !== null || run?.state === 'paused')
  useEndOfRunFocus(run?.state ?? null, shown?.id ?? null)
  if (plan === null || isLoading)
    return problem === null ? (
      <div role="status" aria-label="Loading flow" className="late m-5 skeleton h-40" />
    ) : (
      <div className="px-8 pt-12">
        <LoadProblem title="Couldn't open the flow" problem={problem} onAgain={readAgain} />
      </div>
    )
  const account = flowAccount(draft, plan, environments)
  const index = shown?.step?.index ?? 0
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Header plan={plan} run={run} isBusy={busy} onStart={start} />
      {fileProblem !== null && <FlowFileTroubles problem={fileProblem} />}
      <Strip plan={plan} run={run} runs={runs} />
      <RunProblem problem={startProblem} />
      {run?.ask != null && isRunning(run) && (
        <p role="status" className="shrink-0 border-b border-line bg-warn-wash px-4 py-2">
          <span className="font-medium">Your turn:</span> <QuotedText text={run.ask} />
        </p>
      )}
      <SplitPanes
        name="flow-step"
        className="min-h-0 flex-1"
        stackBelow={STACK_BELOW}
        first={{
          id: 'flow',
          minSize: '34%',
          content: (
            <section aria-label="Flow" data-pane="flow" className="h-full min-w-0">
              <FlowDiagram drawn={run ?? plan} shownId={shown?.id ?? null} />
            </section>
          ),
        }}
        second={{
          id: 'step',
          defaultSize: stacked ? '50%' : '432px',
          minSize: stacked ? '30%' : '340px',
          content:
            shown === undefined ? null : (
              <StepPane
                key={shown.id}
                place={shown}
                run={run}
                onRunFrom={
                  index === 0 || isRunning(run) || account !== ''
                    ? null
                    : () => start({ from: index })
                }
              />
            ),
        }}
        resize="Resize step details"
      />
    </div>
  )
}

function Header({
  plan,
  run,
  isBusy,
  onStart,
}: {
  readonly plan: FlowPlan
  readonly run: FlowRun | null
  readonly isBusy: boolean
  readonly onStart: (way?: { readonly step: boolean }) => void
}) {
  const store = useAppStore()
  const steer = useApp((state) => state.flows.steer)
  const { title, about, mode, sections } = plan
  const going = isRunning(run)
  const runs = {
    running: ['Pause', Pause, () => void steer('pause')],
    paused: ['Resume', Play, () => void steer('resume')],
    over: [run === null ? 'Run' : 'Run again', run === null ? Play : RotateCw, () => onStart()],
  } as const
  const [label, Icon, act] =
    runs[run?.state === 'running' ? 'running' : run?.state === 'paused' ? 'paused' : 'over']
  return (
    <header className="window-drag flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface py-2 pr-4 pl-2">
      <IconButton
        label="All flows"
        shortcut="back"
        icon={ArrowLeft}
        onClick={() => void leaveFlow(store)}
      />
      <h1 className="min-w-0 truncate text-title font-medium" title={about ?? undefined}>
        {title}
      </h1>
      {mode === 'live' && <ModeMark mode="live" />}
      <span className="flex min-w-0 flex-1 gap-2 overflow-hidden whitespace-nowrap max-[1100px]:*:hidden">
        {sections.map((section) => (
          <SectionLink key={section} section={section} />
        ))}
      </span>
      <HandlerMenu />
      {going && (
        <Button icon={Square} onClick={() => void steer('cancel')}>
          Cancel
        </Button>
      )}
      {run?.state !== 'running' && (
        <Button
          id={FLOW_STEP_ID}
          icon={StepForward}
          disabled={isBusy}
          title={
            going ? 'Run the next step, then pause' : 'Start a run and pause after the first step'
          }
          onClick={() => {
            if (going) void steer('step')
            else onStart({ step: true })
          }}
        >
          Step
        </Button>
      )}
      <RunButton plan={plan}>
        <Button
          id={FLOW_RUN_ID}
          kind="primary"
          className="rounded-r-none"
          icon={Icon}
          disabled={isBusy}
          onClick={act}
        >
          {label}
        </Button>
      </RunButton>
    </header>
  )
}

/** Shows the verdict of a run, its reason, which run it is, and its files. */
function Strip({
  plan,
  run,
  runs,
}: {
  readonly plan: FlowPlan
  readonly run: FlowRun | null
  readonly runs: readonly FlowRunSummary[]
}) {
  const done = run?.steps.filter(({ state }) => state === 'done').length ?? 0
  const happened = run === null ? (plan.about ?? '') : happenedIn(run)
  const set = Object.entries(run?.set ?? {})
  return (
    <div className="flex min-h-9 shrink-0 items-center gap-3 border-b border-line bg-surface py-1 pr-2 pl-4">
      <div role="status" aria-label="Verdict" className="flex min-w-0 flex-1 items-center gap-3">
        {run === null ? (
          <span className="shrink-0 text-muted">Not run yet</span>
        ) : (
          <span className="shrink-0 font-medium">
            <OutcomeMark outcome={verdictOf(run)} />
          </span>
        )}
        {run !== null && isRunning(run) && (
          <ProgressBar
            label="Completed steps"
            value={done}
            max={run.steps.length}
            className="w-20 shrink-0"
          />
        )}
        <span title={happened} className="min-w-0 truncate text-muted">
          {happened}
        </span>
      </div>
      {set.length > 0 && (
        <span
          aria-label="Inputs of this run"
          className="data max-w-[30%] truncate text-muted max-[900px]:hidden"
        >
          {set.map(([path, value]) => `${path} ${value.replaceAll('"', '')}`).join(' · ')}
        </span>
      )}
      <RunMenu runs={runs} run={run} />
      <FilesMenu hasRun={run !== null} />
    </div>
  )
}

const RUNS_OFFERED = 20

function RunMenu({
  runs,
  run,
}: {
  readonly runs: readonly FlowRunSummary[]
  readonly run: FlowRun | null
}) {
  const { at, select } = useAppParts(({ navigation }) => ({
    at: navigation.at.flows,
    select: navigation.select,
  }))
  const show = (name: string) => select('flows', { ...at, run: name, step: undefined })
  if (runs.length === 0) return null
  const shown = run === null ? 'Plan' : clockTime(run.startedAt).slice(0, 8)
  return (
    <ButtonMenu
      trigger={
        <Button
          kind="quiet"
          aria-label={`Run: ${shown}`}
          title={run === null ? undefined : wordsOfRun(run)}
        >
          {shown}
          <ChevronDown size={12} className="text-subtle" />
        </Button>
      }
    >
      <Choice isChosen={run === null} onChoose={() => show(PLAN)}>
        Plan
      </Choice>
      {runs.slice(0, RUNS_OFFERED).map((each) => (
        <Choice key={each.id} isChosen={each.id === run?.id} onChoose={() => show(each.id)}>
          {wordsOfRun(each)}
        </Choice>
      ))}
    </ButtonMenu>
  )
}

const formats = [
  ['html', 'Export as HTML', 'For people'],
  ['junit', 'Export as JUnit', 'For CI'],
] as const

/** Reports need a run. */
function FilesMenu({ hasRun }: { readonly hasRun: boolean }) {
  const save = useApp((state) => state.flows.save)
  return (
    <ButtonMenu className="min-w-60" trigger={<IconButton label="More actions" icon={Ellipsis} />}>
      {formats.map(([format, name, use]) => (
        <MenuItem key={format} disabled={!hasRun} onClick={() => void save(format)}>
          <span className="flex-1">{name}</span>
          <span className="text-small text-muted">{hasRun ? use : 'Run first'}</span>
        </MenuItem>
      ))}
    </ButtonMenu>
  )
}
