/** The Flows screen: the list of flows with their last results, or the open flow. */
import { Play, RotateCw, Square } from 'lucide-react'
import { useState } from 'react'
import type { FlowRunSummary, FlowSummary } from '../../../shared/model/flow-run.ts'
import { labelOf } from '../../../shared/model/outcomes.ts'
import { flowChanges } from '../../../shared/model/flow-outcomes.ts'
import { counted } from '../../../shared/text/counted.ts'
import { ALL_FLOW_RUNS } from '../../core-data/events.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CheckField } from '../../ui/field.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { LoadingRows, Message, LoadProblem } from '../../ui/message.tsx'
import { duration } from '../../ui/moment.ts'
import { ModeMark, OutcomeIcon, toneText } from '../../ui/outcome-mark.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { settleCall } from '../../ui/call-problem.ts'
import { useOutcome } from '../../ui/use-outcome.ts'
import { FlowFileButton, FlowFileTroubles } from './flow-file.tsx'
import { flowTable, resultWords, searchFlows, type FlowTableRow } from './flow-table.ts'
import { FlowView } from './flow-view.tsx'
import { isFlowOpen } from './open-flow.ts'
import { HandlerMenu, RunButton, RunProblem } from './run-form.tsx'
import { focusRow } from '../../ui/focus-row.ts'

export const FLOW_SEARCH_ID = 'flow-search'
export const RUN_ALL_ID = 'flow-run-all'

export function FlowsScreen() {
  const { flow, file } = useApp((state) => state.navigation.at.flows)
  const isOpen = useApp(isFlowOpen)
  return isOpen ? <FlowView key={`${flow} ${file}`} /> : <AllFlows />
}

function AllFlows() {
  const { output, problem, readAgain } = useRead('flows.list', {})
  const { runs = [] } = useRead('flows.runs', ALL_FLOW_RUNS).output ?? {}
  const flows = output?.flows ?? null
  const { fileProblem, runAll, isRunning, draft, change } = useAppParts((state) => ({
    fileProblem: state.flows.fileProblem,
    runAll: state.flows.runAll,
    isRunning: state.flows.series !== null,
    draft: state.flows.draft,
    change: state.flows.changeDraft,
  }))
  const [text, setText] = useState('')
  const action = useOutcome()
  const run = (names: readonly string[] | null) => void action.run(() => settleCall(runAll(names)))
  return (
    <section
      aria-label="Flows"
      className="flex h-full flex-col bg-ground"
      onKeyDownCapture={(event) => {
        // A focused button or field would take the Enter for itself.
        if (event.key !== 'Enter' || !event.shiftKey) return
        event.preventDefault()
        event.stopPropagation()
        document.getElementById(RUN_ALL_ID)?.click()
      }}
    >
      <header className="window-drag @container flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2">
        <h1 className="mr-1 text-title font-medium">Flows</h1>
        <HandlerMenu />
        <input
          id={FLOW_SEARCH_ID}
          type="search"
          aria-label="Search flows"
          placeholder={flows === null ? 'Search flows' : `Search ${counted(flows.length, 'flow')}`}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          className="h-7 min-w-36 flex-1 rounded-control border border-edge/60 bg-ground px-2.5"
        />
        <FlowFileButton />
        <RunButton
          more={
            <CheckField
              checked={draft.includesLive}
              onChange={(includesLive) => change({ includesLive })}
            >
              Include live-mode flows
            </CheckField>
          }
        >
          <Button
            id={RUN_ALL_ID}
            kind="primary"
            className="rounded-r-none"
            icon={Play}
            disabled={isRunning || action.busy || flows === null}
            onClick={() => run(null)}
          >
            Run all
            <span className="contents @max-[900px]:hidden">
              <ActionKeys action="flow-run-all" />
            </span>
          </Button>
        </RunButton>
      </header>
      {fileProblem !== null && <FlowFileTroubles problem={fileProblem} />}
      <RunProblem problem={action.problem} />
      {flows !== null ? (
        <FlowList flows={flows} runs={runs} text={text} onRun={run} />
      ) : problem === null ? (
        <LoadingRows
          label="Loading flows"
          count={12}
          columns={['w-56', 'flex-1', 'w-24', 'w-16']}
          row="h-7 items-center gap-8"
          className="px-4 pt-4"
        />
      ) : (
        <div className="px-8 pt-12">
          <LoadProblem title="Couldn't load flows" problem={problem} onAgain={readAgain} />
        </div>
      )}
    </section>
  )
}

type OnRun = (names: readonly string[]) => void

function FlowList({
  flows,
  runs,
  text,
  onRun,
}: {
  readonly flows: readonly FlowSummary[]
  readonly runs: readonly FlowRunSummary[]
  readonly text: string
  readonly onRun: OnRun
}) {
  const series = useApp((state) => state.flows.series)
  const rows = flowTable(flows, runs, series)
  const found = new Set(searchFlows(flows, text))
  const shown = rows.filter(({ flow }) => found.has(flow))
  return (
    <>
      <Result rows={rows} onRun={onRun} />
      <div
        className="@container min-h-0 min-w-0 flex-1 overflow-auto"
        role="region"
        aria-label="Flow list"
        data-pane="flows"
        tabIndex={-1}
      >
        {shown.length === 0 ? (
          <div className="px-8 pt-12">
            <Message title="No matching flows">
              Search by name or by what happens, such as refund, retry or consent.
            </Message>
          </div>
        ) : (
          <table className="w-full table-fixed border-collapse">
            <thead>
              <tr>
                <th scope="col" className={`${head} w-10`}>
                  <span className="sr-only">Outcome</span>
                </th>
                <th scope="col" className={`${head} w-[31%] @max-[560px]:w-auto`}>
                  Flow
                </th>
                <th scope="col" className={`${head} @max-[560px]:hidden`}>
                  What happened
                </th>
                <th scope="col" className={`${head} w-28`}>
                  Since the last run
                </th>
                <th scope="col" className={`${head} w-18 text-right`}>
                  Time
                </th>
                <th scope="col" className={`${head} w-11`}>
                  <span className="sr-only">Run</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row, index) => (
                <FlowRow key={row.flow.name} row={row} isFirst={index === 0} onRun={onRun} />
              ))}
            </tbody>
          </table>
        )}
      </div>
    </>
  )
}

