/** Heading of the open flow, with the controls of its run. */
import { ArrowLeft, Pause, Play, RotateCw, Square, StepForward } from 'lucide-react'
import type { FlowPlan, FlowRun } from '../../../shared/model/flow-run.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppStore } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ModeMark } from '../../ui/outcome-mark.tsx'
import { SectionLink } from '../../ui/reference-page.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { leaveFlow } from './leave-flow.ts'
import { isRunning } from './open-flow.ts'
import { FLOW_RUN_ID, FLOW_STEP_ID, HandlerMenu, RunButton } from './run-form.tsx'

function LeaveButton() {
  const store = useAppStore()
  return (
    <IconButton
      label="All flows"
      shortcut="back"
      icon={ArrowLeft}
      onClick={() => void leaveFlow(store)}
    />
  )
}

/** Shows the bar of a flow that isn't loaded, with its title if the list has it. */
export function UnreadFlowHeader() {
  const { flow, file } = useApp((state) => state.navigation.at.flows)
  const listed = useRead('flows.list', {}).output?.flows.find(({ name }) => name === flow)
  return (
    <header className="window-drag flex h-12 shrink-0 items-center gap-2 border-b border-line bg-surface px-2">
      <LeaveButton />
      <h1 className="truncate text-title font-medium">
        {visibleText(listed?.title ?? flow ?? file ?? '')}
      </h1>
    </header>
  )
}

export function FlowHeader({
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
  const steer = useApp((state) => state.flows.steer)
  const { title, about, mode, sections } = plan
  const isInProgress = isRunning(run)
  const runs = {
    running: ['Pause', Pause, () => void steer('pause')],
    paused: ['Resume', Play, () => void steer('resume')],
    over: [run === null ? 'Run' : 'Run again', run === null ? Play : RotateCw, () => onStart()],
  } as const
  const [label, Icon, act] =
    runs[run?.state === 'running' ? 'running' : run?.state === 'paused' ? 'paused' : 'over']
  return (
    <header className="window-drag @container flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface py-2 pr-4 pl-2">
      <LeaveButton />
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
      {isInProgress && (
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
            isInProgress
              ? 'Run the next step, then pause'
              : 'Start a run and pause after the first step'
          }
          onClick={() => {
            if (isInProgress) void steer('step')
            else onStart({ step: true })
          }}
        >
          <span className="@max-[760px]:sr-only">Step</span>
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
