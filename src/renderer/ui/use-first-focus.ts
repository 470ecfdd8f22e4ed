/** Gives the focus to what a step of a dialog begins with, when the step appears: what had it before has gone. */
import { useEffect, useRef, type RefObject } from 'react'

/** `ready`: whether it can have the focus yet; a button that is disabled cannot, and gets it as soon as it is not. */
export function useFirstFocus<T extends HTMLElement>(ready = true): RefObject<T | null> {
  const element = useRef<T>(null)
  const given = useRef(false)
  useEffect(() => {
    if (!ready || given.current) return
    given.current = true
    element.current?.focus()
  }, [ready])
  return element
}
