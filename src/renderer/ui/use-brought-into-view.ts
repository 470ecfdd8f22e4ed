/** An answer that appears under what asked for it may lie below the fold: it is scrolled into view as soon as it stands. */
import { useLayoutEffect, useRef, type RefObject } from 'react'

/** For the element of the answer; `answer` is null while there is none. The beginning of one that does not fit is what is seen. */
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
