/** The form that compares runs: which deliveries, to which handler, against what. */
import { useState } from 'react'
import { parseBaseline } from '../../../shared/import-export/baseline-file.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { BUILT_IN_VIEWS, type View } from '../../../shared/model/view.ts'
import type { Baseline } from '../../../shared/model/run-comparison.ts'
import { joinQueries } from '../../../shared/query/edit-query.ts'
import { boundedCount, deliveryCount } from '../../../shared/text/english.ts'
import { FileButton } from '../../connected/file-input.tsx'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import type { UserFile } from '../../ui-state/user-file.ts'
import { settleCall } from '../../ui/call-problem.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { TextField } from '../../ui/field.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { QueryField } from '../../ui/query-field.tsx'
import { SelectField } from '../../ui/select.tsx'
import { useForm } from '../../ui/use-form.ts'
import { visibleText } from '../../ui/visible-text.ts'

const SPANS = [
  { value: '', label: 'Any time' },
  { value: 'within:1h', label: 'Last hour' },
  { value: 'within:24h', label: 'Last 24 hours' },
  { value: 'within:7d', label: 'Last 7 days' },
] as const

const PREVIOUS = 'previous'
const BASELINE = 'baseline'
/** Most deliveries counted. */
const MOST_COUNTED = 10_000
const CONCURRENCY = 4

interface ChosenBaseline {
  readonly name: string
  readonly baseline: Baseline
}

interface ComparisonDraft {
  readonly to: string
  readonly against: string
  readonly view: string
  readonly query: string
  readonly span: string
  readonly ignore: string
  readonly chosen: ChosenBaseline | null
}

async function readBaseline(file: UserFile): Promise<ChosenBaseline> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of file.pieces()) text += decoder.decode(piece, { stream: true })
  return { name: file.name, baseline: parseBaseline(text + decoder.decode(), file.name) }
}

const listOf = (text: string) => text.split(/[\s,]+/).filter((part) => part !== '')

/** Returns the deliveries that a draft selects, and how many there are. */
function useSelection({ view, query, span }: ComparisonDraft) {
  const { output: saved } = useRead('views.list', {})
  const views = [...BUILT_IN_VIEWS, ...(saved?.views ?? [])]
  const viewQuery = views.find(({ id }) => id === view)?.query ?? ''
  const selected = joinQueries(joinQueries(viewQuery, query), span)
  const { output } = useRead(
    'deliveries.counts',
    { queries: [selected], most: MOST_COUNTED },
    { keep: true },
  )
  return { views, selected, count: output?.counts[0] ?? null }
}

export function ComparisonForm({ onDone }: { readonly onDone: () => void }) {
  const { handlers, compared, filter, startComparison, giveUpStart } = useAppParts((state) => ({
    handlers: state.core.handlers,
    compared: state.replay.compared,
    filter: state.filter.applied,
    startComparison: state.replay.startComparison,
    giveUpStart: state.replay.giveUpStart,
  }))
  const first =
    handlers.find(({ name }) => name === compared) ??
    handlers.find(({ current }) => current) ??
    handlers[0]
  const second = handlers.find(({ id }) => id !== first?.id)
  const form = useForm<ComparisonDraft>({
    begin: () => ({
      to: first === undefined ? '' : handlerRef(first),
      against: second === undefined ? PREVIOUS : handlerRef(second),
      ...{ view: 'all', query: filter, span: '', ignore: '', chosen: null },
    }),
    submit({ to, against, ignore, chosen }) {
      const most = (count?.count ?? 0) * (against === PREVIOUS || against === BASELINE ? 1 : 2)
      return startComparison(
        {
          ...{ query: selected, to, concurrency: CONCURRENCY, ignore: listOf(ignore) },
          against: against === BASELINE ? (chosen?.name ?? '') : against,
          baseline: against === BASELINE ? (chosen?.baseline ?? null) : null,
        },
        most,
      )
    },
  })
  const { draft, busy, problem, change } = form
  const { views, selected, count } = useSelection(draft)
  if (first === undefined)
    return <p>Save your handler first: a comparison sends deliveries to it.</p>
  const words = count === null ? '' : ` ${countWords(count)}`
  const isReady =
    count !== null && count.count > 0 && (draft.against !== BASELINE || draft.chosen !== null)
  return (
    <form className="flex flex-col gap-3.5" {...form.formProps}>
      <SelectField
        label="Handler"
        data
        choices={handlers.map(handlerChoice)}
        value={draft.to}
        onChange={(to) => change(to === draft.against ? { to, against: PREVIOUS } : { to })}
      />
      <AgainstField draft={draft} change={change} />
      <DeliveriesFields draft={draft} change={change} views={views} />
      <TextField
        label="Ignored response fields"
        optional
        hint="Ids and times are ignored anyway. **.total is any field of that name."
        value={draft.ignore}
        onChange={(ignore) => change({ ignore })}
      />
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot
        onCancel={() => {
          giveUpStart()
          onDone()
        }}
        action={`Compare${words}`}
        busyWords="Starting…"
        busy={busy}
        disabled={!isReady}
      />
    </form>
  )
}

