/** Text from outside, drawn with its invisible characters as escapes. */
import { visibleParts, visibleText } from './visible-text.ts'

export function ExactText({ text }: { readonly text: string }) {
  const parts = visibleParts(text)
  if (parts.length === 1 && parts[0]?.hidden === false) return text
  return parts.map((part, index) =>
    part.hidden ? (
      <span key={index} title={part.name} className="rounded-small bg-warn-wash px-px text-warn">
        {part.shown}
      </span>
    ) : (
      <span key={index}>{part.shown}</span>
    ),
  )
}

export function ExactLines({ text }: { readonly text: string }) {
  return text.split('\n').map((line, index) => (
    <span key={index} className="block min-h-[1lh]">
      <ExactText text={line} />
    </span>
  ))
}

/** A long id on one line, shortened in the middle. The title and the copied text are complete. */
export function Middle({
  text,
  tail = 6,
  title = text,
  className,
}: {
  readonly text: string
  /** The complete text, if the visible one leaves out an obvious part. */
  readonly title?: string
  readonly tail?: number
  readonly className?: string
}) {
  const shown = visibleText(text)
  const cut = beforePair(shown, Math.max(0, shown.length - tail))
  return (
    <span
      title={visibleText(title)}
      className={`inline-flex max-w-full min-w-0 ${className ?? ''}`}
    >
      <span className="truncate">{shown.slice(0, cut)}</span>
      <span className="shrink-0 whitespace-pre">{shown.slice(cut)}</span>
    </span>
  )
}

/** A position in a text that doesn't split a character. */
function beforePair(text: string, at: number): number {
  return /^[\udc00-\udfff]/.test(text.slice(at)) && at > 0 ? at - 1 : at
}
