/** Outside text with its invisible characters drawn as escapes. */
import { visibleParts } from './visible-text.ts'

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

/** The same for several lines. */
export function ExactLines({ text }: { readonly text: string }) {
  return text.split('\n').map((line, index) => (
    <span key={index} className="block min-h-[1lh]">
      <ExactText text={line} />
    </span>
  ))
}
