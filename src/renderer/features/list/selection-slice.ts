/** The deliveries that are selected in the list, beside the one that it stands on. */
import type { StateCreator } from 'zustand/vanilla'
import { MOST_NAMED } from '../../../shared/contract/nouns/delivery-refs.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'

export interface SelectionSlice {
  /** By seq. */
  readonly picked: ReadonlyMap<number, DeliveryRow>
  /** Whether more match than can be selected: those that are, are the newest. */
  readonly pickedOfMore: boolean
  togglePicked(row: DeliveryRow): void
  addPicked(rows: readonly DeliveryRow[]): void
  /** Selects all that the filter finds, or as many of the newest as an action takes. */
  pickAll(): Promise<void>
  /** Takes over what has changed of those selected. */
  refreshPicked(rows: readonly DeliveryRow[]): void
  clearPicked(): void
}

const none: ReadonlyMap<number, DeliveryRow> = new Map()
/** Rows that one call reads. */
const PAGE = 1_000

export function createSelectionSlice({
  client,
  notify,
}: SliceContext): StateCreator<SelectionSlice & { readonly filter: string }, [], [], SelectionSlice> {
  return (set, get) => {
    let reading = new AbortController()

    /** Newest first; one more than can be selected, where there are more. */
    const readAll = async (query: string, signal: AbortSignal) => {
      const rows: DeliveryRow[] = []
      for (let from: number | undefined; rows.length <= MOST_NAMED;) {
        const limit = Math.min(PAGE, MOST_NAMED + 1 - rows.length)
        const input = { ...(query === '' ? {} : { query }), ...(from === undefined ? {} : { from }), limit }
        const page = (await client.call('deliveries.page', input, { signal })).rows
        rows.push(...page)
        const last = page.at(-1)
        if (last === undefined || page.length < limit) break
        from = last.seq - 1
      }
      return rows
    }

    const put = (picked: ReadonlyMap<number, DeliveryRow>) => {
      reading.abort()
      set({ picked, pickedOfMore: false })
    }

    return {
      picked: none,
      pickedOfMore: false,
      togglePicked(row) {
        const next = new Map(get().picked)
        if (!next.delete(row.seq)) next.set(row.seq, row)
        put(next)
      },
      addPicked(rows) {
        put(new Map([...get().picked, ...bySeq(rows)]))
      },
      async pickAll() {
        reading.abort()
        reading = new AbortController()
        const { signal } = reading
        try {
          const rows = await readAll(get().filter, signal)
          if (!signal.aborted) set({ picked: new Map(bySeq(rows.slice(0, MOST_NAMED))), pickedOfMore: rows.length > MOST_NAMED })
        } catch (error) {
          if (!isQuiet(error)) notify({ tone: 'bad', title: 'Nothing was selected', message: sentenceOf(error) })
        }
      },
      refreshPicked(rows) {
        const { picked } = get()
        const changed = rows.filter(({ seq }) => picked.has(seq))
        if (changed.length > 0) set({ picked: new Map([...picked, ...bySeq(changed)]) })
      },
      clearPicked() {
        put(none)
      },
    }
  }
}

function bySeq(rows: readonly DeliveryRow[]): (readonly [number, DeliveryRow])[] {
  return rows.map((row) => [row.seq, row] as const)
}
