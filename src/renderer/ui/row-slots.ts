/**
 * Which element shows which row of a long list, and where it stands, as pure functions. To fill an element with another row costs a
 * fifth of making one, and to move it in the document as much as that: so while one scrolls, an element whose row left the view
 * shows one that came into it, and stays where it is in the document. The document has the order of the rows again once that rests.
 */
import { useEffect, useRef, useState } from 'react'
import type { RowRange } from './row-window.ts'

/** Rows stand at fixed places in an element so high, in pixels; places are given anew where they come near one of its ends. */
export const PLACES_HEIGHT = 1_000_000
const PLACES_MARGIN = 50_000

interface RowSlot {
  /** The element. */
  readonly key: number
  /** The row that it shows. */
  readonly index: number
}

export interface RowSlots {
  /** In the order of the document. */
  readonly slots: readonly RowSlot[]
  /** Whether that is the order of the rows too. */
  readonly inOrder: boolean
  /** Rows that arrived above all others. The index of a row less these stays the same while more arrive: it is the row's number. */
  readonly arrived: number
  /** The number of the row that stands in the middle of the places. */
  readonly middle: number
  /** The next key. */
  readonly next: number
}

/** The elements for the rows in view, after `before`. Rows that arrived above are put in before the others, in elements of their own. */
export function slotsOf(before: RowSlots | null, { first, end }: RowRange, arrived: number, rowHeight: number): RowSlots {
  const shift = arrived - (before?.arrived ?? 0)
  const held = before?.slots.map(({ key, index }) => ({ key, index: index + shift })) ?? []
  const inView = ({ index }: RowSlot) => index >= first && index < end
  const staying = held.filter(inView)
  const shown = new Set(staying.map(({ index }) => index))
  const entering = Array.from({ length: end - first }, (_, place) => first + place).filter((index) => !shown.has(index))
  const middle = middleOf(before, first - arrived, rowHeight)
  let next = before?.next ?? 0
  const made = (index: number): RowSlot => ({ key: next++, index })

  if (shift > 0 && before?.inOrder === true && staying.length > 0) {
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
  return { slots, inOrder: slots.every(({ index }, place) => index === first + place), arrived, middle, next }
}

/** The same with the order of the rows given back to the document: each element shows the row of its place. */
export function inOrder(slots: RowSlots): RowSlots {
  const first = slots.slots.reduce((least, { index }) => Math.min(least, index), Number.POSITIVE_INFINITY)
  return { ...slots, slots: slots.slots.map(({ key }, place) => ({ key, index: first + place })), inOrder: true }
}

/**
 * Where row `index` stands, in pixels from the beginning of the places: the same as long as it is drawn, so that what moves is the
 * element of all rows, which neither lays out nor paints a row again.
 */
export function placeOf({ middle, arrived }: Pick<RowSlots, 'middle' | 'arrived'>, index: number, rowHeight: number): number {
  return PLACES_HEIGHT / 2 + (index - arrived - middle) * rowHeight
}

/** The middle of the places, until the row with this number would stand near one of their ends. */
function middleOf(before: RowSlots | null, number: number, rowHeight: number): number {
  if (before === null) return number
  const away = Math.abs(number - before.middle) * rowHeight
  return away < PLACES_HEIGHT / 2 - PLACES_MARGIN ? before.middle : number
}

const REST_MS = 250

/** `arrived`: how many rows were put in above all others so far. */
export function useRowSlots(rows: RowRange, arrived: number, rowHeight: number): RowSlots {
  const current = useRef<RowSlots | null>(null)
  const [resting, setResting] = useState<RowSlots | null>(null)
  const following = slotsOf(current.current, rows, arrived, rowHeight)
  const slots = resting !== null && resting === current.current ? inOrder(following) : following
  current.current = slots

  useEffect(() => {
    if (slots.inOrder) return
    const timer = setTimeout(() => {
      setResting(current.current)
    }, REST_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [slots.inOrder, rows.first])
  return slots
}
