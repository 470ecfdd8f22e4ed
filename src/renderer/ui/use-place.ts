/** An element's place on the page: its width, and whether it is in view. */
import { useLayoutEffect, useRef, useState, type RefObject } from 'react'

/** The width of an element without its border, now and after each change; null until it is there. */
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
 * Scrolls a result into view as soon as it appears, because it may be below the visible part of the page. For the result's element;
 * `answer` is null before there is a result. If it doesn't fit, its beginning is shown.
 */
export function useBroughtIntoView<Answered extends HTMLElement>(
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
