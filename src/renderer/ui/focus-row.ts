import type { KeyboardEvent } from 'react'

/**
 * Moves the focus through rows with one tab stop by arrows, j, k, Home and End; returns the focused
 * row, or null for other keys.
 */
export function focusRow(event: KeyboardEvent<HTMLElement>, selector: string): HTMLElement | null {
  if (event.shiftKey || event.metaKey || event.ctrlKey || event.altKey) return null
  const rows = [...document.querySelectorAll<HTMLElement>(selector)]
  const at = rows.indexOf(event.currentTarget)
  const places = { ArrowDown: at + 1, ArrowUp: at - 1, j: at + 1, k: at - 1, Home: 0, End: -1 }
  const place = Object.entries(places).find(([key]) => key === event.key)?.[1]
  const row = place === undefined || (place < 0 && event.key !== 'End') ? undefined : rows.at(place)
  if (row === undefined) return null
  event.preventDefault()
  event.stopPropagation()
  row.focus()
  row.scrollIntoView({ block: 'nearest' })
  return row
}
