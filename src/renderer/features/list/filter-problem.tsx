/**
 * Problems in the filter: a wavy underline, the message below the field, and suggested replacements. Also hints about valid filters
 * that were probably meant differently.
 */
import { useLayoutEffect, useRef, type RefObject } from 'react'
import type { QueryHint, QueryProblem } from '../../../shared/query/problem.ts'
import { visibleText } from '../../ui/visible-text.ts'

/** The underline is drawn by an invisible copy of the text that scrolls with the field. */
export function FilterSquiggle({
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
      className="data pointer-events-none absolute inset-y-0 right-46 left-8 overflow-hidden leading-7 whitespace-pre text-transparent select-none"
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

/** The text with the problem replaced. */
function put(draft: string, { at, length }: QueryHint, suggestion: string): string {
  // A field name includes its colon, which is already in the text.
  const after = draft.slice(at + length)
  return (
    draft.slice(0, at) +
    suggestion +
    (suggestion.endsWith(':') && after.startsWith(':') ? after.slice(1) : after)
  )
}

/** Suggested replacements for the underlined characters. */
function FilterSuggestions({
  draft,
  hint,
  onTake,
}: {
  readonly draft: string
  readonly hint: QueryHint
  readonly onTake: (draft: string) => void
}) {
  return hint.suggestions.slice(0, MOST_OFFERED).map((suggestion) => (
    <button
      key={suggestion}
      type="button"
      // The field keeps the focus while the suggestions are open.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onTake(put(draft, hint, suggestion))}
      className="data rounded-small border border-line bg-raised px-1.5 py-px text-text hover:bg-control"
    >
      {visibleText(suggestion)}
    </button>
  ))
}

const BELOW =
  'absolute top-8 left-0 z-20 flex max-w-full flex-wrap items-center gap-x-2 gap-y-1 rounded-control border bg-surface px-2.5 py-1.5 shadow-overlay'

export function FilterProblem({
  id,
  draft,
  problem,
  onTake,
}: {
  readonly id: string
  readonly draft: string
  readonly problem: QueryProblem
  readonly onTake: (draft: string) => void
}) {
  return (
    <div className={`${BELOW} border-bad`}>
      <p id={id} role="alert" className="text-bad">
        {visibleText(problem.sentence)}
      </p>
      <FilterSuggestions draft={draft} hint={problem} onTake={onTake} />
    </div>
  )
}

/** A hint about a valid filter that was probably meant differently. */
export function FilterHint({
  ref,
  id,
  draft,
  hint,
  onTake,
  onLeave,
}: {
  readonly ref: RefObject<HTMLDivElement | null>
  readonly id: string
  readonly draft: string
  readonly hint: QueryHint
  readonly onTake: (draft: string) => void
  /** The focus moves elsewhere from here. */
  readonly onLeave: (to: EventTarget | null) => void
}) {
  return (
    <div
      ref={ref}
      className={`${BELOW} border-line`}
      onBlur={({ relatedTarget }) => onLeave(relatedTarget)}
    >
      <p id={id} role="status" className="text-muted">
        {visibleText(hint.sentence)}
      </p>
      <FilterSuggestions draft={draft} hint={hint} onTake={onTake} />
    </div>
  )
}
