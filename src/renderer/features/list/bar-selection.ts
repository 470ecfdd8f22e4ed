/** Selecting a span over the timeline's bars by pointer or keyboard. */
import { useState, type KeyboardEvent, type PointerEvent } from 'react'
import { useApp } from '../../ui-state/use-app.ts'
import { barsInSpan, spanOfBars, type TimelineFrame } from './timeline-facts.ts'
import { useTimelineFilter } from './use-timeline.ts'

/** Bars between which the pointer drags. */
export interface Drag {
  readonly from: number
  readonly to: number
}

interface BarPositions {
  readonly frame: TimelineFrame
  /** Pixels left of the first bar. */
  readonly left: number
  /** Pixels per bar. */
  readonly barWidth: number
  /** Width of all bars, in pixels. */
  readonly inner: number
}

/** Returns the selected span, the current bar, and the handlers of pointer and keys. */
export function useBarSelection({ frame, left, barWidth, inner }: BarPositions) {
  const selectSpan = useApp((state) => state.filter.selectSpan)
  const { span: filterSpan } = useTimelineFilter()
  const [drag, setDrag] = useState<Drag | null>(null)
  const [current, setCurrent] = useState<number | null>(null)
  const span = drag === null ? filterSpan : spanOfBars(frame, drag.from, drag.to)
  const inSpan = barsInSpan(frame, span)
  const last = frame.bins - 1

  const barAt = (event: PointerEvent<HTMLElement>) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left - left
    return Math.min(last, Math.max(0, Math.floor(at / barWidth)))
  }
  const finish = () => {
    if (drag !== null) selectSpan(spanOfBars(frame, drag.from, drag.to))
    setDrag(null)
  }
  /** Starts a drag, which moves an end of the selected span if it starts near that end. */
  const begin = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const bar = barAt(event)
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left - left
    const isNear = (index: number) => Math.abs(at - edgeOf(index * barWidth, inner)) <= 6
    if (filterSpan !== null && isNear(inSpan.first))
      setDrag({ from: Math.min(last, inSpan.last), to: bar })
    else if (filterSpan !== null && isNear(inSpan.last + 1))
      setDrag({ from: Math.max(0, inSpan.first), to: bar })
    else setDrag({ from: bar, to: bar })
  }
  const leave = () => {
    setDrag(null)
    setCurrent(null)
  }
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (by !== undefined) {
      const before = current ?? last + (by > 0 ? 0 : 1)
      const next = Math.min(last, Math.max(0, before + by))
      setDrag(event.shiftKey ? { from: drag?.from ?? current ?? next, to: next } : null)
      setCurrent(next)
    } else if (event.key === 'Enter' && current !== null) {
      selectSpan(spanOfBars(frame, drag?.from ?? current, current))
      setDrag(null)
    } else if (event.key === 'Escape' && (current !== null || filterSpan !== null)) {
      if (current === null) selectSpan(null)
      leave()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  return {
    span,
    inSpan,
    current,
    handlers: {
      onKeyDown: press,
      onBlur: leave,
      onPointerDown: begin,
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        const bar = barAt(event)
        setCurrent(bar)
        if (drag !== null && event.buttons === 1) setDrag({ ...drag, to: bar })
      },
      onPointerUp: finish,
      onPointerCancel: () => setDrag(null),
      onPointerLeave: () => setCurrent(null),
    },
  }
}

/** Limits a position to the width of the bars. */
export function edgeOf(x: number, inner: number): number {
  return Math.min(inner, Math.max(0, x))
}
