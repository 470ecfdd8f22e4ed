/** The table of built-in flows: the last result of each, what changed since, and the selected flow's panel. */
import { Play, RotateCw, Square } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import type { FlowSummary, FlowChange } from '../../../shared/model/flow.ts'
import { flowChanges, labelOf, stepOutcomes } from '../../../shared/model/outcomes.ts'
import { useAppParts, useParts, useApp } from '../../state/use-app.ts'
import { IconButton, Button } from '../../ui/button.tsx'
import { Message } from '../../ui/message.tsx'
import { duration } from '../../ui/moment.ts'
import { ModeMark, OutcomeIcon, toneText } from '../../ui/outcome-mark.tsx'
import { SplitPanes, useNarrow } from '../../ui/split-panes.tsx'
import { FlowFileTroubles } from './flow-file.tsx'
import { FlowResult } from './flow-result.tsx'
import { flowSections, flowTable, lookOfRow, searchFlows, type FlowTableRow } from './flow-table.ts'
import { counted } from '../../../shared/text/counted.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import type { FlowSeries } from './flow-list-slice.ts'
import { flowEndpoint } from './flow-start.ts'

export const FLOW_SEARCH_ID = 'flow-search'
export const RUN_ALL_ID = 'flow-run-all'

/** Below this width, the panel moves under the table. */
const STACK_BELOW = 1100

interface FlowListProps {
  readonly flows: readonly FlowSummary[]
  readonly text: string
  /** Runs the named flows. */
  readonly onRun: (names: readonly string[]) => void
}

export function FlowList({ flows, text, onRun }: FlowListProps) {
  const { runs, series, draft, selectedFlow, fileProblem } = useParts(
    'flows',
    'runs',
    'series',
    'draft',
    'selectedFlow',
    'fileProblem',
  )
  const stacked = useNarrow(STACK_BELOW)
  const rows = flowTable(flows, runs ?? [], { series, includesLive: draft.includesLive })
  const found = new Set(searchFlows(flows, text))
  const shown = flowSections(rows.filter(({ flow }) => found.has(flow)))
  const inOrder = shown.flatMap((section) => section.rows)
  const selected = inOrder.find(({ flow }) => flow.name === selectedFlow) ?? inOrder[0]
  const name = selected?.flow.name
  const isEmpty = series === null && rows.every((row) => row.runId === null)
  const failures = inOrder.filter(({ status }) => status === 'fail')
  const next =
    failures[failures.findIndex((row) => row === selected) + 1] ??
    failures.find((row) => row !== selected)
  return (
    <>
      {fileProblem !== null && <FlowFileTroubles problem={fileProblem} />}
      {isEmpty ? null : <ResultBand rows={rows} series={series} onRun={onRun} />}
      <FlowNotes isEmpty={isEmpty} />
      <SplitPanes
        name="flows"
        className="min-h-0 flex-1"
        stackBelow={STACK_BELOW}
        resize="Resize the flow's result"
        first={{
          id: 'flows',
          minSize: '40%',
          content: (
            <div
              className="@container h-full min-w-0 overflow-auto bg-ground"
              role="region"
              aria-label="Flow list"
              data-pane="flows"
              tabIndex={-1}
            >
              {inOrder.length === 0 ? (
                <div className="px-8 pt-12">
                  <Message title="No matching flows">
                    Search by name or by what happens, such as refund, retry or consent.
                  </Message>
                </div>
              ) : (
                <FlowTable shown={shown} selected={name} onRun={onRun} />
              )}
            </div>
          ),
        }}
        second={
          selected === undefined
            ? null
            : {
                id: 'result',
                defaultSize: stacked ? '42%' : '27%',
                minSize: '24%',
                content: <FlowResult row={selected} next={next ?? null} onRun={onRun} />,
              }
        }
      />
    </>
  )
}

const head =
  'sticky top-0 z-10 h-7 bg-ground text-left text-tiny font-normal text-subtle shadow-[inset_0_-1px_0_var(--line)]'

function FlowTable({
  shown,
  selected,
  onRun,
}: {
  readonly shown: ReturnType<typeof flowSections>
  readonly selected: string | undefined
  readonly onRun: FlowListProps['onRun']
}) {
  return (
    <table className="w-full table-fixed border-collapse">
      <thead>
        <tr>
          <th scope="col" className={`${head} w-10`}>
            <span className="sr-only">Outcome</span>
          </th>
          <th scope="col" className={`${head} w-[28%] @max-[860px]:w-[38%] @max-[640px]:w-auto`}>
            Flow
          </th>
          <th scope="col" className={`${head} @max-[640px]:hidden`}>
            What happened
          </th>
          <th scope="col" className={`${head} w-32 pl-4`}>
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
      {shown.map(({ title, outcome, rows }) => (
        <tbody key={title} aria-label={title}>
          <tr className="h-7 border-t border-line first:border-t-0">
            <td className="pl-4">
              <OutcomeIcon outcome={outcome} />
            </td>
            <th
              colSpan={5}
              scope="rowgroup"
              className="text-left text-small font-normal text-subtle"
            >
              <span className={`font-medium ${title === 'Failed' ? 'text-bad' : 'text-text'}`}>
                {title}
              </span>{' '}
              {rows.length}
            </th>
          </tr>
          {rows.map((row) => (
            <FlowRow
              key={row.flow.name}
              row={row}
              isSelected={row.flow.name === selected}
              onRun={onRun}
            />
          ))}
        </tbody>
      ))}
    </table>
  )
}

