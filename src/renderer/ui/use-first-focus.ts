import { useEffect, useRef, type RefObject } from 'react'

/** Frames during which the element gets the focus back if the dialog takes it. */
const FRAMES = 3

/**
 * Returns a ref whose element gets the focus once `ready`, such as a button that is enabled later.
 */
export function useFirstFocus<T extends HTMLElement>(ready = true): RefObject<T | null> {
  const element = useRef<T>(null)
  const isGiven = useRef(false)
  useEffect(() => {
    if (!ready || isGiven.current) return
    isGiven.current = true
    element.current?.focus()
    let left = FRAMES
    const keep = () => {
      const { activeElement } = document
      // A user who moved the focus elsewhere stays there.
      if (activeElement !== element.current && activeElement?.contains(element.current) === true)
        element.current?.focus()
      if (--left > 0) requestAnimationFrame(keep)
    }
    requestAnimationFrame(keep)
  }, [ready])
  return element
}
