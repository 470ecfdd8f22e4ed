/** The announcement of new deliveries for screen readers. */
import { useEffect, useRef, useState } from 'react'
import { useAppStore } from '../../ui-state/use-app.ts'

const ANNOUNCED_EVERY_MS = 5_000

/** Announces the number of new deliveries to screen readers. */
export function ArrivalNotice() {
  const store = useAppStore()
  const announced = useRef(store.getState().list.rows.arrived)
  const [sentence, setSentence] = useState('')
  useEffect(() => {
    const timer = setInterval(() => {
      const { arrived } = store.getState().list.rows
      const count = arrived - announced.current
      announced.current = arrived
      if (count > 0)
        setSentence(count === 1 ? '1 new delivery' : `${count.toLocaleString('en')} new deliveries`)
    }, ANNOUNCED_EVERY_MS)
    return () => clearInterval(timer)
  }, [store])
  return (
    <p aria-live="polite" className="sr-only">
      {sentence}
    </p>
  )
}
