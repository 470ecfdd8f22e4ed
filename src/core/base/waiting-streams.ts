/** State of work that clients continue call by call; forgotten if they don't. */
import type { Clock } from './deps.ts'

/** Milliseconds to wait for a client that may be gone. */
const PATIENCE_MS = 600_000
/** Streams at a time, each of which may hold much memory. */
const MOST_STREAMS = 4

export class WaitingStreams<State> {
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #waiting = new Map<string, { state: State; taken: AbortController }>()

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock
  }

  /** Returns a state once; undefined if it rested too long. */
  take(name: string): State | undefined {
    const stream = this.#waiting.get(name)
    this.#waiting.delete(name)
    stream?.taken.abort()
    return stream?.state
  }

  keep(name: string, state: State): void {
    const taken = new AbortController()
    this.#waiting.set(name, { state, taken })
    const [longest] = this.#waiting.keys()
    if (this.#waiting.size > MOST_STREAMS && longest !== undefined) this.take(longest)
    void this.#clock.sleep(PATIENCE_MS, taken.signal).then(() => {
      if (!taken.signal.aborted) this.#waiting.delete(name)
    })
  }
}
