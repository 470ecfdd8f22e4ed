/** Runs the search for a smallest body in its own thread, and answers the thread's questions. */
import { Worker } from 'node:worker_threads'
import type { ShrinkResult, ShrinkRun } from '../../shared/model/shrink.ts'

export type ToSearch =
  | { readonly type: 'read'; readonly body: Uint8Array; readonly event: string | null }
  | { readonly type: 'search' }
  | { readonly type: 'answer'; readonly isFailing: boolean }
  | { readonly type: 'describe'; readonly smallest: Uint8Array }

export type FromSearch =
  | { readonly type: 'read'; readonly kind: ShrinkRun['kind'] }
  | { readonly type: 'phase'; readonly phase: 'removing' | 'simplifying' }
  | { readonly type: 'asked'; readonly body: Uint8Array }
  | { readonly type: 'found'; readonly body: Uint8Array }
  | ({ readonly type: 'described' } & ShrinkDescription)

/** The removed and remaining parts of the original. */
export type ShrinkDescription = Pick<ShrinkResult, 'removed' | 'fields'>

export interface SearchAsks {
  /** If it rejects, the search ends. */
  fails(body: Uint8Array): Promise<boolean>
  onPhase(phase: 'removing' | 'simplifying'): void
}

export type ShrinkSearch = Awaited<ReturnType<typeof openShrinkSearch>>

/** Reads the body of an event, if it is known, in a thread. Rejects if the thread breaks. */
export async function openShrinkSearch(entry: URL, original: Uint8Array, event: string | null) {
  const worker = new Worker(entry)
  const { promise: broken, reject: breakOff } = Promise.withResolvers<never>()
  broken.catch(() => undefined)
  worker.on('error', breakOff)
  worker.on('exit', () => breakOff(new Error('The search thread stopped.')))
  let hear: (message: FromSearch) => void = () => undefined
  worker.on('message', (message: FromSearch) => hear(message))
  const post = (message: ToSearch) => worker.postMessage(message)
  /** Sends a message and passes the replies to `take` until it returns a result. */
  const talk = <Answer>(
    message: ToSearch,
    take: (message: FromSearch) => Answer | null,
  ): Promise<Answer> =>
    Promise.race([
      broken,
      new Promise<Answer>((resolve) => {
        hear = (heard) => {
          const answer = take(heard)
          if (answer !== null) resolve(answer)
        }
        post(message)
      }),
    ])

  try {
    const kind = await talk({ type: 'read', body: original, event }, (heard) =>
      heard.type === 'read' ? heard.kind : null,
    )
    return {
      kind,
      /** Resolves with the smallest body, in UTF-8 if it is JSON. Rejects with the error of an answer. */
      run({ fails, onPhase }: SearchAsks): Promise<Uint8Array> {
        const { promise: refused, reject: refuse } = Promise.withResolvers<never>()
        const found = talk({ type: 'search' }, (heard) => {
          if (heard.type === 'phase') onPhase(heard.phase)
          else if (heard.type === 'asked')
            fails(heard.body).then((isFailing) => post({ type: 'answer', isFailing }), refuse)
          return heard.type === 'found' ? heard.body : null
        })
        return Promise.race([found, refused])
      },
      describe: (smallest: Uint8Array): Promise<ShrinkDescription> =>
        talk({ type: 'describe', smallest }, (heard) =>
          heard.type === 'described' ? { removed: heard.removed, fields: heard.fields } : null,
        ),
      async close() {
        await worker.terminate()
      },
    }
  } catch (error) {
    await worker.terminate()
    throw error
  }
}
