/** The verdict of the shown run, with the menus of the flow's runs and reports. */
import { ChevronDown, Ellipsis } from 'lucide-react'
import { summarizeRun, verdictOf } from '../../../shared/flow-diagram/run-summary.ts'
import type { FlowPlan, FlowRun, FlowRunSummary } from '../../../shared/model/flow-run.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ButtonMenu, MenuChoice, MenuItem } from '../../ui/menu.tsx'
import { clockTime } from '../../ui/moment.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { runTitle } from './flow-table.ts'
import { isRunning, PLAN_RUN } from './open-flow.ts'

/** Shows the verdict of a run, its reason, inputs, and the menus. */
export function FlowVerdict({
  plan,
  run,
  runs,
}: {
  readonly plan: FlowPlan
  readonly run: FlowRun | null
  readonly runs: readonly FlowRunSummary[]
}) {
  const done = run?.steps.filter(({ state }) => state === 'done').length ?? 0
  const happened = run === null ? (plan.about ?? '') : summarizeRun(run)
  const set = Object.entries(run?.set ?? {})
  return (
    <div className="flex min-h-9 shrink-0 items-center gap-3 border-b border-line bg-surface py-1 pr-2 pl-4">
      <div role="status" aria-label="Verdict" className="flex min-w-0 flex-1 items-center gap-3">
        {run === null ? (
          <span className="shrink-0 text-muted">Not run</span>
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
      <ReportMenu hasRun={run !== null} />
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
          title={run === null ? undefined : runTitle(run)}
        >
          {shown}
          <ChevronDown size={12} className="text-subtle" />
        </Button>
      }
    >
      <MenuChoice isChosen={run === null} onChoose={() => show(PLAN_RUN)}>
        Plan
      </MenuChoice>
      {runs.slice(0, RUNS_OFFERED).map((each) => (
        <MenuChoice key={each.id} isChosen={each.id === run?.id} onChoose={() => show(each.id)}>
          {runTitle(each)}
        </MenuChoice>
      ))}
    </ButtonMenu>
  )
}

const formats = [
  ['html', 'Export as HTML', 'For people'],
  ['junit', 'Export as JUnit', 'For CI'],
] as const

function ReportMenu({ hasRun }: { readonly hasRun: boolean }) {
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
