/**
 * The headers of a request that went out, as they are kept. A replay's are the captured ones but for what proves it and what is of
 * one connection: only that is written down, a sixth of the whole. Where more was changed, all of them are.
 */
import type { RawHeaders } from '../../shared/model/delivery.ts'

/** By place in the captured headers: the value in place of theirs; null where the header did not go out. */
type Change = readonly [place: number, value: string | null]

interface ButFor {
  readonly but: readonly Change[]
}

/** A text for `unpackSentHeaders`; `captured` are those of the send's delivery. */
export function packSentHeaders(sent: RawHeaders, captured: RawHeaders): string {
  const but: Change[] = []
  let next = 0
  for (let place = 0; place < captured.length; place++) {
    const [name, value] = captured[place]!
    const line = sent[next]
    if (line?.[0] !== name) {
      but.push([place, null])
      continue
    }
    if (line[1] !== value) but.push([place, line[1]])
    next++
  }
  return JSON.stringify(next === sent.length ? ({ but } satisfies ButFor) : sent)
}

/** The headers as they went out. `packed` is what `packSentHeaders` has made with the same captured ones. */
export function unpackSentHeaders(packed: string, captured: RawHeaders): RawHeaders {
  const kept = JSON.parse(packed) as RawHeaders | ButFor
  if (Array.isArray(kept)) return kept
  const changes = new Map(kept.but)
  return captured.flatMap(([name, value], place): RawHeaders => {
    const change = changes.get(place)
    return change === null ? [] : [[name, change ?? value]]
  })
}