function FlowRow({
  row,
  isSelected,
  onRun,
}: {
  readonly row: FlowTableRow
  readonly isSelected: boolean
  readonly onRun: FlowListProps['onRun']
}) {
  const { flow, status, happened, change, ms, runId } = row
  const { go, selectFlow, isBusy } = useAppParts((state) => ({
    go: state.navigation.go,
    selectFlow: state.flows.selectFlow,
    isBusy: state.flows.series !== null,
  }))
  const look = lookOfRow(row)
  const quiet = status === 'skip' || status === 'none' || status === 'pending'
  const open = () => go('flows', { flow: flow.name, run: runId ?? undefined })
  const run = () => {
    if (!isBusy) onRun([flow.name])
  }
  const changed = change === null ? null : flowChanges[change]
  return (
    <tr
      aria-current={isSelected}
      onClick={() => selectFlow(flow.name)}
      onDoubleClick={open}
      className={`h-7 cursor-default ${isSelected ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-raised'}`}
    >
      <td className="pl-4">
        <OutcomeIcon outcome={look} label={labelOf(look)} />
      </td>
      <td className="truncate pr-3">
        <button
          type="button"
          data-flow-row={flow.name}
          aria-pressed={isSelected}
          tabIndex={isSelected ? 0 : -1}
          title={flow.about ?? undefined}
          onFocus={() => selectFlow(flow.name)}
          onClick={(event) => {
            // The first click selects, the second one opens.
            if (isSelected && event.detail === 1) open()
          }}
          onKeyDown={(event) => onRowKey(event, { run, open })}
          className={`max-w-full truncate rounded-small text-left align-middle outline-offset-2 ${quiet ? 'text-muted' : ''}`}
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
        className={`py-0.5 pr-3 text-small leading-4 @max-[640px]:hidden ${status === 'fail' ? 'text-bad' : 'text-muted'}`}
        title={happened}
      >
        <span className="line-clamp-2 wrap-anywhere">
          {status === 'pending' ? 'Pending' : status === 'running' ? 'Running…' : happened}
        </span>
      </td>
      <td
        className={`pl-4 text-small ${changed === null ? 'text-subtle' : toneText[changed.tone]}`}
      >
        {changed === null ? (
          '–'
        ) : (
          <span className="inline-flex items-center gap-1">
            {changed.tone !== 'neutral' && <OutcomeIcon outcome={changed} size={11} />}
            {labelOf(changed)}
          </span>
        )}
      </td>
      <td className="data text-right text-muted">{ms === null ? '–' : duration(ms)}</td>
      <td className="text-right">
        <IconButton
          label={`${runId === null ? 'Run' : 'Run again'}: ${flow.title}`}
          icon={
            status === 'fail' ? <RotateCw size={13} aria-hidden /> : <Play size={13} aria-hidden />
          }
          disabled={isBusy}
          className="mr-2 size-6"
          onClick={(event) => {
            event.stopPropagation()
            run()
          }}
        />
      </td>
    </tr>
  )
}

/** A single tab stop for the table. Arrow keys move through all sections; Enter runs the flow, `o` opens it. */
function onRowKey(
  event: KeyboardEvent<HTMLButtonElement>,
  {
    run,
    open,
  }: {
    run(): void
    open(): void
  },
): void {
  if (event.shiftKey || event.metaKey || event.ctrlKey || event.altKey) return
  const rows = [
    ...(event.currentTarget.closest('table')?.querySelectorAll<HTMLElement>('[data-flow-row]') ??
      []),
  ]
  const at = rows.indexOf(event.currentTarget)
  const act = { Enter: run, o: open }[event.key]
  const target = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    j: at + 1,
    k: at - 1,
    Home: 0,
    End: rows.length - 1,
  }[event.key]
  const row = target === undefined ? undefined : rows[target]
  if (act === undefined && row === undefined) return
  event.preventDefault()
  event.stopPropagation()
  if (act !== undefined) act()
  row?.focus()
  row?.scrollIntoView({ block: 'nearest' })
}

// The results above the table of flows: counts, what changed, progress, and what keeps them from saying more.

function Cell({
  label,
  grow = false,
  children,
}: {
  readonly label: string
  readonly grow?: boolean
  readonly children: ReactNode
}) {
  return (
    <div
      className={`flex min-w-0 flex-col justify-center border-r border-line px-4 py-1.5 ${grow ? 'flex-[1_1_240px]' : ''}`}
    >
      <dt className="text-tiny text-subtle">{label}</dt>
      <dd className="flex flex-wrap items-center gap-x-1.5 text-small">{children}</dd>
    </div>
  )
}

