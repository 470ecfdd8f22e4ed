/** The open flow: its heading and controls, the verdict, the diagram, and the selected step. */
import { useEffect, useRef } from 'react'
import type { FlowPlan, FlowRun } from '../../../shared/model/flow-run.ts'
import { ALL_FLOW_RUNS } from '../../core-data/events.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { QuotedText } from '../../ui/finding-text.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { SplitPanes, useNarrow } from '../../ui/split-panes.tsx'
import { settleCall } from '../../ui/call-problem.ts'
import { useCallState } from '../../ui/use-call.ts'
import { FlowDiagram } from './flow-diagram.tsx'
import { flowAccount } from './flow-draft.ts'
import { FlowFileErrors } from './flow-file.tsx'
import { FlowHeader, UnreadFlowHeader } from './flow-header.tsx'
import { FlowVerdict } from './flow-verdict.tsx'
import {
  addressedFlow,
  focusPlace,
  isPlaceFocused,
  isRunning,
  placeElement,
  type FlowPlace,
} from './open-flow.ts'
import { RunProblem } from './run-form.tsx'
import { StepPane } from './step-pane.tsx'

function useOpenFlow() {
  const state = useAppParts(({ data, navigation, flows }) => ({ data, navigation, flows }))
  const open = addressedFlow(state)
  // Known before the list is shown, which then focuses the flow's row at once.
  useRead('flows.list', {})
  const reads = [
    useRead('flows.get', open.flowRef),
    useRead('flows.runs', open.flowRef === null ? null : ALL_FLOW_RUNS),
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
 * Keeps the selected step in view in a pane of any size. If another step is focused, focus follows
 * the selection, but not a running flow.
 */
function useShownInView(shownId: string | null, isFollowed: boolean): void {
  useEffect(() => {
    const element = shownId === null ? null : placeElement(shownId)
    if (element === null) return
    if (isFollowed && isPlaceFocused()) element.focus()
    const observer = new ResizeObserver(() => element.scrollIntoView({ block: 'nearest' }))
    observer.observe(element.closest('[data-pane]') ?? element)
    return () => observer.disconnect()
  }, [shownId, isFollowed])
}

interface RunPoint {
  readonly from?: number
  readonly step?: boolean
}

/** Starts runs of the shown flow, one at once if the flow was opened to run. */
function useRunStart(isReady: boolean) {
  const { flowToRun, clearFlowToRun, startFlow } = useAppParts(({ flows }) => ({
    flowToRun: flows.flowToRun,
    clearFlowToRun: flows.clearFlowToRun,
    startFlow: flows.start,
  }))
  const { busy, problem, run: act } = useCallState()
  const start = ({ from = 0, step = false }: RunPoint = {}) =>
    void act(() => settleCall(startFlow({ from, step })))
  useEffect(() => {
    if (flowToRun === null || !isReady) return
    clearFlowToRun()
    start()
  })
  return { busy, problem, start }
}

export function FlowView() {
  const open = useOpenFlow()
  const { plan, run, chosen, shown, isLoading, problem, readAgain } = open
  const isDrawn = plan !== null && !isLoading
  const { busy, problem: startProblem, start } = useRunStart(isDrawn)
  const fileProblem = useApp((state) => state.flows.fileProblem)
  useShownInView(isDrawn ? (shown?.id ?? null) : null, chosen !== null || run?.state === 'paused')
  useEndOfRunFocus(run?.state ?? null, shown?.id ?? null)
  if (plan === null || isLoading)
    return (
      <>
        <UnreadFlowHeader />
        {problem === null ? (
          <div role="status" aria-label="Loading flow" className="late m-5 skeleton h-40" />
        ) : (
          <LoadProblem title="Couldn't open the flow" problem={problem} onAgain={readAgain} />
        )}
      </>
    )
  return (
    <div className="flex h-full min-h-0 flex-col">
      <FlowHeader plan={plan} run={run} isBusy={busy} onStart={start} />
      {fileProblem !== null && <FlowFileErrors problem={fileProblem} />}
      <FlowVerdict plan={plan} run={run} runs={open.runs} />
      <RunProblem problem={startProblem} />
      {run?.ask != null && isRunning(run) && (
        <p role="status" className="shrink-0 border-b border-line bg-warn-wash px-4 py-2">
          <span className="font-medium">Your turn:</span> <QuotedText text={run.ask} />
        </p>
      )}
      <FlowPanes plan={plan} run={run} shown={shown} onStart={start} />
    </div>
  )
}

/** Below this width, the details move under the diagram. */
const STACK_BELOW = 1100

/** Shows the diagram next to the details of the selected step. */
function FlowPanes({
  plan,
  run,
  shown,
  onStart,
}: {
  readonly plan: FlowPlan
  readonly run: FlowRun | null
  readonly shown: FlowPlace | undefined
  readonly onStart: (point: RunPoint) => void
}) {
  const { draft, environments } = useAppParts(({ flows, core }) => ({
    draft: flows.draft,
    environments: core.environments,
  }))
  const stacked = useNarrow(STACK_BELOW)
  const account = flowAccount(draft, plan, environments)
  const index = shown?.step?.index ?? 0
  const canRunFrom = index > 0 && !isRunning(run) && account === ''
  return (
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
              onRunFrom={canRunFrom ? () => onStart({ from: index }) : null}
            />
          ),
      }}
      resize="Resize step details"
    />
  )
}
