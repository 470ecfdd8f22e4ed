/**
 * The search bar. Focused, it is text: it searches while one types, offers what may come next, and says where it cannot be
 * read. At rest it shows its terms as chips.
 */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { Search, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { completionsFor, type Completion } from '../../../shared/query/complete.ts'
import { useParts } from '../../state/use-app.ts'
import { CompletionList } from '../../ui/completion-list.tsx'
import { FilterChips } from './filter-chips.tsx'
import { FilterHint, FilterProblem, FilterSquiggle } from './filter-problem.tsx'

export const FILTER_ID = 'delivery-filter'

export function Filter() {
  const {
    draft,
    draftProblem: problem,
    draftHint: hint,
    stored,
    setDraft,
    apply: applyDraft,
    clear: clearQuery,
    loadStored,
  } = useParts('filter', 'draft', 'draftProblem', 'draftHint', 'stored', 'setDraft', 'apply', 'clear', 'loadStored')
  const input = useRef<HTMLInputElement>(null)
  const hintBox = useRef<HTMLDivElement>(null)
  const [caret, setCaret] = useState(0)
  const [focused, setFocused] = useState(false)
  const [wanted, setWanted] = useState(false)
  const completions = completionsFor(draft, Math.min(caret, draft.length), stored)
  // An empty popup would still hide the page behind it from screen readers.
  const offering = wanted && completions.length > 0
  // What can still be completed is not wrong yet: as long as something is offered, nothing is said against it.
  const shownProblem = offering ? null : problem
  const shownHint = offering || !focused ? null : hint
  const problemId = `${FILTER_ID}-problem`
  const hintId = `${FILTER_ID}-hint`

  /** Puts the caret somewhere once the text is drawn. */
  const select = (from: number, to: number) => {
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(from, to)
      setCaret(to)
    })
  }
  const replace = (text: string) => {
    setDraft(text)
    select(text.length, text.length)
  }
  const noteCaret = () => {
    setCaret(input.current?.selectionStart ?? draft.length)
  }

  return (
    <Autocomplete.Root
      items={completions}
      itemToStringValue={(completion: Completion) => completion.text}
      filter={null}
      value={draft}
      onValueChange={(text, { reason }) => {
        setDraft(text)
        const taken = reason === 'item-press' ? completions.find((completion) => completion.text === text) : undefined
        if (taken === undefined) setCaret(input.current?.selectionStart ?? text.length)
        else {
          select(taken.caret, taken.caret)
          // A field wants its value: what it can be is offered at once.
          if (taken.part.endsWith(':')) requestAnimationFrame(() => setWanted(true))
        }
      }}
      open={offering}
      onOpenChange={setWanted}
      openOnInputClick
    >
      <div className="relative min-w-0 flex-1 @max-[520px]:basis-full">
        <Search size={14} aria-hidden className="pointer-events-none absolute top-[7px] left-2.5 text-subtle" />
        <Autocomplete.Input
          ref={input}
          id={FILTER_ID}
          aria-label="Filter deliveries"
          aria-invalid={shownProblem !== null}
          aria-describedby={shownProblem === null ? (shownHint === null ? undefined : hintId) : problemId}
          placeholder="Filter by event:, is:, amount:<0, or any text"
          spellCheck={false}
          autoComplete="off"
          onFocus={() => {
            setFocused(true)
            void loadStored()
          }}
          onBlur={({ relatedTarget }) => {
            if (relatedTarget !== null && hintBox.current?.contains(relatedTarget) === true) return
            setFocused(false)
            // Else what is emptied from elsewhere would be offered something over the page.
            if (!offering) setWanted(false)
          }}
          onSelect={noteCaret}
          onKeyDown={(event) => {
            if (event.key === 'Enter') applyDraft()
            // It would empty the field. Here it closes what is offered, and then leaves the field as it is.
            if (event.key === 'Escape' && !offering) event.preventBaseUIHandler()
          }}
          className="data h-7 w-full rounded-control border border-line bg-ground pr-8 pl-8 text-text placeholder:font-sans hover:border-edge/60 aria-invalid:border-bad"
        />
        {shownProblem !== null && <FilterSquiggle draft={draft} problem={shownProblem} input={input} />}
        {!focused && problem === null && draft.trim() !== '' && (
          <FilterChips
            draft={draft}
            onEdit={({ from, to }) => {
              select(from, to)
            }}
            onRemove={(rest) => {
              setDraft(rest)
              applyDraft()
            }}
          />
        )}
        {shownHint !== null && (
          <FilterHint
            ref={hintBox}
            id={hintId}
            draft={draft}
            hint={shownHint}
            onTake={replace}
            onLeave={(to) => {
              if (to !== input.current && !(to instanceof Node && hintBox.current?.contains(to) === true)) setFocused(false)
            }}
          />
        )}
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
        {shownProblem !== null && <FilterProblem id={problemId} draft={draft} problem={shownProblem} onTake={replace} />}
      </div>
      <CompletionList />
    </Autocomplete.Root>
  )
}
