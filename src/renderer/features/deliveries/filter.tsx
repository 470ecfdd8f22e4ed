/** The filter's field: searches while typing, offers what may come next, and says where it cannot be read. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { Search, X } from 'lucide-react'
import { useState } from 'react'
import { useAppParts } from '../../state/use-app.ts'
import { completionsFor, NOTHING_STORED, type Completion } from '../../../shared/query/complete.ts'

export const FILTER_ID = 'delivery-filter'

export function Filter() {
  const { draft, problem, setDraft, clearQuery } = useAppParts((state) => ({
    draft: state.draft,
    problem: state.queryProblem,
    setDraft: state.setDraft,
    clearQuery: state.clearQuery,
  }))
  const suggestions = completionsFor(draft, draft.length, NOTHING_STORED)
  const [wanted, setWanted] = useState(false)
  // An empty popup would still hide the page behind it from screen readers.
  const offering = wanted && suggestions.length > 0
  // What can still be completed is not wrong yet: as long as something is offered, nothing is said against it.
  const shownProblem = offering ? null : problem
  const problemId = `${FILTER_ID}-problem`
  return (
    <Autocomplete.Root
      items={suggestions}
      itemToStringValue={(suggestion: Completion) => suggestion.text}
      filter={null}
      value={draft}
      onValueChange={setDraft}
      open={offering}
      onOpenChange={setWanted}
      openOnInputClick
    >
      <div className="relative min-w-0 flex-1">
        <Search size={14} aria-hidden className="pointer-events-none absolute top-[7px] left-2.5 text-subtle" />
        <Autocomplete.Input
          id={FILTER_ID}
          aria-label="Filter deliveries"
          aria-invalid={shownProblem !== null}
          aria-describedby={shownProblem === null ? undefined : problemId}
          placeholder="Filter by event:, is:, or any text"
          spellCheck={false}
          autoComplete="off"
          className="data h-7 w-full rounded-control border border-line bg-ground pr-8 pl-8 text-text placeholder:font-sans hover:border-edge/60 aria-invalid:border-bad"
        />
        {draft !== '' && (
          <button
            type="button"
            aria-label="Clear the filter"
            onClick={clearQuery}
            className="absolute top-0.5 right-0.5 inline-flex size-6 items-center justify-center rounded-small text-subtle hover:bg-control hover:text-text"
          >
            <X size={13} aria-hidden />
          </button>
        )}
        {shownProblem !== null && (
          <p
            id={problemId}
            role="alert"
            className="data absolute top-8 left-0 z-20 max-w-full rounded-control border border-bad bg-surface px-2.5 py-1 whitespace-pre-wrap text-bad shadow-overlay"
          >
            {shownProblem}
          </p>
        )}
      </div>
      <Autocomplete.Portal>
        <Autocomplete.Positioner sideOffset={4} align="start" className="z-20 outline-none">
          <Autocomplete.Popup className="w-[min(520px,var(--available-width))] rounded-control border border-line bg-surface py-1 shadow-overlay">
            <Autocomplete.List>
              {(suggestion: Completion) => (
                <Autocomplete.Item
                  key={suggestion.part}
                  value={suggestion}
                  className="mx-1 flex h-7 items-center gap-3 rounded-small px-2 data-highlighted:bg-selected"
                >
                  <span className="data min-w-36 text-text">{suggestion.part}</span>
                  <span className="truncate text-small text-subtle">{suggestion.meaning}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  )
}
