/** The list of flows with their last results. */
import { Play, RotateCw } from 'lucide-react'
import type { FlowSummary } from '../../../shared/model/flow-run.ts'
import { labelOf } from '../../../shared/model/outcomes.ts'
import { flowChanges } from '../../../shared/model/flow-outcomes.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { focusRow } from '../../ui/focus-row.ts'
import { Message } from '../../ui/message.tsx'
import { duration } from '../../ui/moment.ts'
import { OutcomeIcon, toneText } from '../../ui/outcome-mark.tsx'
import { FlowResults, type OnRun } from './flow-results.tsx'
import { groupRows, searchFlows, type FlowTableRow } from './flow-table.ts'

export function FlowList({
  flows,
  rows,
  text,
  onRun,
}: {
  readonly flows: readonly FlowSummary[]
  /** Rows of all flows. */
  readonly rows: readonly FlowTableRow[]
  readonly text: string
  readonly onRun: OnRun
}) {
  const matches = new Set(searchFlows(flows, text))
  const shown = rows.filter(({ flow }) => matches.has(flow))
  const isSame = rows.every(({ change }) => change === null || change === 'unchanged')
  return (
    <>
      <FlowResults rows={rows} onRun={onRun} />
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
          <table
            className={`w-full table-fixed border-collapse ${isSame ? '[&_.change]:hidden' : ''}`}
          >
            <thead>
              <tr>
                <th scope="col" className={`${head} w-10`}>
                  <span className="sr-only">Outcome</span>
                </th>
                <th scope="col" className={`${head} w-[31%] @max-[560px]:w-auto`}>
                  Flow
                </th>
                <th scope="col" className={`${head} @max-[560px]:hidden`}>
                  {rows.some(({ runId }) => runId !== null) ? 'What happened' : 'What it does'}
                </th>
                <th scope="col" className={`${head} change w-28 @max-[760px]:hidden`}>
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
            {groupRows(shown).map((group) => (
              <tbody key={group.title}>
                <tr className="h-8">
                  <th
                    scope="rowgroup"
                    colSpan={3}
                    className="pl-4 text-left text-small font-medium"
                  >
                    {group.title}{' '}
                    <span className="data font-normal text-subtle">{group.rows.length}</span>
                  </th>
                </tr>
                {group.rows.map((row) => (
                  <FlowRow key={row.flow.name} row={row} isFirst={row === shown[0]} onRun={onRun} />
                ))}
              </tbody>
            ))}
          </table>
        )}
      </div>
    </>
  )
}

const head =
  'sticky top-0 z-10 h-7 bg-ground text-left text-tiny font-normal text-subtle shadow-[inset_0_-1px_0_var(--line)]'

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
      className="h-7 border-t border-line/50 align-baseline leading-6 hover:bg-raised has-focus-visible:bg-selected"
      onClick={() => go('flows', { flow: flow.name, run: runId ?? undefined })}
    >
      <td className="pl-4 align-middle">
        <OutcomeIcon outcome={outcome} label={labelOf(outcome)} />
      </td>
      <td className="pr-3">
        <button
          type="button"
          data-flow-row={flow.name}
          tabIndex={isFirst ? 0 : -1}
          title={flow.about ?? undefined}
          onKeyDown={(event) => focusRow(event, '[data-flow-row]')}
          className="block max-w-full truncate rounded-small text-left outline-offset-2"
        >
          {flow.title}
        </button>
      </td>
      <td
        className={`truncate pr-3 text-small @max-[560px]:hidden ${hasFailed ? 'text-bad' : 'text-muted'}`}
        title={happened || (flow.about ?? undefined)}
      >
        {happened || flow.about}
      </td>
      <td
        className={`change text-small @max-[760px]:hidden ${changed === null ? 'text-subtle' : toneText[changed.tone]}`}
      >
        {changed === null ? '–' : labelOf(changed)}
      </td>
      <td className="data text-right text-muted">{ms === null ? '–' : duration(ms)}</td>
      <td className="text-right align-middle">
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
