/** The captured request of one delivery, for editing: its body as text, where it is one that can be edited without a loss. */
import { useEffect, useState } from 'react'
import { utf8Text } from '../../../shared/body/encoding.ts'
import type { Delivery } from '../../../shared/model/delivery.ts'
import { useApp } from '../../state/use-app.ts'
import type { CallProblem } from '../../ui/call-problem.ts'
import type { Original } from './draft.ts'

/** Longer bodies go as they are: a field of text is no tool for them. */
export const LONGEST_EDITED = 262_144

export interface Captured {
  readonly delivery: Delivery
  readonly original: Original
}

export type ReadCaptured =
  | { readonly state: 'reading' }
  | { readonly state: 'failed'; readonly problem: CallProblem }
  | ({ readonly state: 'read' } & Captured)

export function useCaptured(id: string | null): ReadCaptured {
  const readDelivery = useApp((state) => state.replay.readCaptured)
  const [read, setRead] = useState<ReadCaptured>({ state: 'reading' })
  useEffect(() => {
    if (id === null) return
    let wanted = true
    void readDelivery(id, LONGEST_EDITED).then((outcome) => {
      if (!wanted) return
      if (!outcome.ok) {
        setRead({ state: 'failed', problem: outcome.problem })
        return
      }
      const { delivery, body } = outcome.value
      const text = body === null ? null : utf8Text(body, false)
      // Fields of text know one kind of line break: others would be lost in them.
      const editable = text === null || text.includes('\r') || text.includes('\0') ? null : text
      setRead({
        state: 'read',
        delivery,
        original: { method: delivery.method ?? 'POST', headers: delivery.headers, text: editable },
      })
    })
    return () => {
      wanted = false
    }
  }, [readDelivery, id])
  return read
}
