/** Which of the rows that are there match the filter, where it marks instead of hiding; and how many do in all. */
import type { StateCreator } from 'zustand/vanilla'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'
import type { FilterSlice } from './filter-slice.ts'
import type { ListPart } from './list-loader.ts'
import type { ListState } from './list-updates.ts'

const AT_ONCE = 500
const GATHER_MS = 60
/** How long the first count is waited for; what is counted by then is told as "at least". */
const PATIENCE_MS = 400
const RECOUNT_MS = 1_000

export interface MarkedCount {
  readonly count: number
  /** False while older deliveries are still to be looked at. */
  readonly whole: boolean
}

export interface FilterMarksSlice {
  /** By seq, whether the row matches; what is not here is not known yet. */
  readonly marks: ReadonlyMap<number, boolean>
  readonly marked: MarkedCount | null
  /** Asks anew for rows that have changed. */
  forgetMarks(rows: readonly DeliveryRow[]): void
}

const NO_MARKS: ReadonlyMap<number, boolean> = new Map()

function seqsOf(list: ListState): number[] {
  const inPages = [...list.pages.values()].flatMap((page) => page.flatMap((row) => (row === undefined ? [] : [row.seq])))
  return [...list.head.map(({ seq }) => seq), ...inPages]
}

type Surroundings = FilterMarksSlice & FilterSlice & ListPart

export function createFilterMarksSlice({ client, notify }: SliceContext): StateCreator<Surroundings, [], [], FilterMarksSlice> {
  return (set, get, api) => {
    /** What marks are asked for; an answer for another filter is thrown away. */
    let marking = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    let counter: ReturnType<typeof setTimeout> | undefined
    let asking = false

    const fail = (error: unknown) => {
      if (!isQuiet(error)) notify({ tone: 'bad', title: 'The rows could not be marked', message: sentenceOf(error) })
    }

    const ask = async () => {
      if (asking || marking === '') return
      const seqs = seqsOf(get().list)
        .filter((seq) => !get().marks.has(seq))
        .slice(0, AT_ONCE)
      if (seqs.length === 0) return
      asking = true
      const query = marking
      try {
        const found = new Set((await client.call('deliveries.matching', { query, seqs })).seqs)
        if (query === marking)
          set(({ marks }) => ({ marks: new Map([...marks, ...seqs.map((seq) => [seq, found.has(seq)] as const)]) }))
      } catch (error) {
        fail(error)
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
        const { total, next } = await client.call('deliveries.anchors', { query, pageSize: 1_000, patience: PATIENCE_MS })
        if (query === marking) set({ marked: { count: total, whole: next === null } })
      } catch (error) {
        fail(error)
      }
    }

    const later = () => {
      clearTimeout(timer)
      timer = setTimeout(() => void ask(), GATHER_MS)
    }

    api.subscribe((state, before) => {
      const wanted = state.filterMode === 'mark' ? state.filter : ''
      if (wanted !== marking) {
        marking = wanted
        set({ marks: NO_MARKS, marked: null })
        if (wanted !== '') void Promise.all([ask(), count()])
        return
      }
      if (marking === '' || state.list === before.list) return
      later()
      if (state.list.arrived !== before.list.arrived) {
        clearTimeout(counter)
        counter = setTimeout(() => void count(), RECOUNT_MS)
      }
    })

    return {
      marks: NO_MARKS,
      marked: null,
      forgetMarks(rows) {
        const { marks } = get()
        if (!rows.some(({ seq }) => marks.has(seq))) return
        const gone = new Set(rows.map(({ seq }) => seq))
        set({ marks: new Map([...marks].filter(([seq]) => !gone.has(seq))) })
        later()
      },
    }
  }
}
