/** Gives the focus to what a step of a dialog begins with, when the step appears: what had it before has gone. */
import { useEffect, useRef, type RefObject } from 'react'

/** The dialog takes the focus itself when the element that has it goes, at once or in one of the next frames. */
const FRAMES = 3

/** `ready`: whether it can have the focus yet; a button that is disabled cannot, and gets it as soon as it is not. */
export function useFirstFocus<T extends HTMLElement>(ready = true): RefObject<T | null> {
  const element = useRef<T>(null)
  const given = useRef(false)
  useEffect(() => {
    if (!ready || given.current) return
    given.current = true
    element.current?.focus()
    let left = FRAMES
    const keep = () => {
      const { activeElement } = document
      // Only what lies around it is taken back from: where a person has gone meanwhile, they stay.
      if (activeElement !== element.current && activeElement?.contains(element.current) === true) element.current?.focus()
      if (--left > 0) requestAnimationFrame(keep)
    }
    requestAnimationFrame(keep)
  }, [ready])
  return element
}
