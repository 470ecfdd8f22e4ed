/** The last group of runs above the table: its counts, what changed, progress, and what keeps it from saying more. */
import { Download, GitCompare, RotateCw, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import { counted } from '../../../shared/text/counted.ts'
import type { FlowChange, FlowGroup } from '../../../shared/model/flow-run.ts'
import {
  flowChanges,
  groupChanges,
  groupWords,
  lookOfGroup,
  stepOutcomes,
} from '../../../shared/model/outcomes.ts'
import { useAppParts, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { calendarDay, clockTime, duration } from '../../ui/moment.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { OutcomeIcon, OutcomeMark, toneText } from '../../ui/outcome-mark.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { ButtonMenu, MenuItem } from '../../ui/menu.tsx'
import type { GroupFormat } from './flow-groups-slice.ts'
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

function Changes({ changes }: { readonly changes: readonly FlowChange[] }) {
  const shown = order.filter((change) => changes.includes(change))
  if (shown.length === 0) return <span className="text-subtle">Nothing to compare</span>
  return shown.map((change) => (
    <span key={change} className={toneText[flowChanges[change].tone]}>
      {changes.filter((one) => one === change).length} {flowChanges[change].word}
    </span>
  ))
}

/** `Run all 9`, or `Run 10 (2 flows)` if it left flows out. */
function titleOf({ number, rows }: FlowGroup): string {
  const ran = rows.filter(({ isKept }) => !isKept).length
  return ran === rows.length ? `Run all ${number}` : `Run ${number} (${counted(ran, 'flow')})`
}

/** `23 Nov 15:30:07`, in local time. */
function startWords({ startedAt }: FlowGroup): string {
  return `${calendarDay(startedAt).replace(/ \d{4}$/, '')} ${clockTime(startedAt).slice(0, 8)}`
}

function againstWords({ handler, handlerName, set }: FlowGroup): string {
  const values = Object.entries(set).map(([path, value]) => `${path} ${value.replaceAll('"', '')}`)
  const against =
    handler === null
      ? 'without a handler'
      : `against ${handlerName === null ? handler : `@${handlerName}`}`
  return [against, ...values].join(', ')
}

interface GroupBandProps {
  readonly group: FlowGroup
  readonly before: FlowGroup | undefined
  readonly rows: readonly FlowTableRow[]
  readonly earlier: readonly FlowGroup[]
  readonly onRun: (names: readonly string[]) => void
}

export function GroupBand({ group, before, rows, earlier, onRun }: GroupBandProps) {
  const { cancelAll, compareGroup, saveGroup } = useParts(
    'flows',
    'cancelAll',
    'compareGroup',
    'saveGroup',
  )
  const failed = rows.filter(({ status }) => status === 'fail').map(({ flow }) => flow.name)
  const isRunning = group.state === 'running'
  const wanted = group.rows.filter(({ isKept, outcome }) => !isKept && outcome !== 'skip')
  const done = wanted.filter(({ state }) => state === 'done').length
  return (
    <div className="flex shrink-0 flex-wrap items-stretch border-b border-line bg-surface">
      <dl className="flex min-w-0 flex-[1_1_480px] flex-wrap" aria-label="Last run">
        <Cell label={`${titleOf(group)}, ${againstWords(group)}`}>
          {(group.state === 'cancelled' || group.state === 'interrupted') && (
            <OutcomeMark outcome={lookOfGroup({ ...group, rows: [] })} />
          )}
          <Tally rows={rows} />
        </Cell>
        {isRunning ? (
          <Cell label="Progress" grow>
            <span role="status">
              {done} of {counted(wanted.length, 'flow')}
            </span>
            <ProgressBar
              label="Completed flows"
              value={done}
              max={wanted.length}
              className="w-40"
            />
          </Cell>
        ) : (
          <>
            <Cell
              label={
                before === undefined
                  ? 'Since the last run'
                  : `Since ${titleOf(before).toLowerCase()}`
              }
              grow
            >
              <Changes changes={[...groupChanges(before, group).values()]} />
            </Cell>
            <Cell label="Started">
              <span className="data">{startWords(group)}</span>
            </Cell>
            <Cell label="Took">
              <span className="data">
                {duration(
                  Date.parse(group.endedAt ?? group.startedAt) - Date.parse(group.startedAt),
                )}
              </span>
            </Cell>
          </>
        )}
      </dl>
      <div className="ml-auto flex items-center gap-2 px-4 py-2">
        {isRunning ? (
          <Button icon={<Square size={12} aria-hidden />} onClick={() => void cancelAll()}>
            Cancel
          </Button>
        ) : (
          <>
            {failed.length > 0 && (
              <Button
                icon={<RotateCw size={13} aria-hidden />}
                onClick={() => {
                  onRun(failed)
                }}
              >
                Re-run {failed.length} failed
              </Button>
            )}
            {earlier.length > 0 && (
              <Choices
                label="Compare"
                icon={<GitCompare size={13} aria-hidden />}
                items={earlier.map((one) => ({
                  value: one.id,
                  name: titleOf(one),
                  note: `${startWords(one)} · ${groupWords(one.rows)}`,
                }))}
                onChoose={compareGroup}
              />
            )}
            <Choices
              label="Export"
              icon={<Download size={13} aria-hidden />}
              items={formats}
              onChoose={(format) => void saveGroup(format)}
            />
          </>
        )}
      </div>
    </div>
  )
}

interface Choice<Value extends string> {
  readonly value: Value
  readonly name: string
  readonly note: string
}

const formats: readonly Choice<GroupFormat>[] = [
  { value: 'junit', name: 'JUnit', note: 'For CI' },
  { value: 'html', name: 'HTML report', note: 'For people' },
  { value: 'json', name: 'JSON', note: 'For programs' },
]

interface ChoicesProps<Value extends string> {
  readonly label: string
  readonly icon: ReactNode
  readonly items: readonly Choice<Value>[]
  readonly onChoose: (value: Value) => void
}

function Choices<Value extends string>({ label, icon, items, onChoose }: ChoicesProps<Value>) {
  return (
    <ButtonMenu look="max-h-80 min-w-56" trigger={<Button icon={icon}>{label}</Button>}>
      {items.map(({ value, name, note }) => (
        <MenuItem
          key={value}
          onClick={() => {
            onChoose(value)
          }}
          className="gap-6"
        >
          <span className="flex-1">{name}</span>
          <span className="text-small text-muted">{note}</span>
        </MenuItem>
      ))}
    </ButtonMenu>
  )
}

/** What keeps the results from saying more: no handler, one that is down, a run that was cut short, or none yet. */
export function GroupNotes({
  group,
  isEmpty,
}: {
  readonly group: FlowGroup | undefined
  readonly isEmpty: boolean
}) {
  const { inputs, change, hasHandler, hasSaved, edit } = useAppParts((state) => ({
    inputs: state.flows.draft.inputs,
    change: state.flows.changeDraft,
    hasHandler: flowEndpoint(state.flows.draft, state.core.handlers) !== '',
    hasSaved: state.core.handlers.length > 0,
    edit: state.handlers.edit,
  }))
  const down =
    group?.rows.filter(({ isUnreachable, isKept }) => isUnreachable && !isKept).length ?? 0
  const notes: (readonly [tone: 'bad' | 'plain', text: string])[] = []
  if (isEmpty) notes.push(['plain', 'Nothing has run yet. Run all flows, or run one from its row.'])
  if (down > 0)
    notes.push([
      'bad',
      `Couldn't reach your handler in ${counted(down, 'flow')}. Start it, then run the failed flows again.`,
    ])
  if (group?.state === 'cancelled')
    notes.push(['plain', 'Cancelled. Flows that finished before keep their results.'])
  if (group?.state === 'interrupted')
    notes.push(['plain', 'Countersign stopped during this run. Run the flows again.'])
  if (!hasHandler)
    notes.push([
      'plain',
      'No handler set, so the steps that check its responses are skipped. Set it under Handler.',
    ])
  const set = Object.entries(inputs).filter(([, value]) => value.trim() !== '')
  if (notes.length === 0 && set.length === 0) return null
  return (
    <div className="shrink-0 border-b border-line bg-surface px-4 py-1.5 text-small">
      {notes.map(([tone, text]) => (
        <p
          key={text}
          role={tone === 'bad' ? 'alert' : undefined}
          className={tone === 'bad' ? 'text-bad' : 'text-muted'}
        >
          {text}
        </p>
      ))}
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
          <Button
            kind="quiet"
            onClick={() => {
              change({ inputs: {} })
            }}
          >
            Clear inputs
          </Button>
        </p>
      )}
      {!hasHandler && !hasSaved && (
        <Button
          className="mt-1"
          onClick={() => {
            edit({})
          }}
        >
          Add handler
        </Button>
      )}
    </div>
  )
}
