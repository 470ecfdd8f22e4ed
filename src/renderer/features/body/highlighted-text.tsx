/** A piece of a body, with what was searched for in it marked and what cannot be seen drawn as escapes. */
import { ExactText } from '../../ui/exact-text.tsx'
import { highlighted, type Highlight } from './found-in.ts'

export interface HighlightedTextProps {
  readonly text: string
  /** Where it stands in the whole text. */
  readonly at: number
  readonly highlight: Highlight | null
}

export function HighlightedText({ text, at, highlight }: HighlightedTextProps) {
  const parts = highlighted(text, at, highlight)
  if (parts.length === 1 && parts[0]?.look === 'plain') return <ExactText text={text} />
  return parts.map((part, index) =>
    part.look === 'plain' ? (
      <ExactText key={index} text={part.text} />
    ) : (
      <mark
        key={index}
        className={
          part.look === 'current'
            ? 'rounded-small bg-accent-solid text-on-accent'
            : 'rounded-small bg-control text-text outline outline-edge'
        }
      >
        <ExactText text={part.text} />
      </mark>
    ),
  )
}
