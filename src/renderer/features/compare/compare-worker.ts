/** Worker entry: compares bodies. */
import { answer, type CompareQuestion } from './comparison.ts'

self.addEventListener(
  'message',
  (event: MessageEvent<{ id: number; question: CompareQuestion }>) => {
    const { id, question } = event.data
    self.postMessage({ id, answer: answer(question) })
  },
)
