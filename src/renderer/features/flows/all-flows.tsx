/** All flows, with the search and the buttons to run them. */
import { Play } from 'lucide-react'
import { useState } from 'react'
import { counted } from '../../../shared/text/english.ts'
import { ALL_FLOW_RUNS } from '../../core-data/events.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { settleCall } from '../../ui/call-problem.ts'
import { CheckField } from '../../ui/field.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { LoadingRows, LoadProblem } from '../../ui/message.tsx'
import { useCallState } from '../../ui/use-call.ts'
import { FlowFileButton, FlowFileErrors } from './flow-file.tsx'
import { FlowList } from './flow-list.tsx'
import { flowTable } from './flow-table.ts'
import { HandlerMenu, RunButton, RunProblem, useChosenHandler } from './run-form.tsx'

export const FLOW_SEARCH_ID = 'flow-search'
export const RUN_ALL_ID = 'flow-run-all'

export function AllFlows() {
  const { output, problem, readAgain } = useRead('flows.list', {})
  const { runs = [] } = useRead('flows.runs', ALL_FLOW_RUNS).output ?? {}
  const flows = output?.flows ?? null
  const { fileProblem, runAll, series } = useParts('flows', 'fileProblem', 'runAll', 'series')
  const handler = useChosenHandler()
  const rows = flowTable(flows ?? [], runs, { series, handler })
  const [text, setText] = useState('')
  const action = useCallState()
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
      <AllFlowsHeader
        count={flows?.length ?? null}
        isFailed={problem !== null}
        hasFailures={rows.some(({ hasFailed }) => hasFailed)}
        isBusy={action.busy}
        text={text}
        onText={setText}
        onRunAll={() => run(null)}
      />
      {fileProblem !== null && <FlowFileErrors problem={fileProblem} />}
      <RunProblem problem={action.problem} />
      {flows !== null ? (
        <FlowList flows={flows} rows={rows} text={text} onRun={run} />
      ) : problem === null ? (
        <LoadingRows
          label="Loading flows"
          count={12}
          columns={['w-56', 'flex-1', 'w-24', 'w-16']}
          row="h-7 items-center gap-8"
          className="px-4 pt-4"
        />
      ) : (
        <LoadProblem title="Couldn't load flows" problem={problem} onAgain={readAgain} />
      )}
    </section>
  )
}

function AllFlowsHeader({
  count,
  isFailed,
  hasFailures,
  isBusy,
  text,
  onText,
  onRunAll,
}: {
  /** Number of flows; null until they are loaded. */
  readonly count: number | null
  /** Whether they couldn't be loaded. */
  readonly isFailed: boolean
  /** Whether running the failed ones again is the main action. */
  readonly hasFailures: boolean
  readonly isBusy: boolean
  /** Text to search for. */
  readonly text: string
  readonly onText: (text: string) => void
  readonly onRunAll: () => void
}) {
  const { series, draft, changeDraft } = useParts('flows', 'series', 'draft', 'changeDraft')
  const kind = hasFailures ? 'plain' : 'primary'
  return (
    <header className="window-drag @container flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2">
      <h1 className="mr-1 text-title font-medium">Flows</h1>
      <HandlerMenu />
      <input
        id={FLOW_SEARCH_ID}
        type="search"
        aria-label="Search flows"
        placeholder={count === null ? 'Search flows' : `Search ${counted(count, 'flow')}`}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        className="h-7 min-w-24 flex-1 rounded-control border border-edge bg-ground px-2.5"
      />
      <FlowFileButton />
      {!isFailed && (
        <RunButton
          kind={kind}
          extraOptions={
            <CheckField
              checked={draft.includesLive}
              onChange={(includesLive) => changeDraft({ includesLive })}
            >
              Include live-mode flows
            </CheckField>
          }
        >
          <Button
            id={RUN_ALL_ID}
            kind={kind}
            className="rounded-r-none"
            icon={Play}
            disabled={series !== null || isBusy || count === null}
            onClick={onRunAll}
          >
            Run all
            <span className="contents @max-[900px]:hidden">
              <ActionKeys action="flow-run-all" />
            </span>
          </Button>
        </RunButton>
      )}
    </header>
  )
}
