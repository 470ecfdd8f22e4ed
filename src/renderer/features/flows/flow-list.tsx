/** The list of flows by topic, with the last run of each. */
import { useState, type KeyboardEvent } from 'react'
import { counted } from '../../../shared/text/counted.ts'
import type { FlowRunSummary, FlowSummary } from '../../../shared/model/flow-run.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Message } from '../../ui/message.tsx'
import { ago } from '../../ui/moment.ts'
import { ModeMark } from '../../ui/outcome-mark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { FlowFileButton, FlowFileTroubles } from './flow-file.tsx'
import { RunMark } from './flow-look.tsx'
import { isRunOf } from './run-origin.ts'

const groupOfSection: readonly (readonly [pattern: RegExp, title: string])[] = [
  [/^2\.[234]/, 'Brands, locations, programs'],
  [/^2\.5/, 'Cards'],
  [/^2\.6/, 'Purchases and refunds'],
  [/^2\./, 'Offers'],
  [/^6/, 'Retries, repeats, order'],
  [/^[458]/, 'Signatures and hooks'],
]
const REST = 'Other'

function groupOf({ sections }: FlowSummary): string {
  return groupOfSection.find(([pattern]) => pattern.test(sections[0] ?? ''))?.[1] ?? REST
}

/** Groups in a fixed order, without empty ones. */
export function flowGroups(flows: readonly FlowSummary[]): readonly (readonly [string, readonly FlowSummary[]])[] {
  return [...groupOfSection.map(([, title]) => title), REST]
    .map((title) => [title, flows.filter((flow) => groupOf(flow) === title)] as const)
    .filter(([, all]) => all.length > 0)
}

/** Flows that contain every word in their name, title or description. */
export function searchFlows(flows: readonly FlowSummary[], text: string): readonly FlowSummary[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return flows.filter(({ name, title, about, mode }) => {
    const whole = `${name} ${title} ${about ?? ''} ${mode}`.toLowerCase()
    return words.every((word) => whole.includes(word))
  })
}

export const FLOW_SEARCH_ID = 'flow-search'

export function FlowList({ flows }: { readonly flows: readonly FlowSummary[] }) {
  const { runs, fileProblem: problem } = useParts('flows', 'runs', 'fileProblem')
  const [text, setText] = useState('')
  const found = searchFlows(flows, text)
  const groups = flowGroups(found)
  const first = groups[0]?.[1][0]?.name
  return (
    <>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2">
        <input
          id={FLOW_SEARCH_ID}
          type="search"
          aria-label="Search flows"
          placeholder="Search: refund, retry, live…"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
          }}
          className="h-7 min-w-0 flex-1 rounded-control border border-edge/60 bg-ground px-2.5"
        />
        <FlowFileButton />
      </div>
      {problem !== null && <FlowFileTroubles problem={problem} />}
      <div className="@container min-h-0 flex-1 overflow-auto" role="region" aria-label="Flow list" tabIndex={-1}>
        {found.length === 0 && (
          <div className="px-8 pt-12">
            <Message title="No matching flows">Search by name or by what happens, such as refund, retry or consent.</Message>
          </div>
        )}
        {groups.map(([title, all]) => (
          <section key={title} aria-label={title}>
            <h2 className="sticky top-0 z-10 flex h-7 items-center bg-surface px-4 text-tiny font-medium text-subtle shadow-[inset_0_-1px_0_var(--line)]">
              {title}
            </h2>
            <ul>
              {all.map((flow) => (
                <FlowRow
                  key={flow.name}
                  flow={flow}
                  last={runs?.find((run) => isRunOf({ name: flow.name, origin: null }, run)) ?? null}
                  isFirst={flow.name === first}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  )
}

interface FlowRowProps {
  readonly flow: FlowSummary
  readonly last: FlowRunSummary | null
  readonly isFirst: boolean
}

function FlowRow({ flow, last, isFirst }: FlowRowProps) {
  const openFlow = useApp((state) => state.flows.open)
  const now = useNow(30_000)
  return (
    <li>
      <button
        type="button"
        data-flow-row={flow.name}
        tabIndex={isFirst ? 0 : -1}
        onClick={() => void openFlow(flow.name)}
        onKeyDown={moveBetweenRows}
        className="flex w-full items-center gap-4 border-b border-line/50 px-4 py-1.5 text-left outline-offset-[-2px] hover:bg-raised"
      >
        <span className="min-w-0 flex-1">
          <span className="flex items-center gap-2">
            <span className="min-w-0 truncate font-medium">{flow.title}</span>
            {flow.mode === 'live' && <ModeMark mode="live" />}
          </span>
          <span className="block truncate text-small text-muted" title={flow.about ?? undefined}>
            {flow.about}
          </span>
        </span>
        <span className="data shrink-0 text-right text-subtle @max-[640px]:hidden">{counted(flow.steps, 'step')}</span>
        <span className="w-[116px] shrink-0">
          {last === null ? <span className="text-subtle">Not run yet</span> : <RunMark run={last} />}
          {last !== null && <span className="block pl-5 text-small text-subtle">{ago(last.startedAt, now)}</span>}
        </span>
      </button>
    </li>
  )
}

/** A single tab stop for the list. Arrow keys move through all groups. */
function moveBetweenRows(event: KeyboardEvent<HTMLButtonElement>): void {
  const rows = [...(event.currentTarget.closest('[role="region"]')?.querySelectorAll<HTMLElement>('[data-flow-row]') ?? [])]
  const at = rows.indexOf(event.currentTarget)
  const target = { ArrowDown: at + 1, ArrowUp: at - 1, j: at + 1, k: at - 1, Home: 0, End: rows.length - 1 }[event.key]
  const row = target === undefined ? undefined : rows[target]
  if (row === undefined) return
  event.preventDefault()
  row.focus()
}
