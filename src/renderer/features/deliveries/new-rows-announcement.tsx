/** Tells screen readers how many deliveries arrived, at most every five seconds, and never one by one. */
import { memo, useEffect, useRef, useState } from 'react'
import { useAppStore } from '../../state/use-app.ts'

const EVERY_MS = 5_000

export const NewRowsAnnouncement = memo(function NewRowsAnnouncement() {
  const store = useAppStore()
  const told = useRef(store.getState().list.arrived)
  const [sentence, setSentence] = useState('')
  useEffect(() => {
    const timer = setInterval(() => {
      const { arrived } = store.getState().list
      const count = arrived - told.current
      told.current = arrived
      if (count > 0) setSentence(count === 1 ? '1 new delivery' : `${count.toLocaleString('en')} new deliveries`)
    }, EVERY_MS)
    return () => {
      clearInterval(timer)
    }
  }, [store])
  return (
    <p aria-live="polite" className="sr-only">
      {sentence}
    </p>
  )
})
