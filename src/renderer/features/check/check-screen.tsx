/** The handler check: how a developer's own endpoint stands to the interface, case by case, now and before. */
import { Plus } from 'lucide-react'
import { useEffect } from 'react'
import type { CheckCase } from '../../../shared/model/check.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { NotRead } from '../../ui/not-read.tsx'
import { SplitPanes } from '../../ui/split-panes.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { CaseDetail } from './case-detail.tsx'
import { entriesOf, shownEntry } from './case-entries.ts'
import { CheckForm } from './check-form.tsx'
import { CheckReports } from './check-reports.tsx'
import { CheckRuns } from './check-runs.tsx'
import { FirstCheck } from './first-check.tsx'
import { RunView } from './run-view.tsx'

export function CheckScreen() {
  const { cases, run, form, problem, chosen, connected, readChecks } = useAppParts((state) => ({
    cases: state.check.cases,
    run: state.check.run,
    form: state.check.formShown,
    problem: state.check.problem,
    chosen: state.check.caseName,
    connected: state.core.connection.phase === 'open',
    readChecks: state.check.read,
  }))
  useEffect(() => {
    if (connected) void readChecks()
  }, [connected, readChecks])
  const stacked = useNarrow()
  if (run === null || form)
    return (
      <section aria-label="Check" data-pane="check" className="flex h-full flex-col bg-ground">
        <Heading />
        <div className="relative min-h-0 flex-1 overflow-auto">
          {cases === null && problem === null && (
            <LoadingRows label="Loading the checks" count={6} columns={['w-20', 'flex-1', 'w-16']} className="px-8 pt-12" />
          )}
          {cases === null && problem !== null && (
            <div className="px-8 pt-12">
              <NotRead title="The checks could not be read" problem={problem} onAgain={() => void readChecks()} />
            </div>
          )}
          {cases !== null && run === null && <FirstCheck cases={cases} />}
          {cases !== null && run !== null && <AnotherCheck cases={cases} />}
        </div>
      </section>
    )
  const entries = entriesOf(run)
  const shown = shownEntry(entries, chosen)
  const list = (
    <section aria-label="Check" data-pane="check" className="flex h-full min-w-0 flex-col bg-ground">
      <Heading />
      <RunView run={run} entries={entries} shownName={shown?.one.name ?? null} />
    </section>
  )
  return (
    <SplitPanes
      name="check"
      first={{ id: 'check', minSize: stacked ? '30%' : '36%', content: list }}
      second={{
        id: 'case',
        defaultSize: '46%',
        content: shown === undefined ? null : <CaseDetail key={`${run.id} ${shown.one.name}`} run={run} entry={shown} />,
      }}
      resize="Resize the detail of the case"
    />
  )
}

function Heading() {
  const { run, formShown: form, showForm: setForm } = useParts('check', 'run', 'formShown', 'showForm')
  return (
    <header className="window-drag flex h-11 shrink-0 items-center gap-2 border-b border-line bg-surface pr-3 pl-4">
      <h1 className="text-title font-medium">Check</h1>
      <span className="min-w-0 flex-1 pl-2">{run !== null && <CheckRuns run={run} />}</span>
      {run !== null && !form && <CheckReports disabled={run.state === 'running'} />}
      {run !== null && !form && (
        <Button
          kind="primary"
          icon={<Plus size={14} aria-hidden />}
          disabled={run.state === 'running'}
          onClick={() => {
            setForm(true)
          }}
        >
          New check
        </Button>
      )}
    </header>
  )
}

function AnotherCheck({ cases }: { readonly cases: readonly CheckCase[] }) {
  const setForm = useApp((state) => state.check.showForm)
  return (
    <div className="px-8 pt-8 pb-12">
      <h2 className="mb-4 text-title font-medium">Check a handler</h2>
      <CheckForm
        cases={cases}
        onCancel={() => {
          setForm(false)
        }}
      />
    </div>
  )
}
