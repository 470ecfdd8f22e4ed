/** The filter field: a text with completions while it has the focus, otherwise chips. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { Search, X } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import { isUnfinished } from '../../../shared/query/unfinished-part.ts'
import { useParts } from '../../ui-state/use-app.ts'
import { FilterSquiggle, FilterAdvice } from './filter-problem.tsx'
import { FilterChips } from './filter-chips.tsx'
import { CompletionList, useCompletion } from '../../ui/query-completion.tsx'

export const FILTER_ID = 'delivery-filter'

/** Shows the filter field, with the number of matches as `children`. */
export function Filter({ children }: { readonly children?: ReactNode }) {
  const state = useFilterField()
  const { draft, problem, setDraft, applyDraft, clearQuery, input, adviceBox } = state
  const { focused, setFocused, setTyping, shownProblem, advice, adviceId, isAdvice } = state
  const { isOpen, counts, select, close, root, field } = state.completion
  return (
    <Autocomplete.Root {...root}>
      <div className="@container relative min-h-8 min-w-0 flex-1">
        <Autocomplete.Input
          ref={input}
          id={FILTER_ID}
          aria-label="Filter deliveries"
          aria-invalid={shownProblem !== null}
          aria-describedby={advice === null ? undefined : adviceId}
          placeholder="Filter by event, amount, merchant or any text"
          spellCheck={false}
          autoComplete="off"
          onFocus={() => setFocused(true)}
          onBlur={({ relatedTarget }) => {
            if (isAdvice(relatedTarget)) return
            setFocused(false)
            setTyping(false)
            // Clearing the field from elsewhere must not open completions.
            if (!isOpen) close()
          }}
          {...field}
          className={`data absolute inset-0 size-full rounded-control border border-edge bg-ground pl-8 text-text placeholder:font-sans hover:border-subtle aria-invalid:border-bad ${draft === '' ? 'pr-3' : 'pr-46 @max-[360px]:pr-9'}`}
        />
        {shownProblem !== null && (
          <FilterSquiggle draft={draft} problem={shownProblem} input={input} />
        )}
        {!focused && problem === null && draft.trim() !== '' && (
          <FilterChips
            draft={draft}
            onEdit={({ from, to }) => select(from, to)}
            onRemove={(rest) => {
              setDraft(rest)
              applyDraft()
            }}
          />
        )}
        {advice !== null && (
          <FilterAdvice
            ref={adviceBox}
            id={adviceId}
            draft={draft}
            problem={advice}
            onTake={(text) => {
              setDraft(text)
              select(text.length, text.length)
            }}
            onLeave={(to) => {
              if (to !== input.current && !isAdvice(to)) setFocused(false)
            }}
          />
        )}
        <FilterEnd draft={draft} onClear={clearQuery}>
          {children}
        </FilterEnd>
      </div>
      <CompletionList counts={counts} />
    </Autocomplete.Root>
  )
}

/** Shows the icon of the field and, with a filter, the number of matches and a button to clear. */
function FilterEnd({
  draft,
  onClear,
  children,
}: {
  readonly draft: string
  readonly onClear: () => void
  readonly children: ReactNode
}) {
  return (
    <>
      <Search size={14} className="pointer-events-none absolute top-[9px] left-2.5 text-subtle" />
      {draft !== '' && (
        <span className="pointer-events-none absolute top-px right-8 flex h-7.5 max-w-36 items-center bg-ground pl-2 @max-[360px]:sr-only">
          {children}
        </span>
      )}
      {draft !== '' && (
        <button
          type="button"
          aria-label="Clear filter"
          onClick={onClear}
          className="absolute top-1 right-1 inline-flex size-6 items-center justify-center rounded-small text-subtle hover:bg-control hover:text-text"
        >
          <X size={13} />
        </button>
      )}
    </>
  )
}

/** Returns the state of the field: its text, completions, focus, and the problem to show. */
function useFilterField() {
  const {
    draft,
    draftProblem: problem,
    setDraft,
    apply: applyDraft,
    clear: clearQuery,
  } = useParts('filter', 'draft', 'draftProblem', 'setDraft', 'apply', 'clear')
  const input = useRef<HTMLInputElement>(null)
  const adviceBox = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState(false)
  const [typing, setTyping] = useState(false)
  const completion = useCompletion({
    value: draft,
    input,
    isFocused: focused,
    onChange: setDraft,
    onTyped: () => setTyping(true),
    onEnter: () => {
      setTyping(false)
      applyDraft()
    },
  })
  const { isOpen, unfinished } = completion
  // No problem is shown for a word that is typed or can be completed.
  const shownProblem =
    problem === null || ((typing || isOpen) && isUnfinished(problem, unfinished)) ? null : problem
  // Completions cover the place of the advice.
  const advice = isOpen ? null : shownProblem
  const adviceId = `${FILTER_ID}-advice`
  const isAdvice = (to: EventTarget | null) =>
    to instanceof Node && adviceBox.current?.contains(to) === true
  return {
    draft,
    problem,
    setDraft,
    applyDraft,
    clearQuery,
    input,
    adviceBox,
    focused,
    setFocused,
    setTyping,
    completion,
    shownProblem,
    advice,
    adviceId,
    isAdvice,
  }
}
