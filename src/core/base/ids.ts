/**
 * Names that sort by the time they were made: UUIDs of version 7 (RFC 9562) with a counter in the place of `rand_a` and the
 * high bits of `rand_b`, so that two of the same millisecond keep their order. Randomness is drawn in bulk: one draw for each
 * name was four percent of the receiver's thread.
 */
import { v7 } from 'uuid'
import type { Clock, Ids } from './deps.ts'

const NAME_BYTES = 16
const NAMES_A_DRAW = 512

/** Makes the names of one process. A clock that goes back does not make names go back. */
export function createIds(clock: Pick<Clock, 'now'>, randomBytes: (count: number) => Uint8Array): Ids {
  let pool: Uint8Array = new Uint8Array()
  let used = 0
  let lastTime = 0
  let counter = 0

  function drawRandom(): Uint8Array {
    if (used === pool.length) {
      pool = randomBytes(NAME_BYTES * NAMES_A_DRAW)
      used = 0
    }
    used += NAME_BYTES
    return pool.subarray(used - NAME_BYTES, used)
  }

  return {
    next() {
      const random = drawRandom()
      const now = clock.now()
      if (now > lastTime) {
        lastTime = now
        // Starts low enough that a millisecond's names never run over.
        counter = ((random[6]! << 16) | (random[7]! << 8) | random[8]!) & 0xffffff
      } else counter++
      return v7({ random, msecs: lastTime, seq: counter })
    },
  }
}
