/** Text from outside, drawn with its invisible characters as escapes. */
import { Fragment } from 'react'
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

/** Shows a URL, which breaks after slashes. */
export function UrlText({ url }: { readonly url: string }) {
  return url.split('/').map((part, index) => (
    <Fragment key={index}>
      {index > 0 && (
        <>
          /<wbr />
        </>
      )}
      <ExactText text={part} />
    </Fragment>
  ))
}

export function ExactLines({ text }: { readonly text: string }) {
  return text.split('\n').map((line, index) => (
    <span key={index} className="block min-h-[1lh]">
      <ExactText text={line} />
    </span>
  ))
}

/**
 * Shows a long id on one line, shortened in the middle; the title and the copied text are complete.
 */
export function MiddleTruncated({
  text,
  tail = 6,
  title = text,
  className,
}: {
  readonly text: string
  /** Complete text, if the visible one leaves out an obvious part. */
  readonly title?: string
  readonly tail?: number
  readonly className?: string
}) {
  const visible = visibleText(text)
  const cut = beforePair(visible, Math.max(0, visible.length - tail))
  return (
    <span
      title={visibleText(title)}
      className={`inline-flex max-w-full min-w-0 ${className ?? ''}`}
    >
      {/* An empty part has no baseline, so a short text would stand too high. */}
      {cut > 0 && (
        <span className="overflow-hidden text-ellipsis whitespace-pre">
          {visible.slice(0, cut)}
        </span>
      )}
      <span className="shrink-0 whitespace-pre">{visible.slice(cut)}</span>
    </span>
  )
}

/** Returns the position, moved if it would split a surrogate pair. */
function beforePair(text: string, at: number): number {
  return /^[\udc00-\udfff]/.test(text.slice(at)) && at > 0 ? at - 1 : at
}
