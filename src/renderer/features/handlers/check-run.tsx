/** A run: progress, diagnosis, changes since the previous run, and cases. */
import { Square } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { type CheckRun, checkGroups } from '../../../shared/model/check.ts'
import { checkOutcomes, shownCase } from '../../../shared/model/check-outcomes.ts'
import type { HandlerCause } from '../../../shared/model/handler-causes.ts'
import { useData } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { DisclosureButton } from '../../ui/disclosure.tsx'
import { handlerAt } from '../../ui/endpoint-offers.ts'
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { exactTime, milliseconds } from '../../ui/moment.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { CauseList } from './cause-list.tsx'
import {
  type CaseEntry,
  foldSkipped,
  caseGroups,
  type Fold,
  foldWords,
  isCertificateObstacle,
  failuresFirst,
  isFailedCase,
} from './check-cases.ts'
import { groupWords, skippedWords } from './handler-facts.ts'

export function RunView({
  run,
  entries,
  shownName,
  rerunCaseName,
}: {
  readonly run: CheckRun
  readonly entries: readonly CaseEntry[]
  readonly shownName: string | null
  /** The case that is running again. */
  readonly rerunCaseName: string | null
}) {
  const select = useApp((state) => state.navigation.select)
  const row = (entry: CaseEntry) => (
    <CaseRow
      key={entry.checkCase.name}
      entry={entry}
      shown={entry.checkCase.name === shownName}
      trying={entry.checkCase.name === rerunCaseName}
      onSelect={() => select('check', { run: run.id, case: entry.checkCase.name })}
    />
  )
  const scroller = useRef<HTMLDivElement>(null)
  const { id, state } = run
  const { rest, folds } = foldSkipped(entries)
  const groups = caseGroups(state === 'running' ? rest : failuresFirst(rest))
  useEffect(() => {
    // The diagnosis is at the top. Keep it visible for a new run, but don't scroll while the user
    // moves among cases.
    const list = scroller.current
    if (state !== 'running' && list?.contains(document.activeElement) === false)
      list.scrollTo({ top: 0 })
  }, [id, state])
  return (
    <div
      ref={scroller}
      className="@container min-h-0 flex-1 overflow-auto"
      tabIndex={-1}
      role="region"
      aria-label="Check results"
    >
      <Summary run={run} />
      {run.state === 'running' && <Progress run={run} />}
      {run.state !== 'running' && (
        <CauseList
          explained={run.explained}
          run={run}
          below={(cause) => <CauseCases cause={cause} run={run} />}
        />
      )}
      {groups.map(([group, all]) => (
        <section key={group} aria-label={checkGroups[group]}>
          <h2 className="sticky top-0 z-10 flex h-7 items-center justify-between bg-surface pr-4 pl-4 text-tiny font-medium text-subtle shadow-[inset_0_-1px_0_var(--line)]">
            <span>{checkGroups[group]}</span>
            <span className="font-normal tabular-nums">{tally(all)}</span>
          </h2>
          <ul>{all.map(row)}</ul>
        </section>
      ))}
      {folds.map((fold) => (
        <FoldedCases key={`${id} ${fold.reason}`} fold={fold} shownName={shownName} row={row} />
      ))}
    </div>
  )
}

function FoldedCases({
  fold,
  shownName,
  row,
}: {
  readonly fold: Fold
  readonly shownName: string | null
  readonly row: (entry: CaseEntry) => ReactNode
}) {
  const [chosen, setChosen] = useState<boolean | null>(null)
  const list = useId()
  const isOpen = chosen ?? fold.entries.some(({ checkCase }) => checkCase.name === shownName)
  return (
    <section aria-label="Skipped">
      <DisclosureButton
        open={isOpen}
        content={list}
        onToggle={setChosen}
        className="flex-row-reverse gap-3 border-b border-line/50 px-4"
      >
        <span className="flex min-w-0 flex-1 items-center gap-3">
          <span className="w-28 shrink-0 @max-[540px]:w-26">
            <OutcomeMark outcome={checkOutcomes.skip} />
          </span>
          <span className="min-w-0 flex-1 text-muted">{foldWords(fold)}</span>
        </span>
      </DisclosureButton>
      {isOpen && <ul id={list}>{fold.entries.map(row)}</ul>}
    </section>
  )
}

function tally(all: readonly CaseEntry[]): string {
  const judged = all.filter(({ result }) => result !== null && result.outcome !== 'skip')
  if (judged.length === 0) return ''
  return groupWords(judged.filter(isFailedCase).length, judged.length)
}

const stateWords = {
  cancelled: 'Cancelled before the end',
  interrupted: 'Interrupted: Countersign stopped',
} as const

function Summary({ run }: { readonly run: CheckRun }) {
  const { target, registeredUrl, score, passed, failed, state, problem, comparison } = run
  return (
    <div className="flex items-start gap-4 border-b border-line px-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex min-w-0">
          <MiddleTruncated text={target} tail={18} className="data" />
        </p>
        {registeredUrl !== target && (
          <p className="flex min-w-0 gap-1.5 text-small text-subtle">
            <span className="shrink-0">signed over</span>
            <MiddleTruncated text={registeredUrl} tail={18} className="data" />
          </p>
        )}
        <p
          className="mt-1 text-small text-muted"
          {...(state === 'running' ? {} : { role: 'status' })}
        >
          {passed} passed,{' '}
          <span className={failed > 0 ? 'font-medium text-bad' : ''}>{failed} failed</span>,{' '}
          {skippedWords(run)}
          {(state === 'cancelled' || state === 'interrupted') && (
            <span className="text-warn">. {stateWords[state]}</span>
          )}
          {problem !== null && <span className="text-bad">. {problem}</span>}
        </p>
        {comparison !== null && <Comparison comparison={comparison} run={run} />}
      </div>
      {score !== null && state !== 'running' && (
        <p
          className="shrink-0 text-right"
          title="Share of completed cases that passed, weighted by severity"
        >
          <span
            className={`block font-mono text-display tabular-nums ${failed === 0 && state === 'done' ? 'text-ok' : ''}`}
          >
            {score}
          </span>
          <span className="block text-tiny text-subtle">of 100</span>
        </p>
      )}
    </div>
  )
}