function countWords(count: { readonly count: number; readonly more: boolean }): string {
  return count.more ? `${boundedCount(count) ?? ''} deliveries` : deliveryCount(count.count)
}

/** Returns a choice whose value, with `@`, is never `PREVIOUS` or `BASELINE`. */
function handlerChoice(handler: SavedHandler) {
  return { value: handlerRef(handler), label: handlerRef(handler) }
}

function BaselineChoice({
  chosen,
  onChosen,
}: {
  readonly chosen: ChosenBaseline | null
  readonly onChosen: (chosen: ChosenBaseline) => void
}) {
  const [problem, setProblem] = useState<string | null>(null)
  const choose = async (file: UserFile) => {
    const result = await settleCall(readBaseline(file))
    setProblem(result.ok ? null : (result.problem?.message ?? null))
    if (result.ok) onChosen(result.value)
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <FileButton file="baseline" label="Baseline file" onFile={(file) => void choose(file)}>
        Choose file…
      </FileButton>
      <span className={problem === null ? 'min-w-0 truncate text-muted' : 'text-bad'} role="status">
        {problem ??
          (chosen === null
            ? 'Saved on the command line with replay --save FILE'
            : visibleText(chosen.name))}
      </span>
    </div>
  )
}

interface PartProps {
  readonly draft: ComparisonDraft
  readonly change: (part: Partial<ComparisonDraft>) => void
}

function AgainstField({ draft, change }: PartProps) {
  const handlers = useApp((state) => state.core.handlers)
  return (
    <>
      <SelectField
        label="Compare with"
        choices={[
          { value: PREVIOUS, label: 'Its previous responses' },
          { value: BASELINE, label: 'A saved baseline' },
          ...handlers
            .filter((handler) => handlerRef(handler) !== draft.to)
            .map((handler) => ({ ...handlerChoice(handler), note: visibleText(handler.url) })),
        ]}
        value={draft.against}
        onChange={(against) => change({ against })}
      />
      {draft.against === BASELINE && (
        <BaselineChoice chosen={draft.chosen} onChosen={(chosen) => change({ chosen })} />
      )}
    </>
  )
}

function DeliveriesFields({
  draft,
  change,
  views,
}: PartProps & { readonly views: readonly View[] }) {
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <SelectField
          label="Deliveries"
          choices={views.map(({ id, name }) => ({ value: id, label: name }))}
          value={draft.view}
          onChange={(view) => change({ view })}
        />
        <SelectField
          label="Time"
          choices={SPANS}
          value={draft.span}
          onChange={(span) => change({ span })}
        />
      </div>
      <QueryField
        label="Search"
        optional
        value={draft.query}
        onChange={(query) => change({ query })}
      />
    </>
  )
}
