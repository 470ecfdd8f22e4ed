/**
 * Marks the part of the screen that the walk points at, and brings it into sight. A mark on the element itself: it goes where the
 * element goes, and covers nothing.
 */
import { useEffect, useState } from 'react'
import { TOUR_MARK, type TourPlace } from '../../ui/tour-place.ts'

const MARK = 'data-walk-target'

/** Resolves with whether the part is on the screen; nothing is marked for null. */
export function useWalkTarget(place: TourPlace | null): boolean {
  const [found, setFound] = useState(false)
  useEffect(() => {
    let marked: Element | null = null
    let frame = 0
    const mark = () => {
      frame = 0
      const element = place === null ? null : document.querySelector(`[${TOUR_MARK}="${place}"]`)
      setFound(element !== null)
      if (element === marked) return
      marked?.removeAttribute(MARK)
      element?.setAttribute(MARK, '')
      element?.scrollIntoView({ block: 'nearest' })
      marked = element
    }
    const soon = () => {
      if (frame === 0) frame = requestAnimationFrame(mark)
    }
    mark()
    // What it points at may be drawn later, or anew: a row of the list, a tab that is opened.
    const observer = new MutationObserver(soon)
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: [TOUR_MARK] })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      marked?.removeAttribute(MARK)
    }
  }, [place])
  return found
}
