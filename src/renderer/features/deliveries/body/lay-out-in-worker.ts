/** Asks the worker for the layout of a body. One that takes longer than five seconds is ended, and the raw views remain. */
import type { BodyLayout, LayoutAnswer, LayoutRequest } from './body-layout.ts'

const LONGEST_MS = 5_000

let worker: Worker | null = null
let nextId = 1

/** Resolves with the layout, or null where it took too long. */
export function layOutInWorker(request: Omit<LayoutRequest, 'id'>): Promise<BodyLayout | null> {
  worker ??= new Worker(new URL('./body-worker.ts', import.meta.url), { type: 'module' })
  const used = worker
  const id = nextId++
  return new Promise((resolve) => {
    const settle = (layout: BodyLayout | null) => {
      clearTimeout(timer)
      used.removeEventListener('message', onMessage)
      resolve(layout)
    }
    const onMessage = (event: MessageEvent<LayoutAnswer>) => {
      if (event.data.id === id) settle(event.data.layout)
    }
    const timer = setTimeout(() => {
      used.terminate()
      if (worker === used) worker = null
      settle(null)
    }, LONGEST_MS)
    used.addEventListener('message', onMessage)
    used.postMessage({ ...request, id } satisfies LayoutRequest)
  })
}
