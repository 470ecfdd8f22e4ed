/**
 * The search bar. While focused it is text: it searches as you type, offers completions and marks errors. Otherwise it shows its
 * terms as chips.
 */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { Search, X } from 'lucide-react'
import { useRef, useState, type ReactNode, useLayoutEffect, type RefObject } from 'react'
import { isUnfinished } from '../../../shared/query/complete.ts'
import { parsePieces, type QueryPiece } from '../../../shared/query/parse.ts'
import { useParts } from '../../ui-state/use-app.ts'
import { CompletionList, useCompletion } from '../../ui/query-field.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import type { QueryProblem } from '../../../shared/query/problem.ts'

function without(draft: string, { from, to }: QueryPiece): string {
  return `${draft.slice(0, from).replace(/(?<!\s)\s*(?:AND\s+)?$/, ' ')}${draft.slice(to).replace(/^\s*(?:AND\s+)?/, '')}`.trim()
}

/**
 * The filter while not focused: a chip for each top-level term. Clicking a chip edits the text with that term selected; its cross
 * removes it. The chips cover the field, which keeps the whole query for assistive technology, and grows to two lines of them.
 */
function FilterChips({
  draft,
  onEdit,
  onRemove,
}: {
  /** A query that can be parsed. */
  readonly draft: string
  readonly onEdit: (piece: QueryPiece) => void
  readonly onRemove: (rest: string) => void
}) {
  const { pieces } = parsePieces(draft)
  return (
    <div
      className="relative m-px flex max-h-[58px] min-h-7.5 flex-wrap content-start items-center gap-1 overflow-y-auto rounded-control bg-ground py-[3px] pr-44 pl-8"
      onPointerDown={(event) => {
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onEdit({ from: draft.length, to: draft.length })
      }}
    >
      {pieces.map((piece) => {
        const term = draft.slice(piece.from, piece.to)
        return (
          <span
            key={piece.from}
            className="inline-flex h-6 max-w-full min-w-0 items-center rounded-small border border-line bg-control text-text"
          >
            <button
              type="button"
              tabIndex={-1}
              title={visibleText(term)}
              aria-label={`Edit ${visibleText(term)}`}
              onClick={() => onEdit(piece)}
              className="data min-w-0 truncate py-px pl-1.5 select-none"
            >
              {visibleText(term)}
            </button>
            <button
              type="button"
              tabIndex={-1}
              aria-label={`Remove ${visibleText(term)}`}
              onClick={() => onRemove(without(draft, piece))}
              className="inline-flex h-full w-5 shrink-0 items-center justify-center text-subtle hover:text-text"
            >
              <X size={11} />
            </button>
          </span>
        )
      })}
    </div>
  )
}

export const FILTER_ID = 'delivery-filter'

/** `children`: the number of matches, shown in the field. */
export function Filter({ children }: { readonly children?: ReactNode }) {
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
  const { offering, counts, unfinished, select, close, root, field } = useCompletion({
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
  // A word isn't judged while it is typed, or while it can be completed.
  const shownProblem =
    problem === null || ((typing || offering) && isUnfinished(problem, unfinished)) ? null : problem
  // Beside completions there is no room for it.
  const advice = offering ? null : shownProblem
  const adviceId = `${FILTER_ID}-advice`
  const isAdvice = (to: EventTarget | null) =>
    to instanceof Node && adviceBox.current?.contains(to) === true

  return (
    <Autocomplete.Root {...root}>
      <div className="relative min-h-8 min-w-0 flex-1">
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
            // Otherwise clearing the field from elsewhere would open completions over the page.
            if (!offering) close()
          }}
          {...field}
          className={`data absolute inset-0 size-full rounded-control border border-line bg-ground pl-8 text-text placeholder:font-sans hover:border-edge/60 aria-invalid:border-bad ${draft === '' ? 'pr-3' : 'pr-46'}`}
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
        <Search size={14} className="pointer-events-none absolute top-[9px] left-2.5 text-subtle" />
        {draft !== '' && (
          <span className="pointer-events-none absolute top-px right-8 flex h-7.5 max-w-36 items-center bg-ground pl-2">
            {children}
          </span>
        )}
        {draft !== '' && (
          <button
            type="button"
            aria-label="Clear filter"
            onClick={clearQuery}
            className="absolute top-1 right-1 inline-flex size-6 items-center justify-center rounded-small text-subtle hover:bg-control hover:text-text"
          >
            <X size={13} />
          </button>
        )}
      </div>
      <CompletionList counts={counts} />
    </Autocomplete.Root>
  )
}

// Problems in the filter: a wavy underline, the message below the field, and suggested replacements.

/** The underline is drawn by an invisible copy of the text that scrolls with the field. */
function FilterSquiggle({
  draft,
  problem: { at, length },
  input,
}: {
  readonly draft: string
  readonly problem: QueryProblem
  readonly input: RefObject<HTMLInputElement | null>
}) {
  const copy = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const field = input.current
    if (field === null) return
    const follow = () => {
      if (copy.current !== null) copy.current.scrollLeft = field.scrollLeft
    }
    follow()
    field.addEventListener('scroll', follow)
    return () => field.removeEventListener('scroll', follow)
  }, [draft, input])
  return (
    <div
      ref={copy}
      aria-hidden
      className="data pointer-events-none absolute inset-y-0 right-46 left-8 overflow-hidden leading-8 whitespace-pre text-transparent select-none"
    >
      {draft.slice(0, at)}
      <span
        className="underline decoration-bad decoration-wavy underline-offset-3"
        data-testid="squiggle"
      >
        {length === 0 ? '\u00a0' : draft.slice(at, at + length)}
      </span>
      {draft.slice(at + Math.max(1, length))}
    </div>
  )
}

const MOST_OFFERED = 3

function put(draft: string, { at, length }: QueryProblem, suggestion: string): string {
  // A field name includes its colon, which is already in the text.
  const after = draft.slice(at + length)
  return (
    draft.slice(0, at) +
    suggestion +
    (suggestion.endsWith(':') && after.startsWith(':') ? after.slice(1) : after)
  )
}

/** Below the field: why the filter can't be parsed, with replacements. */
function FilterAdvice({
  ref,
  id,
  draft,
  problem,
  onTake,
  onLeave,
}: {
  readonly ref: RefObject<HTMLDivElement | null>
  readonly id: string
  readonly draft: string
  readonly problem: QueryProblem
  readonly onTake: (draft: string) => void
  /** The focus moves elsewhere from here. */
  readonly onLeave: (to: EventTarget | null) => void
}) {
  return (
    <div
      ref={ref}
      className="absolute top-9 left-0 z-20 flex max-w-full flex-wrap items-center gap-x-2 gap-y-1 rounded-control border border-bad bg-surface px-2.5 py-1.5 shadow-overlay"
      onBlur={({ relatedTarget }) => onLeave(relatedTarget)}
    >
      <p id={id} role="alert" className="text-bad">
        {visibleText(problem.sentence)}
      </p>
      {problem.suggestions.slice(0, MOST_OFFERED).map((suggestion) => (
        <button
          key={suggestion}
          type="button"
          // The field keeps the focus while the suggestions are open.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(put(draft, problem, suggestion))}
          className="data rounded-small border border-line bg-raised px-1.5 py-px text-text hover:bg-control"
        >
          {visibleText(suggestion)}
        </button>
      ))}
    </div>
  )
}