const head =
  'sticky top-0 z-10 h-7 bg-ground text-left text-tiny font-normal text-subtle shadow-[inset_0_-1px_0_var(--line)]'

/** Shows the result of all flows with a bar, or the progress of a series. */
function Result({
  rows,
  onRun,
}: {
  readonly rows: readonly FlowTableRow[]
  readonly onRun: OnRun
}) {
  const { series, cancelAll, edit, hasHandlers } = useAppParts((state) => ({
    series: state.flows.series,
    cancelAll: state.flows.cancelAll,
    edit: state.handlers.edit,
    hasHandlers: state.core.handlers.length > 0,
  }))
  const failed = rows.filter(({ hasFailed }) => hasFailed)
  const bars = [
    ['bg-bad', failed.length],
    ['bg-ok', rows.filter(({ outcome }) => outcome.tone === 'good').length],
    [
      'bg-edge',
      rows.filter(({ runId, outcome }) => runId !== null && outcome.tone === 'neutral').length,
    ],
  ] as const
  const shown = series === null ? failed[0]?.outcome : undefined
  return (
    <div
      role="status"
      aria-label="Results"
      className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-1"
    >
      {series === null ? (
        <>
          <p className={shown === undefined ? '' : `font-medium ${toneText[shown.tone]}`}>
            {resultWords(rows)}
          </p>
          <span aria-hidden className="flex h-1.5 w-32 gap-px overflow-hidden rounded-small">
            {bars.map(([color, count]) => (
              <i key={color} className={color} style={{ flex: count }} />
            ))}
          </span>
        </>
      ) : (
        <>
          <p>{`Running flow ${series.done + 1} of ${series.names.length}`}</p>
          <ProgressBar
            label="Completed flows"
            value={series.done}
            max={series.names.length}
            className="w-32"
          />
        </>
      )}
      <span className="flex-1" />
      {series !== null ? (
        <Button icon={Square} onClick={cancelAll}>
          Cancel
        </Button>
      ) : failed.length > 0 ? (
        <Button icon={RotateCw} onClick={() => onRun(failed.map(({ flow }) => flow.name))}>
          Re-run {failed.length} failed
        </Button>
      ) : (
        !hasHandlers && (
          <>
            <span className="text-small text-muted">Add your handler to check its responses.</span>
            <Button onClick={() => edit({ secret: '' })}>Add handler</Button>
          </>
        )
      )}
    </div>
  )
}

function FlowRow({
  row: { flow, outcome, hasFailed, happened, change, ms, runId },
  isFirst,
  onRun,
}: {
  readonly row: FlowTableRow
  readonly isFirst: boolean
  readonly onRun: OnRun
}) {
  const go = useApp((state) => state.navigation.go)
  const isBusy = useApp((state) => state.flows.series !== null)
  const changed = change === null ? null : flowChanges[change]
  return (
    <tr
      className="h-7 hover:bg-raised has-focus-visible:bg-selected"
      onClick={() => go('flows', { flow: flow.name, run: runId ?? undefined })}
    >
      <td className="pl-4">
        <OutcomeIcon outcome={outcome} label={labelOf(outcome)} />
      </td>
      <td className="truncate pr-3">
        <button
          type="button"
          data-flow-row={flow.name}
          tabIndex={isFirst ? 0 : -1}
          title={flow.about ?? undefined}
          onKeyDown={(event) => focusRow(event, '[data-flow-row]')}
          className="max-w-full truncate rounded-small text-left align-middle outline-offset-2"
        >
          {flow.title}
        </button>
        {flow.mode === 'live' && (
          <span className="ml-2 align-middle">
            <ModeMark mode="live" />
          </span>
        )}
      </td>
      <td
        className={`truncate pr-3 text-small @max-[560px]:hidden ${hasFailed ? 'text-bad' : 'text-muted'}`}
        title={happened || (flow.about ?? undefined)}
      >
        {happened || flow.about}
      </td>
      <td className={`text-small ${changed === null ? 'text-subtle' : toneText[changed.tone]}`}>
        {changed === null ? '–' : labelOf(changed)}
      </td>
      <td className="data text-right text-muted">{ms === null ? '–' : duration(ms)}</td>
      <td className="text-right">
        <IconButton
          label={`${runId === null ? 'Run' : 'Run again'}: ${flow.title}`}
          icon={hasFailed ? RotateCw : Play}
          disabled={isBusy}
          className="mr-2 size-6"
          onClick={(event) => {
            event.stopPropagation()
            onRun([flow.name])
          }}
        />
      </td>
    </tr>
  )
}
