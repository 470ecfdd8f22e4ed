/** Loads a captured request for editing. The body is text only if editing loses nothing. */
import { useEffect, useState } from 'react'
import { utf8Text } from '../../../shared/body/encoding.ts'
import type { Delivery } from '../../../shared/model/delivery.ts'
import { useApp } from '../../state/use-app.ts'
import type { CallProblem } from '../../ui/call-problem.ts'
import type { Original } from './draft.ts'

/** Longer bodies are sent unchanged: a text field can't handle them well. */
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
      // Text fields normalize line breaks, so bodies with others can't be edited.
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
