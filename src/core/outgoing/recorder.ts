/**
 * Records beginnings and endings of many requests in few commits: while a commit is running, the next batch collects. A request is
 * sent only after its beginning is recorded. Endings may wait a little for others, because no request waits for them.
 */
import type { SendOutcome } from '../../shared/model/send.ts'
import { packSends, type BegunSend, type EndedSend, type Reached } from '../store/sends-batch.ts'
import type { Store } from '../store/store.ts'

export type Recorder = ReturnType<typeof createRecorder>

interface Waiting<Value, Result> {
  readonly value: Value
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface Gathered {
  readonly reached: Waiting<Reached, void>[]
  readonly begun: Waiting<BegunSend, void>[]
  readonly ended: Waiting<EndedSend, SendOutcome | null>[]
  readonly released: Waiting<number, void>[]
}

const nothing = (): Gathered => ({ reached: [], begun: [], ended: [], released: [] })
const values = <Value>(waiting: readonly Waiting<Value, never>[]) =>
  waiting.map(({ value }) => value)

/** `patienceMs` is how long an ending waits for others, in milliseconds. Beginnings never wait. */
export function createRecorder({ write }: Pick<Store, 'write'>, patienceMs = 0) {
  let gathered = nothing()
  let isDue = false
  let isWriting = false
  let timer: NodeJS.Timeout | null = null

  async function writeGathered(): Promise<void> {
    const { reached, begun, ended, released } = gathered
    gathered = nothing()
    if (timer !== null) clearTimeout(timer)
    timer = null
    try {
      const batch = packSends({
        reached: values(reached),
        begun: values(begun),
        ended: values(ended),
        released: values(released),
      })
      const { outcomes } = await write('sends', batch, [batch.bodies.buffer])
      for (const { resolve } of [...reached, ...begun, ...released]) resolve()
      for (const [index, { resolve }] of ended.entries()) resolve(outcomes[index] ?? null)
    } catch (error) {
      for (const { reject } of [...reached, ...begun, ...ended, ...released]) reject(error)
    }
  }

  async function flush(): Promise<void> {
    isDue = true
    if (isWriting) return
    isWriting = true
    while (isDue) {
      // One turn of the event loop, so that simultaneous events share the commit.
      await new Promise((resolve) => setImmediate(resolve))
      isDue = false
      await writeGathered()
    }
    isWriting = false
  }

  function flushLater(): void {
    if (patienceMs === 0) void flush()
    else timer ??= setTimeout(() => void flush(), patienceMs)
  }

  /** Adds a value to the next commit. */
  function gather<Value, Result>(
    list: (into: Gathered) => Waiting<Value, Result>[],
    value: Value,
  ): Promise<Result> {
    return new Promise((resolve, reject) => list(gathered).push({ value, resolve, reject }))
  }

  return {
    begin(send: BegunSend) {
      void flush()
      return gather((into) => into.begun, send)
    },
    /** All requests of a job up to this position may be sent; if the job had come further, no more than these were sent. */
    reach(reached: Reached) {
      void flush()
      return gather((into) => into.reached, reached)
    },
    end(send: EndedSend): Promise<SendOutcome | null> {
      flushLater()
      return gather((into) => into.ended, send)
    },
    /** A recorded request that won't be sent now becomes pending again. `seq` is the request's. */
    release(seq: number) {
      void flush()
      return gather((into) => into.released, seq)
    },
  }
}

/** The record of a request that was never sent. `seq` is the request's; `error` says why, in a sentence. */
export function notSent(seq: number, error: string): EndedSend {
  return {
    seq,
    state: 'not-sent',
    startedAt: null,
    registeredUrl: null,
    status: null,
    ms: null,
    phases: null,
    errorKind: null,
    error,
    passed: false,
    forged: false,
    certificateProblem: null,
    headers: [],
    body: new Uint8Array(),
    truncated: false,
    request: null,
  }
}
