/** Scrolls a result into view as soon as it appears, because it may be below the visible part of the page. */
import { useLayoutEffect, useRef, type RefObject } from 'react'

/** For the result's element; `answer` is null before there is a result. If it doesn't fit, its beginning is shown. */
export function useBroughtIntoView<Answered extends HTMLElement>(answer: unknown): RefObject<Answered | null> {
  const element = useRef<Answered>(null)
  useLayoutEffect(() => {
    const { current } = element
    if (answer === null || current === null) return
    current.scrollIntoView({ block: 'nearest' })
    current.firstElementChild?.firstElementChild?.scrollIntoView({ block: 'nearest' })
  }, [answer])
  return element
}
