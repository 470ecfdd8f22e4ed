/** Problems of the filter: a wavy underline, and a message with replacements. */
import { useRef, useLayoutEffect, type RefObject } from 'react'
import { visibleText } from '../../ui/visible-text.ts'
import type { QueryProblem } from '../../../shared/query/problem.ts'

/** Underlines a problem, with an invisible copy of the text that scrolls with the field. */
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

const MAX_SUGGESTIONS = 3

function applySuggestion(draft: string, { at, length }: QueryProblem, suggestion: string): string {
  // A suggested field name ends with a colon, which the text may have already.
  const after = draft.slice(at + length)
  return (
    draft.slice(0, at) +
    suggestion +
    (suggestion.endsWith(':') && after.startsWith(':') ? after.slice(1) : after)
  )
}

/** Explains a problem below the field, with replacements. */
export function FilterAdvice({
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
      {problem.suggestions.slice(0, MAX_SUGGESTIONS).map((suggestion) => (
        <button
          key={suggestion}
          type="button"
          // The field keeps the focus while the suggestions are open.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(applySuggestion(draft, problem, suggestion))}
          className="data rounded-small border border-line bg-raised px-1.5 py-px text-text hover:bg-control"
        >
          {visibleText(suggestion)}
        </button>
      ))}
    </div>
  )
}
