/**
 * Assigns elements to the rows of a long list, as pure functions. Refilling an element costs a fifth of creating one, and moving it
 * in the document costs as much. So while scrolling, an element whose row left the view takes over a row that entered it without
 * moving in the document. Once scrolling stops, the elements are sorted again.
 */
import { useEffect, useRef, useState } from 'react'
import type { RowRange } from './row-window.ts'

/** Rows have fixed positions in an element of this height, in pixels; positions are reassigned near its ends. */
export const PLACES_HEIGHT = 1_000_000
const PLACES_MARGIN = 50_000

interface RowSlot {
  /** The element. */
  readonly key: number
  /** The row it shows. */
  readonly index: number
}

export interface RowSlots {
  /** In document order. */
  readonly slots: readonly RowSlot[]
  /** Whether that is also the order of the rows. */
  readonly inOrder: boolean
  /** Rows added at the top so far. A row's index minus this count is its number, which stays the same as more arrive. */
  readonly arrived: number
  /** The number of the row in the middle of the positions. */
  readonly middle: number
  /** The next key. */
  readonly next: number
}

/**
 * The elements for the visible rows, following `before`. Rows added at the top, or beside rows that all stay in view, get new
 * elements at their place.
 */
export function slotsOf(
  before: RowSlots | null,
  { first, end }: RowRange,
  arrived: number,
  rowHeight: number,
): RowSlots {
  const shift = arrived - (before?.arrived ?? 0)
  const held = before?.slots.map(({ key, index }) => ({ key, index: index + shift })) ?? []
  const inView = ({ index }: RowSlot) => index >= first && index < end
  const staying = held.filter(inView)
  const shown = new Set(staying.map(({ index }) => index))
  const entering = Array.from({ length: end - first }, (_, place) => first + place).filter(
    (index) => !shown.has(index),
  )
  const middle = middleOf(before, first - arrived, rowHeight)
  let next = before?.next ?? 0
  const made = (index: number): RowSlot => ({ key: next++, index })

  const isAdding = shift > 0 || staying.length === held.length
  if (isAdding && before?.inOrder === true && staying.length > 0) {
    const slots = [...staying, ...entering.map(made)].sort((one, other) => one.index - other.index)
    return { slots, inOrder: true, arrived, middle, next }
  }
  const waiting = entering.values()
  const slots: RowSlot[] = []
  for (const slot of held) {
    const index = inView(slot) ? slot.index : waiting.next().value
    if (index !== undefined) slots.push({ key: slot.key, index })
  }
  for (const index of waiting) slots.push(made(index))
  return {
    slots,
    inOrder: slots.every(({ index }, place) => index === first + place),
    arrived,
    middle,
    next,
  }
}

/** The same in row order: each element shows the row of its position in the document. */
export function inOrder(slots: RowSlots): RowSlots {
  const first = slots.slots.reduce(
    (least, { index }) => Math.min(least, index),
    Number.POSITIVE_INFINITY,
  )
  return {
    ...slots,
    slots: slots.slots.map(({ key }, place) => ({ key, index: first + place })),
    inOrder: true,
  }
}

/**
 * Offset of row `index`, in pixels. It stays the same while the row is drawn, so that only the parent element moves and no row is
 * laid out or painted again.
 */
export function placeOf(
  { middle, arrived }: Pick<RowSlots, 'middle' | 'arrived'>,
  index: number,
  rowHeight: number,
): number {
  return PLACES_HEIGHT / 2 + (index - arrived - middle) * rowHeight
}

/** The middle of the positions, until the row with this number would be near one of the ends. */
function middleOf(before: RowSlots | null, number: number, rowHeight: number): number {
  if (before === null) return number
  const away = Math.abs(number - before.middle) * rowHeight
  return away < PLACES_HEIGHT / 2 - PLACES_MARGIN ? before.middle : number
}

const REST_MS = 250

/** `arrived`: number of rows added at the top so far. */
export function useRowSlots(rows: RowRange, arrived: number, rowHeight: number): RowSlots {
  const current = useRef<RowSlots | null>(null)
  const [resting, setResting] = useState<RowSlots | null>(null)
  const following = slotsOf(current.current, rows, arrived, rowHeight)
  const slots = resting !== null && resting === current.current ? inOrder(following) : following
  current.current = slots

  // What arrives above changes the indexes, but isn't scrolling.
  const firstNumber = rows.first - arrived
  useEffect(() => {
    if (slots.inOrder) return
    const timer = setTimeout(() => setResting(current.current), REST_MS)
    return () => clearTimeout(timer)
  }, [slots.inOrder, firstNumber])
  return slots
}
