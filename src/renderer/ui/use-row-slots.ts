/** The elements that the rows of a long list are drawn in: see `row-slots.ts`. Puts them in order once scrolling rests. */
import { useEffect, useRef, useState } from 'react'
import { inOrder, slotsOf, type RowSlots } from './row-slots.ts'
import type { RowRange } from './row-window.ts'

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
