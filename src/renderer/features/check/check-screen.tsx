/** The Check screen: tests the user's endpoint against the spec, case by case. */
import { Download, Plus } from 'lucide-react'
import { useEffect } from 'react'
import type { CheckCase, CheckRun, CheckSummary } from '../../../shared/model/check.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { LoadingRows, NotRead } from '../../ui/message.tsx'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { SplitPanes, useNarrow } from '../../ui/split-panes.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { ButtonMenu, MenuItem } from '../../ui/menu.tsx'
import { CaseDetail } from './case-detail.tsx'
import { entriesOf, shownEntry } from './case-entries.ts'
import { CheckForm } from './check-form.tsx'
import { RunView } from './run-view.tsx'

/** Before the first check: introduction, form and cases. */
function FirstCheck({ cases }: { readonly cases: readonly CheckCase[] }) {
  return (
    <div className="px-8 pt-8 pb-12">
      <h2 className="text-title font-medium">Check your handler</h2>
      <p className="mt-1 mb-4 max-w-[560px] text-muted">
        Sends valid, forged, late, duplicate and unusual deliveries to your endpoint. Shows which it
        should have accepted or rejected, why it matters, and how to fix it.
      </p>
      <CheckForm cases={cases} onCancel={null} />
    </div>
  )
}

function words({ createdAt, target, state, passed, failed, score }: CheckSummary): string {
  const outcome =
    state === 'running'
      ? 'running'
      : failed > 0
        ? `${failed} failed`
        : state === 'done'
          ? `${passed} passed${score === null ? '' : `, score ${score}`}`
          : state
  return `${outcome} · ${calendarDay(createdAt)}, ${clockTime(createdAt).slice(0, 8)} · ${visibleText(target)}`
}

/** Selects the current or an earlier run. */
function CheckRuns({ run }: { readonly run: CheckRun }) {
  const { runs, show: showCheck } = useParts('check', 'runs', 'show')
  const all = runs?.some(({ id }) => id === run.id) === true ? runs : [run, ...(runs ?? [])]
  return (
    <select
      aria-label="Run"
      value={run.id}
      onChange={(event) => void showCheck(event.currentTarget.value)}
      className="h-7 w-full max-w-[460px] truncate rounded-control border border-line bg-ground px-2 text-small text-muted hover:border-edge"
    >
      {all.map((each) => (
        <option key={each.id} value={each.id}>
          {words(each)}
        </option>
      ))}
    </select>
  )
}

const formats = [
  ['html', 'For people', 'HTML'],
  ['junit', 'For CI', 'JUnit'],
  ['json', 'For programs', 'JSON'],
] as const

/** Saves a run's reports as files. */
function CheckReports({ disabled }: { readonly disabled: boolean }) {
  const saveCheck = useApp((state) => state.check.save)
  return (
    <ButtonMenu
      look="min-w-48"
      trigger={
        <Button disabled={disabled} icon={<Download size={13} aria-hidden />}>
          Report
        </Button>
      }
    >
      {formats.map(([format, use, name]) => (
        <MenuItem key={format} onClick={() => void saveCheck(format)} className="gap-6">
          <span className="flex-1">{name}</span>
          <span className="text-small text-muted">{use}</span>
        </MenuItem>
      ))}
    </ButtonMenu>
  )
}

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
            <LoadingRows
              label="Loading checks"
              count={6}
              columns={['w-20', 'flex-1', 'w-16']}
              className="px-8 pt-12"
            />
          )}
          {cases === null && problem !== null && (
            <div className="px-8 pt-12">
              <NotRead
                title="Couldn't load checks"
                problem={problem}
                onAgain={() => void readChecks()}
              />
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
    <section
      aria-label="Check"
      data-pane="check"
      className="flex h-full min-w-0 flex-col bg-ground"
    >
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
        content:
          shown === undefined ? null : (
            <CaseDetail key={`${run.id} ${shown.one.name}`} run={run} entry={shown} />
          ),
      }}
      resize="Resize case details"
    />
  )
}

function Heading() {
  const {
    run,
    formShown: form,
    showForm: setForm,
  } = useParts('check', 'run', 'formShown', 'showForm')
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
          onClick={() => setForm(true)}
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
      <h2 className="mb-4 text-title font-medium">Check handler</h2>
      <CheckForm cases={cases} onCancel={() => setForm(false)} />
    </div>
  )
}
