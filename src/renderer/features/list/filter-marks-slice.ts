/** Highlights matches instead of hiding the rest: which of the loaded rows match, and the total. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { FilterSlice } from './filter-slice.ts'
import type { ListSlice } from './list-slice.ts'
import { indexAfter, indexOfSeq, type ListState } from './list-updates.ts'

const AT_ONCE = 500
const GATHER_MS = 60
/** How long to wait for the first count. A partial count is shown as "at least". */
const PATIENCE_MS = 400
const RECOUNT_MS = 1_000

export interface MarkedCount {
  readonly count: number
  /** False while older deliveries still have to be searched. */
  readonly whole: boolean
}

export interface FilterMarksSlice {
  /** Whether the row matches, by seq; missing if not known yet. */
  readonly matches: ReadonlyMap<number, boolean>
  readonly matchCount: MarkedCount | null
  /** Checks changed rows again. */
  forgetMatches(rows: readonly DeliveryRow[]): void
  /** Selects the match below (1), the one above (-1), or the first of all (0). After the last comes the first. */
  stepMatch(by: 1 | 0 | -1): Promise<void>
}

const NO_MARKS: ReadonlyMap<number, boolean> = new Map()

function seqsOf(list: ListState): number[] {
  const inPages = [...list.pages.values()].flatMap((page) =>
    page.flatMap((row) => (row === undefined ? [] : [row.seq])),
  )
  return [...list.head.map(({ seq }) => seq), ...inPages]
}

export function createFilterMarksSlice({
  client,
  fail,
  set,
  get,
  subscribe,
  app,
}: FeatureTools<
  FilterMarksSlice & FilterSlice,
  { readonly list: ListSlice; readonly filter: FilterSlice }
>): FilterMarksSlice {
  /** The filter being highlighted. Results for another filter are discarded. */
  let marking = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  let counter: ReturnType<typeof setTimeout> | undefined
  let asking = false

  const ask = async () => {
    if (asking || marking === '') return
    const seqs = seqsOf(app().list.rows)
      .filter((seq) => !get().matches.has(seq))
      .slice(0, AT_ONCE)
    if (seqs.length === 0) return
    asking = true
    const query = marking
    try {
      const found = new Set((await client.call('deliveries.matching', { query, seqs })).seqs)
      if (query === marking)
        set(({ matches: marks }) => ({
          matches: new Map([...marks, ...seqs.map((seq) => [seq, found.has(seq)] as const)]),
        }))
    } catch (error) {
      fail("Couldn't highlight matches", error)
      return
    } finally {
      asking = false
    }
    await ask()
  }

  const count = async () => {
    const query = marking
    if (query === '') return
    try {
      const { total, next } = await client.call('deliveries.anchors', {
        query,
        pageSize: 1_000,
        patience: PATIENCE_MS,
      })
      if (query === marking) set({ matchCount: { count: total, whole: next === null } })
    } catch (error) {
      fail("Couldn't count matches", error)
    }
  }

  const later = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void ask(), GATHER_MS)
  }

  subscribe((state, before) => {
    const wanted = state.filter.mode === 'mark' ? state.filter.applied : ''
    if (wanted !== marking) {
      marking = wanted
      set({ matches: NO_MARKS, matchCount: null })
      if (wanted !== '') void Promise.all([ask(), count(), get().stepMatch(0)])
      return
    }
    if (marking === '' || state.list.rows === before.list.rows) return
    later()
    if (state.list.rows.arrived !== before.list.rows.arrived) {
      clearTimeout(counter)
      counter = setTimeout(() => void count(), RECOUNT_MS)
    }
  })

  /** The first match among these deliveries, in their order. */
  const firstOf = async (query: string, seqs: readonly number[]) => {
    for (let from = 0; from < seqs.length && query === marking; from += AT_ONCE) {
      const piece = seqs.slice(from, from + AT_ONCE)
      const found = new Set((await client.call('deliveries.matching', { query, seqs: piece })).seqs)
      const first = piece.find((seq) => found.has(seq))
      if (first !== undefined) return first
    }
    return undefined
  }

  /** The match below a row of the list (1) or above it (-1), in the list's order; null: the first match below its top. */
  const matchFrom = async (
    query: string,
    from: number | null,
    by: 1 | -1,
  ): Promise<number | undefined> => {
    const { order, oldestFirst } = app().list.rows
    if (order !== null) {
      const place = from === null ? -1 : order.indexOf(from)
      return firstOf(
        query,
        by === 1 ? order.slice(place + 1) : order.slice(0, Math.max(0, place)).reverse(),
      )
    }
    const readsOldestFirst = oldestFirst !== (by === -1)
    const input = {
      query,
      oldestFirst: readsOldestFirst,
      limit: 1,
      ...(from === null ? {} : { from: readsOldestFirst ? from + 1 : from - 1 }),
    }
    return (await client.call('deliveries.page', input)).rows[0]?.seq
  }

  /** Selects a row of the unfiltered list, which may not have its page yet. */
  const show = async (seq: number) => {
    const { list } = app()
    const guess = indexOfSeq(list.rows, seq) ?? indexAfter(list.rows, seq)
    const row = await list.selectIndex(guess)
    const index = row?.seq === seq ? null : indexOfSeq(app().list.rows, seq)
    if (index !== null) await app().list.selectIndex(index)
  }

  return {
    matches: NO_MARKS,
    matchCount: null,
    async stepMatch(by) {
      const query = marking
      if (query === '') return
      try {
        const from = by === 0 ? null : app().list.selectedSeq
        const next = by === 0 || from === null ? undefined : await matchFrom(query, from, by)
        const found =
          next ?? (by === -1 && from !== null ? undefined : await matchFrom(query, null, 1))
        if (found !== undefined && query === marking) await show(found)
      } catch (error) {
        fail("Couldn't show the match", error)
      }
    },
    forgetMatches(rows) {
      const { matches } = get()
      if (!rows.some(({ seq }) => matches.has(seq))) return
      const gone = new Set(rows.map(({ seq }) => seq))
      set({ matches: new Map([...matches].filter(([seq]) => !gone.has(seq))) })
      later()
    },
  }
}
