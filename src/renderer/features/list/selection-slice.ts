/** The deliveries selected in the list, besides its current row. */
import { MOST_NAMED } from '../../../shared/contract/nouns/command.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { readColumn } from '../../../shared/rpc/seqs.ts'
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

  /** Newest first, up to the limit of an action. */
  const readAll = async (query: string, signal: AbortSignal) => {
    const seqs: number[] = []
    for await (const part of readColumn(client, { query }, signal)) {
      seqs.push(...(part.seqs ?? []))
      if (seqs.length > MOST_NAMED) break
    }
    const named = seqs.slice(0, MOST_NAMED)
    const rows: DeliveryRow[] = []
    for (let at = 0; at < named.length; at += PAGE) {
      const input = { seqs: named.slice(at, at + PAGE) }
      rows.push(...(await client.call('deliveries.rows', input, { signal })).rows)
    }
    return { rows, ofMore: seqs.length > MOST_NAMED }
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
        const { rows, ofMore } = await readAll(app().filter.applied, signal)
        if (!signal.aborted) set({ rows: new Map(bySeq(rows)), ofMore })
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
