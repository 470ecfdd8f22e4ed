/**
 * The report and the form of a handler's check, which tests the user's endpoint against the spec,
 * case by case.
 */
import { ChevronLeft, Download, Plus } from 'lucide-react'
import { useState } from 'react'
import type { CheckCase, CheckRun, CheckSummary } from '../../../shared/model/check.ts'
import { useData, useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { handlerAt, handlerRef } from '../../ui/endpoint-offers.ts'
import { LoadingRows, LoadProblem } from '../../ui/message.tsx'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { SplitPanes, useNarrow } from '../../ui/split-panes.tsx'
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { ButtonMenu, MenuItem } from '../../ui/menu.tsx'
import { CaseDetail } from './check-case.tsx'
import { RunView } from './check-run.tsx'
import { entriesOf, shownEntry } from './check-cases.ts'
import { CheckForm } from './check-form.tsx'
import { HandlerForm } from './handler-form.tsx'
import { saveBytes } from '../../ui/save-file.ts'
import { Select } from '../../ui/select.tsx'

/** Shows the form of a check, or without a handler the form that adds one. */
function NewCheck({
  cases,
  run,
}: {
  readonly cases: readonly CheckCase[]
  /** The last check; null for a first one. */
  readonly run: CheckRun | null
}) {
  const hasHandlers = useApp((state) => state.core.handlers.length > 0)
  const go = useApp((state) => state.navigation.go)
  return (
    <div className="px-8 pt-8 pb-12">
      <h2 className="mb-4 text-title font-medium">Check your handler</h2>
      {run === null && (
        <p className="-mt-3 mb-4 max-w-[560px] text-muted">
          Sends valid, forged, late, duplicate and unusual deliveries to your endpoint. Shows which
          it should have accepted or rejected, why it matters, and how to fix it.
        </p>
      )}
      {hasHandlers ? (
        <CheckForm {...{ cases, run }} onCancel={run === null ? null : () => go('check', {})} />
      ) : (
        <div className="max-w-[560px]">
          <HandlerForm edited={{}} onCancel={null} onDone={() => undefined} />
        </div>
      )}
    </div>
  )
}

function runLabel({ createdAt, state, passed, failed, score }: CheckSummary): string {
  const outcome =
    state === 'running'
      ? 'running'
      : failed > 0
        ? `${failed} failed`
        : state === 'done'
          ? `${passed} passed${score === null ? '' : `, score ${score}`}`
          : state
  return `${outcome} · ${calendarDay(createdAt)}, ${clockTime(createdAt).slice(0, 8)}`
}

function CheckRuns({ run }: { readonly run: CheckRun }) {
  const go = useApp((state) => state.navigation.go)
  const { runs = [] } = useRead('check.list', {}).output ?? {}
  const all = runs.some(({ id }) => id === run.id) ? runs : [run, ...runs]
  return (
    <Select
      aria-label="Run"
      choices={all.map((each) => ({
        value: each.id,
        label: runLabel(each),
        note: visibleText(each.target),
      }))}
      value={run.id}
      onChange={(runId) => go('check', { run: runId })}
      className="max-w-[300px] text-small text-muted"
    />
  )
}

const formats = [
  ['html', 'For people', 'HTML'],
  ['junit', 'For CI', 'JUnit'],
  ['json', 'For programs', 'JSON'],
] as const

function CheckReports({ run }: { readonly run: CheckRun }) {
  const { act, client } = useData()
  const save = (format: (typeof formats)[number][0]) =>
    act(
      "Couldn't save the report",
      async () => {
        const { text, fileName } = await client.call('check.report', { runId: run.id, format })
        saveBytes(new TextEncoder().encode(text), fileName)
        return fileName
      },
      { done: (fileName) => ({ tone: 'ok', title: 'Report saved', message: fileName }) },
    )
  return (
    <ButtonMenu
      className="min-w-48"
      trigger={
        <Button disabled={run.state === 'running'} icon={Download}>
          <span className="@max-[480px]:sr-only">Report</span>
        </Button>
      }
    >
      {formats.map(([format, use, name]) => (
        <MenuItem key={format} onClick={() => void save(format)} className="gap-6">
          <span className="flex-1">{name}</span>
          <span className="text-small text-muted">{use}</span>
        </MenuItem>
      ))}
    </ButtonMenu>
  )
}

export function CheckScreen() {
  const { form, run: runInAddress, case: chosen } = useApp((state) => state.navigation.at.check)
  const cases = useRead('check.cases', {})
  const list = useRead('check.list', {})
  const runId = runInAddress ?? list.output?.runs[0]?.id
  const read = useRead('check.get', runId === undefined ? null : { runId }, { keep: true })
  /** The name of the case that is running again. */
  const [rerunCaseName, setRerunCaseName] = useState<string | null>(null)
  const stacked = useNarrow()
  const run = read.output?.run ?? null
  const failed = [cases, list, read].find(({ problem }) => problem !== null)
  const isLoading = !cases.output || !list.output || (runId !== undefined && run === null)
  if (isLoading || run === null || form !== undefined)
    return (
      <section aria-label="Check" data-pane="check" className="flex h-full flex-col bg-ground">
        <Heading run={run} form />
        <div className="relative min-h-0 flex-1 overflow-auto">
          {failed !== undefined ? (
            <LoadProblem
              title="Couldn't load checks"
              problem={failed.problem ?? ''}
              onAgain={failed.readAgain}
            />
          ) : isLoading ? (
            <LoadingRows
              label="Loading checks"
              count={6}
              columns={['w-20', 'flex-1', 'w-16']}
              className="px-8 pt-12"
            />
          ) : (
            <NewCheck cases={cases.output?.cases ?? []} run={run} />
          )}
        </div>
      </section>
    )
  const entries = entriesOf(run)
  const shown = shownEntry(entries, chosen ?? null)
  const results = (
    <section
      aria-label="Check"
      data-pane="check"
      className="flex h-full min-w-0 flex-col bg-ground"
    >
      <Heading run={run} form={false} />
      <RunView
        run={run}
        entries={entries}
        shownName={shown?.checkCase.name ?? null}
        rerunCaseName={rerunCaseName}
      />
    </section>
  )
  return (
    <SplitPanes
      name="check"
      first={{ id: 'check', minSize: stacked ? '30%' : '36%', content: results }}
      second={{
        id: 'case',
        defaultSize: '46%',
        content:
          shown === undefined ? null : (
            <CaseDetail
              key={`${run.id} ${shown.checkCase.name}`}
              run={run}
              entry={shown}
              rerunCaseName={rerunCaseName}
              onTrying={setRerunCaseName}
            />
          ),
      }}
      resize="Resize case details"
    />
  )
}

function Heading({ run, form }: { readonly run: CheckRun | null; readonly form: boolean }) {
  const go = useApp((state) => state.navigation.go)
  const handlers = useApp((state) => state.core.handlers)
  const handler = run === null ? null : handlerAt(run.target, handlers)
  const above = handler === null ? 'Handlers' : handlerRef(handler)
  return (
    <header className="window-drag @container flex h-12 shrink-0 items-center gap-2 border-b border-line bg-surface pr-3 pl-4">
      <Button
        kind="quiet"
        className="-ml-2.5 min-w-0 shrink!"
        aria-label={visibleText(above)}
        icon={ChevronLeft}
        onClick={() => go('handlers', handler === null ? {} : { name: handler.name })}
      >
        <MiddleTruncated text={above} />
      </Button>
      <h1 className="text-title font-medium">Check</h1>
      <span className="min-w-28 flex-1 pl-2">
        {run !== null && !form && <CheckRuns run={run} />}
      </span>
      {run !== null && !form && <CheckReports run={run} />}
      {run !== null && !form && (
        <Button
          kind="primary"
          icon={Plus}
          disabled={run.state === 'running'}
          onClick={() => go('check', { form: 'new' })}
        >
          <span className="@max-[480px]:sr-only">New check</span>
        </Button>
      )}
    </header>
  )
}
