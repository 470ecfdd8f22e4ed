/** Tells that something is different, at most ten times a second however often that happens; the first time after a pause at once. */
import type { Clock } from '../deps.ts'

export interface Teller {
  readonly changed: () => void
  /** A send has ended, too. */
  readonly sent: (seq: number) => void
  /** Tells what is left to be told. */
  close(): Promise<void>
}

const PAUSE_MS = 100

export function createTeller(clock: Pick<Clock, 'monotonic'>, tell: (sent: readonly number[]) => Promise<void>): Teller {
  let sent: number[] = []
  let timer: NodeJS.Timeout | undefined
  let telling: Promise<void> = Promise.resolve()
  let toldAt = -Infinity
  let closed = false

  function flush(): void {
    timer = undefined
    toldAt = clock.monotonic()
    const seqs = sent
    sent = []
    // One after another; a store that cannot be read just now is told of elsewhere.
    telling = telling.then(() => tell(seqs)).catch(() => undefined)
  }

  function changed(): void {
    if (closed) return
    timer ??= setTimeout(flush, Math.max(0, toldAt + PAUSE_MS - clock.monotonic()))
  }

  return {
    changed,
    sent(seq) {
      sent.push(seq)
      changed()
    },
    async close() {
      closed = true
      clearTimeout(timer)
      if (sent.length > 0) flush()
      await telling
    },
  }
}