const tallies = [
  ['fail', 'failed', 'bg-bad'],
  ['pass', 'passed', 'bg-ok'],
  ['skip', 'skipped', 'bg-edge'],
] as const

/** The flows by outcome, in words and as a bar. */
function Tally({ rows }: { readonly rows: readonly FlowTableRow[] }) {
  const shown = tallies.flatMap(([status, word, color]) => {
    const count = rows.filter((row) => row.status === status).length
    return count === 0 ? [] : [{ status, word, color, count }]
  })
  return (
    <>
      {shown.map(({ status, word, count }) => (
        <span
          key={status}
          className={`inline-flex items-center gap-1 ${toneText[stepOutcomes[status].tone]}`}
        >
          <OutcomeIcon outcome={stepOutcomes[status]} size={12} />
          {count} {word}
        </span>
      ))}
      <span aria-hidden className="ml-2 flex h-1.5 w-28 gap-px overflow-hidden rounded-small">
        {shown.map(({ status, color, count }) => (
          <i key={status} className={color} style={{ flex: count }} />
        ))}
      </span>
    </>
  )
}

const order: readonly FlowChange[] = ['regressed', 'still-failing', 'fixed', 'unchanged']

function Changes({ rows }: { readonly rows: readonly FlowTableRow[] }) {
  const changes = rows.map(({ change }) => change)
  const shown = order.filter((change) => changes.includes(change))
  if (shown.length === 0) return <span className="text-subtle">Nothing to compare</span>
  return shown.map((change) => (
    <span key={change} className={toneText[flowChanges[change].tone]}>
      {changes.filter((one) => one === change).length} {flowChanges[change].word}
    </span>
  ))
}

/** The last results: how many flows failed and passed, what changed, and the progress of those being run. */
function ResultBand({
  rows,
  series,
  onRun,
}: {
  readonly rows: readonly FlowTableRow[]
  readonly series: FlowSeries | null
  readonly onRun: (names: readonly string[]) => void
}) {
  const cancelAll = useApp((state) => state.flows.cancelAll)
  const failed = rows.filter(({ status }) => status === 'fail').map(({ flow }) => flow.name)
  return (
    <div className="flex shrink-0 flex-wrap items-stretch border-b border-line bg-surface">
      <dl className="flex min-w-0 flex-[1_1_480px] flex-wrap" aria-label="Results">
        <Cell label="Last run of each flow">
          <Tally rows={rows} />
        </Cell>
        {series === null ? (
          <Cell label="Since the last run" grow>
            <Changes rows={rows} />
          </Cell>
        ) : (
          <Cell label="Progress" grow>
            <span role="status">
              {series.done} of {counted(series.names.length, 'flow')}
            </span>
            <ProgressBar
              label="Completed flows"
              value={series.done}
              max={series.names.length}
              className="w-40"
            />
          </Cell>
        )}
      </dl>
      <div className="ml-auto flex items-center gap-2 px-4 py-2">
        {series !== null ? (
          <Button icon={<Square size={12} aria-hidden />} onClick={cancelAll}>
            Cancel
          </Button>
        ) : (
          failed.length > 0 && (
            <Button icon={<RotateCw size={13} aria-hidden />} onClick={() => onRun(failed)}>
              Re-run {failed.length} failed
            </Button>
          )
        )}
      </div>
    </div>
  )
}

/** What keeps the results from saying more: no handler, or no run yet. */
function FlowNotes({ isEmpty }: { readonly isEmpty: boolean }) {
  const { inputs, change, hasHandler, hasSaved, edit } = useAppParts((state) => ({
    inputs: state.flows.draft.inputs,
    change: state.flows.changeDraft,
    hasHandler: flowEndpoint(state.flows.draft, state.core.handlers) !== '',
    hasSaved: state.core.handlers.length > 0,
    edit: state.handlers.edit,
  }))
  const set = Object.entries(inputs).filter(([, value]) => value.trim() !== '')
  if (!isEmpty && hasHandler && set.length === 0) return null
  return (
    <div className="shrink-0 border-b border-line bg-surface px-4 py-1.5 text-small">
      {isEmpty && (
        <p className="text-muted">Nothing has run yet. Run all flows, or run one from its row.</p>
      )}
      {!hasHandler && (
        <p className="text-muted">
          No handler set, so the steps that check its responses are skipped. Set it under Handler.
        </p>
      )}
      {set.length > 0 && (
        <p
          className="flex items-center gap-2 text-muted"
          role="note"
          aria-label="Inputs of the next run"
        >
          <span className="min-w-0 truncate">
            Flows that have these inputs use them:{' '}
            <ExactText text={set.map(([name, value]) => `${name} ${value}`).join(', ')} />.
          </span>
          <Button kind="quiet" onClick={() => change({ inputs: {} })}>
            Clear inputs
          </Button>
        </p>
      )}
      {!hasHandler && !hasSaved && (
        <Button className="mt-1" onClick={() => edit({})}>
          Add handler
        </Button>
      )}
    </div>
  )
}
