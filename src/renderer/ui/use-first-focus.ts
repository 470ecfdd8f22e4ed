/** Gives the focus to what a step of a dialog begins with, when the step appears: what had it before has gone. */
import { useEffect, useRef, type RefObject } from 'react'

export function useFirstFocus<T extends HTMLElement>(): RefObject<T | null> {
  const element = useRef<T>(null)
  useEffect(() => {
    element.current?.focus()
  }, [])
  return element
}
