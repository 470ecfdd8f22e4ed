/** A long id on one line: its middle gives way, the whole is the title and what is copied. */
import { visibleText } from './visible-text.ts'

export function Middle({
  text,
  tail = 6,
  title = text,
  className,
}: {
  readonly text: string
  /** The whole, where the text leaves out what goes without saying. */
  readonly title?: string
  readonly tail?: number
  readonly className?: string
}) {
  const shown = visibleText(text)
  const cut = beforePair(shown, Math.max(0, shown.length - tail))
  return (
    <span title={visibleText(title)} className={`inline-flex max-w-full min-w-0 ${className ?? ''}`}>
      <span className="truncate">{shown.slice(0, cut)}</span>
      <span className="shrink-0 whitespace-pre">{shown.slice(cut)}</span>
    </span>
  )
}

/** A place in a text that is not amid one of its characters. */
function beforePair(text: string, at: number): number {
  return /^[\udc00-\udfff]/.test(text.slice(at)) && at > 0 ? at - 1 : at
}
