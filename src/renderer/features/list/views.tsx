/** The row of views with their numbers of matches, and the number of the filter's matches. */
import { Toolbar } from '@base-ui/react/toolbar'
import { ChevronDown } from 'lucide-react'
import type { QueryCount } from '../../../shared/contract/nouns/deliveries.ts'
import { BUILT_IN_VIEWS, type View } from '../../../shared/model/view.ts'
import { withTimeSpanOf, spanOf } from '../../../shared/query/edit-query.ts'
import { useRead } from '../../core-data/use-read.ts'
import { boundedCount } from '../../../shared/text/english.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { ButtonMenu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { useWidth } from '../../ui/use-place.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { namesUnlisted } from './filter-slice.ts'
import { viewOf } from './saved-views-slice.ts'
import { rowCount } from './row-list.ts'
import { MatchCount } from '../../ui/query-completion.tsx'

/** Width reserved for each view and for the button of the menu, in pixels. */
const VIEW_WIDTH = 118

/** Views in the row even if there is room for more; the others are in the menu. */
const MAX_SHOWN = 6

type BuiltInId = (typeof BUILT_IN_VIEWS)[number]['id']

const BEFORE_SAVED: readonly BuiltInId[] = ['all', 'invalid', 'stale', 'retried']

/** Returns all views in the row's order, the saved ones among the built-in ones. */
export function viewsInOrder(saved: readonly View[]): readonly View[] {
  const builtIn = (ids: readonly BuiltInId[]) =>
    ids.flatMap((id): readonly View[] => BUILT_IN_VIEWS.filter((view) => view.id === id))
  const first = [...builtIn(BEFORE_SAVED), ...saved, ...builtIn(['flow-runs'])]
  return [...first, ...BUILT_IN_VIEWS.filter((view) => !first.includes(view))]
}

/** Most queries that one call counts. */
const MAX_COUNTED = 60

/**
 * Counts each view's matches within the current time span; undefined until they are counted. One
 * call counts all views, so that the flow runs can be subtracted from the total.
 */
function useCounts(): (view: View) => QueryCount | undefined {
  const { views, applied, listed, waits } = useAppParts(({ core, filter, list }) => ({
    views: core.views,
    applied: filter.applied,
    listed:
      list.phase === 'ready' && list.query === '' && list.rows.isWhole ? rowCount(list.rows) : null,
    waits: list.awaitsFirstPage,
  }))
  const shown = [...BUILT_IN_VIEWS, ...views].slice(0, MAX_COUNTED)
  const queries = shown.map(({ query }) => withTimeSpanOf(query, applied))
  const { output } = useRead('deliveries.counts', waits ? null : { queries }, { keep: true })
  // Earlier counts stay until the next, unless they are of other views.
  const counts = output?.counts.length === shown.length ? output.counts : []
  const countOf = (id: string) => counts[shown.findIndex((view) => view.id === id)] ?? undefined
  return ({ id }) => {
    const count = countOf(id)
    if (id !== 'all') return count
    if (listed !== null && !waits) return { count: listed, more: false }
    // Too many to count.
    if (output === undefined || count?.more !== true || spanOf(applied) !== '') return count
    const leftOut = [countOf('flow-runs'), countOf('composed')]
    if (leftOut.some((one) => one?.more !== false)) return count
    const listedCount = leftOut.reduce((sum, one) => sum - (one?.count ?? 0), output.total)
    return { count: listedCount, more: false }
  }
}

/** Shows the filter's number of matches, of all deliveries that the list can show. */
export function MatchingCount() {
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
  const whole = namesUnlisted(applied) ? { count: stored, more: false } : all
  const total =
    whole === undefined ? null : boundedCount({ ...whole, count: Math.max(whole.count, matching) })
  return (
    <span className="min-w-0 truncate text-small text-subtle tabular-nums" data-testid="count">
      {matching.toLocaleString('en')}
      {counting ? ' so far, counting…' : total !== null && ` of ${total}`}
    </span>
  )
}

/** Shows views with their numbers of matches; those that don't fit are in the menu. */
export function ViewRow() {
  const { views, applied, open, openOverlay } = useAppParts((state) => ({
    views: state.core.views,
    applied: state.filter.applied,
    open: state.views.open,
    openOverlay: state.navigation.openOverlay,
  }))
  const all = viewsInOrder(views)
  const matchesOf = useCounts()
  const active = viewOf(applied, all)
  const { ref, width } = useWidth()
  const fits = Math.max(1, Math.min(MAX_SHOWN, Math.floor((width ?? 0) / VIEW_WIDTH) - 1))
  const hidden = all.slice(fits)
  const isHidden = active !== undefined && hidden.includes(active)
  const countOf = (view: View) => <MatchCount count={matchesOf(view)} />
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
