/** Compares in the worker, with a limit of ten seconds. Larger bodies can still be compared byte by byte. */
import type { Answers, CompareQuestion } from './comparison.ts'

const LONGEST_MS = 10_000

let worker: Worker | null = null
let nextId = 1

/** Resolves with the answer, or `too-long`. */
export function compareInWorker<Q extends CompareQuestion>(
  question: Q,
): Promise<Answers[Q['what']] | 'too-long'> {
  worker ??= new Worker(new URL('./compare-worker.ts', import.meta.url), { type: 'module' })
  const used = worker
  const id = nextId++
  return new Promise((resolve) => {
    const settle = (answer: Answers[Q['what']] | 'too-long') => {
      clearTimeout(timer)
      used.removeEventListener('message', onMessage)
      resolve(answer)
    }
    const onMessage = (event: MessageEvent<{ id: number; answer: Answers[Q['what']] }>) => {
      if (event.data.id === id) settle(event.data.answer)
    }
    const timer = setTimeout(() => {
      used.terminate()
      if (worker === used) worker = null
      settle('too-long')
    }, LONGEST_MS)
    used.addEventListener('message', onMessage)
    used.postMessage({ id, question })
  })
}
