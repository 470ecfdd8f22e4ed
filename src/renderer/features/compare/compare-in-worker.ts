/** Comparing in a worker, with a limit of ten seconds. */
import type { Answers, CompareQuestion } from './compare-worker.ts'

const TIMEOUT_MS = 10_000

let worker: Worker | null = null

let nextId = 1

/** Compares in the worker; resolves with the answer or `too-long`. */
export function compareInWorker<Q extends CompareQuestion>(
  question: Q,
): Promise<Answers[Q['what']] | 'too-long'> {
  worker ??= new Worker(new URL('./compare-worker.ts', import.meta.url), { type: 'module' })
  const current = worker
  const id = nextId++
  return new Promise((resolve) => {
    const settle = (answer: Answers[Q['what']] | 'too-long') => {
      clearTimeout(timer)
      current.removeEventListener('message', onMessage)
      resolve(answer)
    }
    const onMessage = (event: MessageEvent<{ id: number; answer: Answers[Q['what']] }>) => {
      if (event.data.id === id) settle(event.data.answer)
    }
    const timer = setTimeout(() => {
      current.terminate()
      if (worker === current) worker = null
      settle('too-long')
    }, TIMEOUT_MS)
    current.addEventListener('message', onMessage)
    current.postMessage({ id, question })
  })
}
