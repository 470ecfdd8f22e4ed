/** What a dialog begins with: what is filled in first, else what is chosen first, else the button that does no harm. */

/** The best first. A choice between views (`role=radio` as segments) comes after what is typed: it has a value already. */
const ranks = [
  'input:not([type=radio], [type=checkbox], [type=file]), textarea, select, [contenteditable=true]',
  'input[type=radio]:checked, input[type=checkbox]',
  'button[data-kind=primary]',
  'button[data-kind=plain]',
] as const

const isUsable = (element: HTMLElement) => !element.matches(':disabled, [readonly]') && element.checkVisibility()

/** Null where there is neither a field nor such a button: it is there to be read. */
export function firstFocusOf(content: HTMLElement): HTMLElement | null {
  for (const rank of ranks) {
    const found = [...content.querySelectorAll<HTMLElement>(rank)].find(isUsable)
    if (found !== undefined) return found
  }
  return null
}
