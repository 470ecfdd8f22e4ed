/** Views: the row that applies one, and the dialogs that save, rename and remove saved ones. */
import { Toolbar } from '@base-ui/react/toolbar'
import { ChevronDown, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { QueryCount } from '../../../shared/contract/nouns/deliveries.ts'
import { BUILT_IN_VIEWS, viewSchema, type View } from '../../../shared/model/retention.ts'
import { inSpanOf, spanOf } from '../../../shared/query/terms.ts'
import { useRead } from '../../core-data/use-read.ts'
import { boundedCount } from '../../../shared/text/counted.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { DoneFoot } from '../../ui/dialog.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { ButtonMenu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { MatchCount } from '../../ui/query-field.tsx'
import { InputForm, useInputForm } from '../../ui/input-form.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import { useWidth } from '../../ui/use-place.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { hidesFlowRuns, queryProblemOf, viewOf } from './filter-slice.ts'
import { rowCount } from './list-column.ts'

function SaveViewDialog() {
  const query = useApp((state) => state.filter.applied)
  return (
    <OverlayDialog
      overlay="save-view"
      title="Save view"
      description="Saved in the data folder and shown in every window."
    >
      {(close) => <ViewForm view={{ name: '', query }} onDone={close} />}
    </OverlayDialog>
  )
}

function SavedViewsDialog() {
  const views = useApp((state) => state.core.views)
  const [edited, setEdited] = useState<string | null>(null)
  const view = views.find(({ id }) => id === edited)
  return (
    <OverlayDialog
      overlay="saved-views"
      onClose={() => setEdited(null)}
      wide
      title={view === undefined ? 'Saved views' : 'Edit view'}
    >
      {(close) =>
        view === undefined ? (
          <ViewList views={views} onEdit={setEdited} onDone={close} />
        ) : (
          <ViewForm view={view} onDone={() => setEdited(null)} />
        )
      }
    </OverlayDialog>
  )
}

function ViewList({
  views,
  onEdit,
  onDone,
}: {
  readonly views: readonly View[]
  readonly onEdit: (id: string) => void
  readonly onDone: () => void
}) {
  const removeView = useApp((state) => state.views.remove)
  const { busy, problem, run } = useOutcome()
  return (
    <div className="flex flex-col gap-3">
      {views.length === 0 && (
        <p className="text-muted">No saved views. Save one from the More menu beside the views.</p>
      )}
      <ul className="flex flex-col">
        {views.map((view) => (
          <li
            key={view.id}
            className="flex min-h-9 items-center gap-3 border-b border-line py-1 last:border-0"
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{visibleText(view.name)}</span>
              <span className="data block truncate text-muted">{visibleText(view.query)}</span>
            </span>
            <IconButton
              label={`Edit ${visibleText(view.name)}`}
              icon={Pencil}
              onClick={() => onEdit(view.id)}
            />
            <IconButton
              label={`Delete ${visibleText(view.name)}`}
              icon={Trash2}
              disabled={busy}
              onClick={() => void run(() => removeView(view.id))}
            />
          </li>
        ))}
      </ul>
      {problem !== null && <ProblemView problem={problem} />}
      <DoneFoot onDone={onDone} />
    </div>
  )
}

function ViewForm({
  view,
  onDone,
}: {
  readonly view: Omit<View, 'id'> & { readonly id?: string }
  readonly onDone: () => void
}) {
  const saveView = useApp((state) => state.views.save)
  const form = useInputForm({
    schema: viewSchema,
    begin: () => view,
    check({ query }) {
      const problem = queryProblemOf(query)
      return problem === null ? [] : [{ field: 'query', message: problem.sentence }]
    },
    submit: ({ name, query }) => saveView({ ...view, name, query }),
    onDone,
  })
  return <InputForm form={form} action="Save view" busyWords="Saving…" onCancel={onDone} />
}

export function ViewDialogs() {
  return (
    <>
      <SaveViewDialog />
      <SavedViewsDialog />
    </>
  )
}

/** Room for a view and for the button of the menu, in pixels. */
const VIEW_WIDTH = 118
/** More are in the menu, even if there is room: nobody reads a longer row. */
const MOST_SHOWN = 6
type BuiltInId = (typeof BUILT_IN_VIEWS)[number]['id']
const BEFORE_SAVED: readonly BuiltInId[] = ['all', 'invalid', 'stale', 'retried']
const AFTER_SAVED: readonly BuiltInId[] = [
  'flow-runs',
  'schema-errors',
  'failing',
  'imported',
  'last-hour',
]

function inOrder(saved: readonly View[]): readonly View[] {
  const builtIn = (ids: readonly BuiltInId[]) =>
    ids.flatMap((id): readonly View[] => BUILT_IN_VIEWS.filter((view) => view.id === id))
  return [...builtIn(BEFORE_SAVED), ...saved, ...builtIn(AFTER_SAVED)]
}

/** Queries per count. */
const MOST_COUNTED = 60

/**
 * Counts what each view finds within the current time span; undefined until it is counted. Every
 * count is of one moment, or of the listed rows: a total that was read earlier may include
 * deliveries of flow runs, which the list hides.
 */
function useCounts(): (view: View) => QueryCount | undefined {
  const { views, applied, listed, waits } = useAppParts(({ core, filter, list }) => ({
    views: core.views,
    applied: filter.applied,
    listed: list.query === '' && list.rows.isWhole ? rowCount(list.rows) : null,
    waits: list.awaitsFirstPage,
  }))
  const shown = [...BUILT_IN_VIEWS, ...views].slice(0, MOST_COUNTED)
  const queries = shown.map(({ query }) => inSpanOf(query, applied))
  const { output } = useRead('deliveries.counts', waits ? null : { queries }, { keep: true })
  // Earlier counts are shown until there are others, unless they are of other views.
  const counts = output?.counts.length === shown.length ? output.counts : []
  const countOf = (id: string) => counts[shown.findIndex((view) => view.id === id)] ?? undefined
  return ({ id }) => {
    const [count, ofFlows] = [countOf(id), countOf('flow-runs')]
    if (id !== 'all') return count
    if (listed !== null && !waits) return { count: listed, more: false }
    // More than are counted one by one.
    if (output === undefined || count?.more !== true || spanOf(applied) !== '') return count
    return ofFlows?.more === false ? { count: output.total - ofFlows.count, more: false } : count
  }
}

/** The number of matches of the filter, of all that the list would show without it. */
export function Count() {
  const { isLoading, matching, counting, stored, applied } = useAppParts(
    ({ core, filter, list }) => ({
      isLoading: list.phase === 'loading',
      matching: rowCount(list.rows),
      counting: !list.rows.isWhole,
      stored: core.status?.store.deliveries ?? 0,
      applied: filter.applied,
    }),
  )
  const all = useCounts()(BUILT_IN_VIEWS[0])
  // Without a filter, the view "All" shows the number.
  if (applied === '' || isLoading) return null
  const of = hidesFlowRuns(applied) ? all : { count: stored, more: false }
  const total =
    of === undefined ? null : boundedCount({ ...of, count: Math.max(of.count, matching) })
  return (
    <span className="min-w-0 truncate text-small text-subtle tabular-nums" data-testid="count">
      {matching.toLocaleString('en')}
      {counting ? ' so far, counting…' : total !== null && ` of ${total}`}
    </span>
  )
}

/** Built-in and saved views with the number of deliveries that each finds. Those that don't fit are in the menu at the end. */
export function ViewRow() {
  const { views, applied, open, openOverlay } = useAppParts((state) => ({
    views: state.core.views,
    applied: state.filter.applied,
    open: state.views.open,
    openOverlay: state.navigation.openOverlay,
  }))
  const all = inOrder(views)
  const counted = useCounts()
  const active = viewOf(applied, all)
  const { ref, width } = useWidth()
  const fits = Math.max(1, Math.min(MOST_SHOWN, Math.floor((width ?? 0) / VIEW_WIDTH) - 1))
  const hidden = all.slice(fits)
  const isHidden = active !== undefined && hidden.includes(active)
  const countOf = (view: View) => <MatchCount count={counted(view)} />
  return (
    <Toolbar.Root
      ref={ref}
      aria-label="Views"
      className="-ml-1.5 flex h-full min-w-0 flex-1 items-stretch gap-1 overflow-hidden"
    >
      {all.slice(0, fits).map((view) => (
        <Toolbar.Button
          key={view.id}
          data-view={view.id}
          aria-pressed={view === active}
          className={viewStyle}
          onClick={() => open(view)}
        >
          {visibleText(view.name)} {countOf(view)}
        </Toolbar.Button>
      ))}
      <ButtonMenu
        className="max-w-[min(520px,var(--available-width))] min-w-60"
        trigger={
          <Toolbar.Button aria-pressed={isHidden} className={viewStyle}>
            {isHidden ? (
              visibleText(active.name)
            ) : (
              <>
                More<span className="sr-only"> views</span>
              </>
            )}
            <ChevronDown size={13} className="shrink-0" />
          </Toolbar.Button>
        }
      >
        {hidden.map((view) => (
          <MenuItem key={view.id} className="gap-4" onClick={() => open(view)}>
            <span className="shrink-0">{visibleText(view.name)}</span>
            <span className="data min-w-0 flex-1 truncate text-right text-subtle">
              {visibleText(view.query)}
            </span>
            {countOf(view)}
          </MenuItem>
        ))}
        {hidden.length > 0 && <MenuLine />}
        <MenuItem
          disabled={applied === '' || active !== undefined}
          onClick={() => openOverlay('save-view')}
        >
          Save view…
        </MenuItem>
        <MenuItem disabled={views.length === 0} onClick={() => openOverlay('saved-views')}>
          {views.length === 0 ? 'No saved views yet' : 'Edit views…'}
        </MenuItem>
      </ButtonMenu>
    </Toolbar.Root>
  )
}

const viewStyle =
  'inline-flex shrink-0 items-center gap-1.5 border-b-2 border-transparent px-1.5 text-muted hover:text-text aria-pressed:border-accent aria-pressed:font-medium aria-pressed:text-text'
