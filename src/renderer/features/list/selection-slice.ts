/** The multiple selection of the list. */
import { MOST_DELIVERY_REFS } from '../../../shared/contract/nouns/command.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { readSeqsInParts } from '../../../shared/rpc/delivery-seqs.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'

export type SelectionSlice = ReturnType<typeof createSelectionSlice>

interface Selection {
  /** Selected rows by seq. */
  readonly rows: ReadonlyMap<number, DeliveryRow>
  /** Whether more match than can be selected; the selected ones are the newest. */
  readonly ofMore: boolean
}

const emptySelection: Selection = { rows: new Map(), ofMore: false }
/** Rows loaded per call. */
const PAGE = 1_000

export function createSelectionSlice({
  client,
  fail,
  set,
  get,
  app,
}: FeatureTools<Selection, { readonly filter: { readonly applied: string } }>) {
  let reading = new AbortController()

  /** Reads the newest matches, up to the limit of an action. */
  const readAll = async (query: string, signal: AbortSignal) => {
    const seqs: number[] = []
    for await (const part of readSeqsInParts(client, { query }, signal)) {
      seqs.push(...(part.seqs ?? []))
      if (seqs.length > MOST_DELIVERY_REFS) break
    }
    const newest = seqs.slice(0, MOST_DELIVERY_REFS)
    const rows: DeliveryRow[] = []
    for (let at = 0; at < newest.length; at += PAGE) {
      const input = { seqs: newest.slice(at, at + PAGE) }
      rows.push(...(await client.call('deliveries.rows', input, { signal })).rows)
    }
    return { rows, ofMore: seqs.length > MOST_DELIVERY_REFS }
  }

  const put = (selected: ReadonlyMap<number, DeliveryRow>) => {
    reading.abort()
    set({ rows: selected, ofMore: false })
  }

  return {
    ...emptySelection,

    toggle(row: DeliveryRow) {
      const next = new Map(get().rows)
      if (!next.delete(row.seq)) next.set(row.seq, row)
      put(next)
    },
    add(rows: readonly DeliveryRow[]) {
      put(new Map([...get().rows, ...bySeq(rows)]))
    },
    /** Selects all matching rows, or the newest of them up to the limit of an action. */
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
    /** Applies changes to selected deliveries. */
    refresh(rows: readonly DeliveryRow[]) {
      const { rows: selected } = get()
      const changed = rows.filter(({ seq }) => selected.has(seq))
      if (changed.length > 0) set({ rows: new Map([...selected, ...bySeq(changed)]) })
    },
    /** Removes deleted deliveries from the selection. */
    forget(isGone: (seq: number) => boolean) {
      const { rows } = get()
      if ([...rows.keys()].some(isGone))
        set({ rows: new Map([...rows].filter(([seq]) => !isGone(seq))) })
    },
    clear() {
      put(emptySelection.rows)
    },
  }
}

function bySeq(rows: readonly DeliveryRow[]): (readonly [number, DeliveryRow])[] {
  return rows.map((row) => [row.seq, row] as const)
}
