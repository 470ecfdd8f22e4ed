/**
 * Writes what begins and what ends of many sends with few commits: while one commit is under way the next ones gather. A send
 * goes only once its beginning is written.
 */
import type { SendOutcome } from '../../shared/model/send.ts'
import type { BegunSend, EndedSend, SendsBatch } from '../store/sends-repo.ts'

export interface Recorder {
  begin(send: BegunSend): Promise<void>
  end(send: EndedSend): Promise<SendOutcome | null>
}

interface Waiting<Value, Result> {
  readonly value: Value
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

export function createRecorder(write: (batch: SendsBatch) => Promise<(SendOutcome | null)[]>): Recorder {
  let begun: Waiting<BegunSend, void>[] = []
  let ended: Waiting<EndedSend, SendOutcome | null>[] = []
  let isWriting = false

  async function flush(): Promise<void> {
    if (isWriting) return
    isWriting = true
    while (begun.length > 0 || ended.length > 0) {
      // A turn of the loop: what else has just come goes into the same commit.
      await new Promise((resolve) => setImmediate(resolve))
      const [begins, ends] = [begun, ended]
      begun = []
      ended = []
      try {
        const outcomes = await write({ begun: begins.map(({ value }) => value), ended: ends.map(({ value }) => value) })
        for (const { resolve } of begins) resolve()
        for (const [index, { resolve }] of ends.entries()) resolve(outcomes[index] ?? null)
      } catch (error) {
        for (const { reject } of [...begins, ...ends]) reject(error)
      }
    }
    isWriting = false
  }

  return {
    begin: (value) =>
      new Promise((resolve, reject) => {
        begun.push({ value, resolve, reject })
        void flush()
      }),
    end: (value) =>
      new Promise((resolve, reject) => {
        ended.push({ value, resolve, reject })
        void flush()
      }),
  }
}