/** Returns the titles of cases; a case that the run doesn't have keeps its name. */
function titlesOf(names: readonly string[], { results }: CheckRun): string {
  return names
    .map((name) => results.find((result) => result.name === name)?.title ?? name)
    .join('; ')
}

function Comparison({
  comparison,
  run,
}: {
  readonly comparison: NonNullable<CheckRun['comparison']>
  readonly run: CheckRun
}) {
  const { newlyFailing, fixed, createdAt } = comparison
  const parts = [
    ...(newlyFailing.length === 0 ? [] : [`Newly failing: ${titlesOf(newlyFailing, run)}.`]),
    ...(fixed.length === 0 ? [] : [`Fixed: ${titlesOf(fixed, run)}.`]),
  ]
  return (
    <p
      className="mt-0.5 text-small text-muted"
      title={`Previous check of this endpoint: ${exactTime(createdAt)}`}
    >
      {parts.length === 0 ? 'No changes since the previous check.' : parts.join(' ')}
    </p>
  )
}

function Progress({ run: { id, ended, total } }: { readonly run: CheckRun }) {
  const { act, client } = useData()
  const cancel = () =>
    act("Couldn't cancel the check", () => client.call('check.cancel', { runId: id }))
  return (
    <div className="flex items-center gap-3 border-b border-line px-4 py-2">
      <ProgressBar label="Completed cases" value={ended} max={total} className="min-w-0 flex-1" />
      <span className="text-small text-muted tabular-nums">
        {ended} of {total}
      </span>
      <Button icon={Square} onClick={() => void cancel()}>
        Cancel
      </Button>
    </div>
  )
}

/** Names the cases that a cause explains, and offers to trust a certificate. */
function CauseCases({
  cause: { cause, cases },
  run,
}: {
  readonly cause: HandlerCause
  readonly run: CheckRun
}) {
  const edit = useApp((state) => state.handlers.edit)
  const handlers = useApp((state) => state.core.handlers)
  return (
    <>
      {cause === 'unreachable' && isCertificateObstacle(run) && (
        <Button
          className="mt-2"
          onClick={() => edit(handlerAt(run.target, handlers) ?? { url: run.target })}
        >
          Add CA certificate…
        </Button>
      )}
      {cases.length > 1 && (
        <details className="mt-1 text-small text-muted">
          <summary>{cases.length} failed cases</summary>
          <p>{titlesOf(cases, run)}.</p>
        </details>
      )}
    </>
  )
}

function CaseRow({
  entry: { checkCase, result },
  shown,
  trying,
  onSelect,
}: {
  readonly entry: CaseEntry
  readonly shown: boolean
  readonly trying: boolean
  readonly onSelect: () => void
}) {
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    // The case may be selected elsewhere: by a shortcut or as the first failure.
    if (shown) row.current?.scrollIntoView({ block: 'nearest' })
  }, [shown])
  const slowest = Math.max(0, ...(result?.exchanges.map(({ got }) => got.ms) ?? []))
  return (
    <li ref={row} className="scroll-mt-8">
      <button
        type="button"
        data-case-row
        tabIndex={shown ? 0 : -1}
        aria-pressed={shown}
        onClick={onSelect}
        onKeyDown={moveBetweenRows}
        className={`flex h-8 w-full items-center gap-3 border-b border-line/50 pr-4 pl-4 text-left outline-offset-[-2px] ${shown ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-raised'}`}
      >
        <span className="w-28 shrink-0 @max-[540px]:w-26">
          <OutcomeMark outcome={checkOutcomes[shownCase(trying ? null : result)]} />
        </span>
        <span
          title={checkCase.title}
          className={`min-w-0 flex-1 truncate ${result === null || result.outcome === 'skip' ? 'text-muted' : ''}`}
        >
          {checkCase.title}
        </span>
        {result?.outcome === 'fail' && (
          <span className="shrink-0 text-small text-muted @max-[540px]:hidden">
            {checkCase.severity}
          </span>
        )}
        <span className="data w-[72px] shrink-0 text-right text-subtle @max-[480px]:hidden">
          {slowest > 0 ? `${milliseconds(slowest)} ms` : ''}
        </span>
      </button>
    </li>
  )
}

/** Moves the selection with the arrow keys through all groups: the list is a single tab stop. */
function moveBetweenRows(event: KeyboardEvent<HTMLButtonElement>): void {
  const rows = [
    ...(event.currentTarget
      .closest('[role="region"]')
      ?.querySelectorAll<HTMLElement>('[data-case-row]') ?? []),
  ]
  const at = rows.findIndex((row) => row === event.currentTarget)
  const target = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    j: at + 1,
    k: at - 1,
    Home: 0,
    End: rows.length - 1,
  }[event.key]
  const row = target === undefined ? undefined : rows[target]
  if (row === undefined) return
  event.preventDefault()
  row.focus()
  row.click()
}
