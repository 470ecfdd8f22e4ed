/** Sequence numbers of deliveries (seqs): packed for transport, and read in parts. */
import type { OutputOf } from '../contract/contract.ts'
import type { SortKey } from '../model/delivery.ts'
import type { Client } from './client.ts'

/** Replaces seqs by differences, most of which have one digit: `[9000, 9001]` by `[9000, 1]`. */
export function packSeqs(seqs: readonly number[]): number[] {
  return seqs.map((seq, index) => (index === 0 ? seq : seq - (seqs[index - 1] ?? 0)))
}

export function unpackSeqs(packed: readonly number[]): number[] {
  let seq = 0
  return packed.map((difference) => (seq += difference))
}

export interface ColumnInput {
  readonly query: string
  /** Default: newest arrival first. */
  readonly by?: SortKey
  readonly descending?: boolean
  /** First seq to read; default: the first in this order. */
  readonly from?: number
}

export interface ColumnPart {
  /** Seqs in order; null if too many match to be sorted. */
  readonly seqs: number[] | null
  /** Largest seq stored at that time. */
  readonly newest: number
  readonly isLast: boolean
}

/** Seqs of the first part, which is short so that a list shows at once. */
const FIRST_PART_SEQS = 500

/** Yields the seqs of matching deliveries, until the signal aborts. */
export async function* readSeqsInParts(
  client: Client,
  { query, from: start, ...order }: ColumnInput,
  signal: AbortSignal,
): AsyncGenerator<ColumnPart> {
  const limit = start === undefined ? { limit: FIRST_PART_SEQS } : {}
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
