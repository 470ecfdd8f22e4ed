/** The results above the table of flows: counts, what changed, progress, and what keeps them from saying more. */
import { RotateCw, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import { counted } from '../../../shared/text/counted.ts'
import type { FlowChange } from '../../../shared/model/flow-run.ts'
import { flowChanges, stepOutcomes } from '../../../shared/model/outcomes.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { OutcomeIcon, toneText } from '../../ui/outcome-mark.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import type { FlowSeries } from './flow-list-slice.ts'
import { flowEndpoint } from './flow-start.ts'
import type { FlowTableRow } from './flow-table.ts'

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
export function ResultBand({
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
export function FlowNotes({ isEmpty }: { readonly isEmpty: boolean }) {
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
