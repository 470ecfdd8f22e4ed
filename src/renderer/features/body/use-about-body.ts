/** What the worker says about a body, as components need it. */
import { useEffect, useState } from 'react'
import type { BodyAnswers, BodyQuestion } from './body-layout.ts'
import { askAboutBody, type BodySource } from './lay-out-in-worker.ts'

/** `reading`: not answered yet. `too-long`: it took longer than anyone waits, and the bytes remain. */
export type Answered<T> = T | 'reading' | 'too-long'

/**
 * The worker's answer to a question about a source, both of which the caller keeps (`useMemo`). While only the question changes,
 * the last answer stays. Null asks nothing.
 */
export function useAboutBody<Q extends BodyQuestion>(source: BodySource, question: Q | null): Answered<BodyAnswers[Q['ask']]> {
  const [answered, setAnswered] = useState<{ source: BodySource; answer: BodyAnswers[Q['ask']] | 'too-long' } | null>(null)
  useEffect(() => {
    if (question === null) return
    let wanted = true
    void askAboutBody(source, question).then((answer) => {
      if (wanted) setAnswered({ source, answer })
    })
    return () => {
      wanted = false
    }
  }, [source, question])
  return answered?.source === source ? answered.answer : 'reading'
}
