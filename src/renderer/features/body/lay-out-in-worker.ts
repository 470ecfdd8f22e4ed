/**
 * Sends questions about bodies to the worker: text, rows, tree, and positions. If an answer takes too long, the worker is stopped
 * and only the bytes can be shown.
 */
import { useEffect, useState } from 'react'
import type { BodyAnswers, BodyQuestion } from './body-layout.ts'
import type { WorkerRequest } from './body-worker.ts'

/** How long an answer may take: this, plus time for long bodies. 50 MB take two to three seconds and are allowed 25. */
const LONGEST_MS = 10_000
const LONGEST_MS_A_MEGABYTE = 300
/** Sources kept by the worker: the body, the body as received, and the raw request. */
const MOST_SOURCES = 3

export interface BodySource {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The bytes are incomplete. */
  readonly cut: boolean
  readonly charset: string | null
}

let worker: Worker | null = null
let nextId = 1
const waiting = new Map<number, (answer: unknown) => void>()
/** Sources held by the worker, by their bytes, most recently used last. */
const held = new Map<
  Uint8Array,
  { readonly key: number; readonly cut: boolean; readonly charset: string | null }
>()

/** Resolves with the answer, or `too-long`. */
export function askAboutBody<Q extends BodyQuestion>(
  source: BodySource,
  question: Q,
): Promise<BodyAnswers[Q['ask']] | 'too-long'> {
  worker ??= startWorker()
  const used = worker
  const id = nextId++
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => {
        if (worker === used) stopWorker()
      },
      LONGEST_MS + (source.bytes.length / 1_000_000) * LONGEST_MS_A_MEGABYTE,
    )
    waiting.set(id, (answer) => {
      clearTimeout(timer)
      resolve(answer as BodyAnswers[Q['ask']] | 'too-long')
    })
    used.postMessage({ id, question, ...handOver(source, id) } satisfies WorkerRequest)
  })
}

function handOver(
  { bytes, cut, charset }: BodySource,
  key: number,
): Pick<WorkerRequest, 'source' | 'given' | 'forget'> {
  const known = held.get(bytes)
  const isHeld = known !== undefined && known.cut === cut && known.charset === charset
  const entry = isHeld ? known : { key, cut, charset }
  const forget = !isHeld && known !== undefined ? [known.key] : []
  held.delete(bytes)
  held.set(bytes, entry)
  for (const [old, { key: oldKey }] of held) {
    if (held.size <= MOST_SOURCES) break
    held.delete(old)
    forget.push(oldKey)
  }
  return { source: entry.key, given: isHeld ? null : { bytes, cut, charset }, forget }
}

function startWorker(): Worker {
  const started = new Worker(new URL('./body-worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<{ id: number; answer: unknown }>) => {
    const settle = waiting.get(data.id)
    waiting.delete(data.id)
    settle?.(data.answer)
  })
  return started
}

/** Stops a slow question and all questions queued behind it: each is answered with `too-long`. */
function stopWorker(): void {
  worker?.terminate()
  worker = null
  held.clear()
  for (const settle of waiting.values()) settle('too-long')
  waiting.clear()
}

/** `reading`: not answered yet. `too-long`: timed out, only the bytes can be shown. */
export type Answered<T> = T | 'reading' | 'too-long'

/**
 * The worker's answer to a question about a source. The caller must memoize both (`useMemo`). If only the question changes, the
 * last answer stays meanwhile. Null asks nothing.
 */
export function useAboutBody<Q extends BodyQuestion>(
  source: BodySource,
  question: Q | null,
): Answered<BodyAnswers[Q['ask']]> {
  const [answered, setAnswered] = useState<{
    source: BodySource
    answer: BodyAnswers[Q['ask']] | 'too-long'
  } | null>(null)
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
