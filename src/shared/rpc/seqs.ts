/** Lists as columns of sequence numbers: how they travel, and how a client reads one in parts. */
import type { OutputOf } from '../contract/contract.ts'
import type { SortKey } from '../model/delivery.ts'
import type { Client } from './client.ts'

/** The first number, then the difference between each and its predecessor: most differences have one digit. */
export function packSeqs(seqs: readonly number[]): number[] {
  return seqs.map((seq, index) => (index === 0 ? seq : seq - (seqs[index - 1] ?? 0)))
}

export function unpackSeqs(packed: readonly number[]): number[] {
  let seq = 0
  return packed.map((difference) => (seq += difference))
}

/** Which deliveries a column has, and in which order. */
export interface ColumnInput {
  readonly query: string
  /** By arrival, newest first, by default. */
  readonly by?: SortKey
  readonly descending?: boolean
  /** Begins at this seq; by default at the newest, or at the oldest. */
  readonly from?: number
}

export interface ColumnPart {
  /** Null if too many match to be sorted by a column. */
  readonly seqs: number[] | null
  /** The largest seq stored when this part was read. */
  readonly newest: number
  readonly isLast: boolean
}

/** The first part is as long as a window needs it. */
const FIRST = 500

/** Yields a column in parts: the first ones at once, then the rest. Rejects with the reason of the signal once it aborts. */
export async function* readColumn(
  client: Client,
  { query, from: start, ...order }: ColumnInput,
  signal: AbortSignal,
): AsyncGenerator<ColumnPart> {
  const limit = start === undefined ? { limit: FIRST } : {}
  for (let from = start, first = true; ; first = false) {
    const input = {
      ...(query === '' ? {} : { query }),
      ...order,
      ...(from === undefined ? {} : { from }),
      ...(first ? limit : {}),
    }
    const part: OutputOf<'deliveries.seqs'> = await client.call('deliveries.seqs', input, {
      signal,
    })
    const { seqs, next, newest } = part
    yield { seqs: seqs && unpackSeqs(seqs), newest, isLast: next === null }
    if (next === null) return
    from = next
  }
}
