/** What waits to be done, in its order. Taking from the front costs what is taken, however much waits: after a burst that is a great deal. */

export interface Backlog<Item> {
  length(): number
  push(item: Item): void
  /** The first ones, `count` at most; they stay. */
  front(count: number): Item[]
  /** Takes the first `count` away. */
  drop(count: number): void
}

const DROPPED_AT_ONCE = 4_096

export function createBacklog<Item>(): Backlog<Item> {
  let items: Item[] = []
  let head = 0
  return {
    length: () => items.length - head,
    push(item) {
      items.push(item)
    },
    front: (count) => items.slice(head, head + count),
    drop(count) {
      head += count
      if (head < DROPPED_AT_ONCE || head < items.length / 2) return
      items = items.slice(head)
      head = 0
    },
  }
}

/** The same for numbers most of which follow one another: kept as runs, so that a million in a row take no more than one. */
export function createSeqBacklog(): Backlog<number> {
  const runs = createBacklog<{ from: number; to: number }>()
  let last: { from: number; to: number } | null = null
  let length = 0
  return {
    length: () => length,
    push(seq) {
      length++
      if (last !== null && seq === last.to + 1) last.to = seq
      else runs.push((last = { from: seq, to: seq }))
    },
    front(count) {
      const seqs: number[] = []
      for (const { from, to } of runs.front(count)) {
        for (let seq = from; seq <= to && seqs.length < count; seq++) seqs.push(seq)
        if (seqs.length === count) break
      }
      return seqs
    },
    drop(count) {
      let left = Math.min(count, length)
      length -= left
      while (left > 0) {
        const run = runs.front(1)[0]!
        const size = run.to - run.from + 1
        if (size > left) {
          run.from += left
          return
        }
        left -= size
        runs.drop(1)
        if (run === last) last = null
      }
    },
  }
}
