/** The deliveries selected in the list, besides its current row. */
import { MOST_NAMED } from '../../../shared/contract/nouns/command.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'

export interface SelectionSlice {
  /** By seq. */
  readonly rows: ReadonlyMap<number, DeliveryRow>
  /** Whether more match than can be selected; the selected ones are the newest. */
  readonly ofMore: boolean
  toggle(row: DeliveryRow): void
  add(rows: readonly DeliveryRow[]): void
  /** Selects all matching rows, or the newest of them up to the limit of an action. */
  selectAll(): Promise<void>
  /** Applies changes to selected deliveries. */
  refresh(rows: readonly DeliveryRow[]): void
  /** Removes deleted deliveries from the selection. */
  forget(isGone: (seq: number) => boolean): void
  clear(): void
}

const none: ReadonlyMap<number, DeliveryRow> = new Map()
/** Rows loaded per call. */
const PAGE = 1_000

export function createSelectionSlice({
  client,
  fail,
  set,
  get,
  app,
}: FeatureTools<
  SelectionSlice,
  { readonly filter: { readonly applied: string } }
>): SelectionSlice {
  let reading = new AbortController()

  /** Newest first, with one more than the limit if there are more. */
  const readAll = async (query: string, signal: AbortSignal) => {
    const rows: DeliveryRow[] = []
    for (let from: number | undefined; rows.length <= MOST_NAMED;) {
      const limit = Math.min(PAGE, MOST_NAMED + 1 - rows.length)
      const input = {
        ...(query === '' ? {} : { query }),
        ...(from === undefined ? {} : { from }),
        limit,
      }
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
    set({ rows: picked, ofMore: false })
  }

  return {
    rows: none,
    ofMore: false,
    toggle(row) {
      const next = new Map(get().rows)
      if (!next.delete(row.seq)) next.set(row.seq, row)
      put(next)
    },
    add(rows) {
      put(new Map([...get().rows, ...bySeq(rows)]))
    },
    async selectAll() {
      reading.abort()
      reading = new AbortController()
      const { signal } = reading
      try {
        const rows = await readAll(app().filter.applied, signal)
        if (!signal.aborted)
          set({ rows: new Map(bySeq(rows.slice(0, MOST_NAMED))), ofMore: rows.length > MOST_NAMED })
      } catch (error) {
        fail("Couldn't select deliveries", error)
      }
    },
    refresh(rows) {
      const { rows: picked } = get()
      const changed = rows.filter(({ seq }) => picked.has(seq))
      if (changed.length > 0) set({ rows: new Map([...picked, ...bySeq(changed)]) })
    },
    forget(isGone) {
      const { rows } = get()
      if ([...rows.keys()].some(isGone))
        set({ rows: new Map([...rows].filter(([seq]) => !isGone(seq))) })
    },
    clear() {
      put(none)
    },
  }
}

function bySeq(rows: readonly DeliveryRow[]): (readonly [number, DeliveryRow])[] {
  return rows.map((row) => [row.seq, row] as const)
}
