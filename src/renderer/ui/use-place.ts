/** Place of an element on the page: its width, and whether it is in view. */
import { useLayoutEffect, useRef, useState, type RefObject } from 'react'

/** Returns an element's width without its border, kept current; null until it is rendered. */
export function useWidth(): {
  readonly ref: (element: HTMLElement | null) => void
  readonly width: number | null
} {
  const [element, ref] = useState<HTMLElement | null>(null)
  const [width, setWidth] = useState<number | null>(null)
  useLayoutEffect(() => {
    if (element === null) return undefined
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return { ref, width }
}

/**
 * Returns a ref whose element is scrolled into view when `answer` arrives; a large element is shown
 * from its beginning.
 */
export function useScrollIntoView<Answered extends HTMLElement>(
  answer: unknown,
): RefObject<Answered | null> {
  const element = useRef<Answered>(null)
  useLayoutEffect(() => {
    const { current } = element
    if (answer === null || current === null) return
    current.scrollIntoView({ block: 'nearest' })
    current.firstElementChild?.firstElementChild?.scrollIntoView({ block: 'nearest' })
  }, [answer])
  return element
}
