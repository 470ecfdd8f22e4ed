/**
 * The work behind the receiver: answers, schemas, events and attempts are filled in after the acknowledgement, and give way
 * while deliveries stream in. What an earlier run left undone is done first.
 */
import type { Log } from '../deps.ts'
import type { AnswerRow, DescribeBatch, DescriptionRow } from './describe-repo.ts'

export interface DescriberDeps {
  /** Reads and describes the payloads of these seqs. */
  describe(seqs: readonly number[]): Promise<readonly DescriptionRow[]>
  write(batch: DescribeBatch): Promise<void>
  /** Whether deliveries wait for their commit: describing then waits too, for a while. */
  isBusy(): boolean
  lenientEnvironments(): readonly string[]
  /** Hears the seqs that were filled in. */
  onDescribed(seqs: readonly number[]): void
  readonly log: Log
}

export interface Describer {
  stored(seq: number): void
  answered(answer: AnswerRow): void
  /** Resolves when all that was handed over so far is filled in, or after `patienceMs`. */
  settled(patienceMs: number): Promise<void>
  /** Fills in what is left, then stops. */
  close(): Promise<void>
}

const CHUNK = 256
/** While deliveries stream in, a chunk is done only this often. */
const BUSY_PAUSE_MS = 250
const CALM_PAUSE_MS = 5

export function createDescriber(deps: DescriberDeps): Describer {
  let seqs: number[] = []
  let answers: AnswerRow[] = []
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let handedOver = 0
  let done = 0
  let waiters: { upTo: number; resolve: () => void }[] = []
  let closed = false

  function release(): void {
    waiters = waiters.filter(({ upTo, resolve }) => {
      if (done < upTo) return true
      resolve()
      return false
    })
  }

  async function runChunk(): Promise<void> {
    const chunk = seqs.slice(0, CHUNK)
    const chunkAnswers = answers.slice(0, CHUNK)
    seqs = seqs.slice(chunk.length)
    answers = answers.slice(chunkAnswers.length)
    try {
      const descriptions = chunk.length === 0 ? [] : await deps.describe(chunk)
      await deps.write({ answers: chunkAnswers, descriptions, lenientEnvironments: deps.lenientEnvironments() })
      deps.onDescribed([...new Set([...chunk, ...chunkAnswers.map((answer) => answer.seq)])])
    } catch (error) {
      // The deliveries themselves are safe; their descriptions are made again at the next start.
      deps.log.warn('Deliveries could not be described for now.', { reason: (error as Error).message })
    }
    done += chunk.length + chunkAnswers.length
    release()
  }

  function schedule(): void {
    if (running !== null || timer !== null || closed) return
    if (seqs.length === 0 && answers.length === 0) return
    timer = setTimeout(
      () => {
        timer = null
        running = runChunk().finally(() => {
          running = null
          schedule()
        })
      },
      deps.isBusy() ? BUSY_PAUSE_MS : CALM_PAUSE_MS,
    )
  }

  return {
    stored(seq) {
      seqs.push(seq)
      handedOver++
      schedule()
    },
    answered(answer) {
      answers.push(answer)
      handedOver++
      schedule()
    },
    settled: (patienceMs) =>
      new Promise((resolve) => {
        if (done >= handedOver) {
          resolve()
          return
        }
        const giveUp = setTimeout(resolve, patienceMs)
        waiters.push({
          upTo: handedOver,
          resolve: () => {
            clearTimeout(giveUp)
            resolve()
          },
        })
      }),
    async close() {
      closed = true
      if (timer !== null) clearTimeout(timer)
      await running
      while (seqs.length > 0 || answers.length > 0) await runChunk()
    },
  }
}
