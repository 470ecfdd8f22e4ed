/**
 * Writes what begins and what ends of many sends with few commits: while one commit is under way the next ones gather. A send
 * goes only once its beginning is written.
 */
import type { SendOutcome } from '../../shared/model/send.ts'
import { packSends, type BegunSend, type EndedSend } from '../store/sends-batch.ts'
import type { Store } from '../store/store.ts'

export interface Recorder {
  begin(send: BegunSend): Promise<void>
  end(send: EndedSend): Promise<SendOutcome | null>
  /** One that was begun will not go now: it waits again. `seq` is the send's. */
  release(seq: number): Promise<void>
}

interface Waiting<Value, Result> {
  readonly value: Value
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface Gathered {
  readonly begun: Waiting<BegunSend, void>[]
  readonly ended: Waiting<EndedSend, SendOutcome | null>[]
  readonly released: Waiting<number, void>[]
}

const nothing = (): Gathered => ({ begun: [], ended: [], released: [] })
const values = <Value>(waiting: readonly Waiting<Value, never>[]) => waiting.map(({ value }) => value)

export function createRecorder({ write }: Pick<Store, 'write'>): Recorder {
  let gathered = nothing()
  let isWriting = false

  async function flush(): Promise<void> {
    if (isWriting) return
    isWriting = true
    while (gathered.begun.length + gathered.ended.length + gathered.released.length > 0) {
      // A turn of the loop: what else has just come goes into the same commit.
      await new Promise((resolve) => setImmediate(resolve))
      const { begun, ended, released } = gathered
      gathered = nothing()
      try {
        const batch = packSends({ begun: values(begun), ended: values(ended), released: values(released) })
        const outcomes = await write('sends', batch, [batch.bodies.buffer])
        for (const { resolve } of [...begun, ...released]) resolve()
        for (const [index, { resolve }] of ended.entries()) resolve(outcomes[index] ?? null)
      } catch (error) {
        for (const { reject } of [...begun, ...ended, ...released]) reject(error)
      }
    }
    isWriting = false
  }

  /** Puts a value with those that go into the next commit. */
  function gather<Value, Result>(list: (into: Gathered) => Waiting<Value, Result>[], value: Value): Promise<Result> {
    return new Promise((resolve, reject) => {
      list(gathered).push({ value, resolve, reject })
      void flush()
    })
  }

  return {
    begin: (send) => gather((into) => into.begun, send),
    end: (send) => gather((into) => into.ended, send),
    release: (seq) => gather((into) => into.released, seq),
  }
}
