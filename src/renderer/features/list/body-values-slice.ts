/** Values of the list's body columns, read only for the rows in view. */
import type { CoreSlice } from '../../ui-state/core-slice.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'

export type BodyTexts = readonly (string | null)[]

interface BodyValuesState {
  /** Texts in the order of the columns, by seq. */
  readonly values: ReadonlyMap<number, BodyTexts>
}

interface BodyValuesContext {
  readonly core: Pick<CoreSlice, 'settings'>
}

/** Rows per call; a view has fewer. */
const MOST_READ = 100
/** Rows above which those out of view are dropped. */
const MOST_KEPT = 2_000

const noColumns: readonly string[] = []

/** Returns the paths of the body columns. */
export const bodyColumnsOf = ({ settings }: Pick<CoreSlice, 'settings'>): readonly string[] =>
  settings.window.bodyColumns ?? noColumns

export function createBodyValuesSlice({
  client,
  fail,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<BodyValuesState, BodyValuesContext>) {
  let shownSeqs: readonly number[] = []
  let isReading = false
  const paths = () => bodyColumnsOf(app().core)

  /** Reads one part at a time, so that fast scrolling skips rows that have left the view. */
  async function readShown(): Promise<void> {
    if (isReading) return
    isReading = true
    try {
      for (;;) {
        const current = paths()
        const { values } = get()
        const missing = shownSeqs.filter((seq) => !values.has(seq)).slice(0, MOST_READ)
        if (current.length === 0 || missing.length === 0) return
        const input = { seqs: missing, paths: [...current] }
        const { rows } = await client.call('deliveries.values', input)
        if (current.join('\n') === paths().join('\n')) add(missing, new Map(toEntries(rows)))
      }
    } catch (error) {
      fail("Couldn't read the columns", error)
    } finally {
      isReading = false
    }
  }

  function add(seqs: readonly number[], texts: ReadonlyMap<number, BodyTexts>): void {
    const shown = new Set(shownSeqs)
    set(({ values }) => {
      const kept = values.size > MOST_KEPT ? [...values].filter(([seq]) => shown.has(seq)) : values
      const next = new Map(kept)
      for (const seq of seqs) next.set(seq, texts.get(seq) ?? [])
      return { values: next }
    })
  }

  subscribe(({ core }, before) => {
    if (core.settings === before.core.settings) return
    if (bodyColumnsOf(core).join('\n') === bodyColumnsOf(before.core).join('\n')) return
    set({ values: new Map() })
    void readShown()
  })
  const initialState: BodyValuesState = { values: new Map() }
  return {
    ...initialState,
    show(seqs: readonly number[]) {
      shownSeqs = seqs
      void readShown()
    },
  }
}

const toEntries = (rows: readonly { readonly seq: number; readonly values: BodyTexts }[]) =>
  rows.map(({ seq, values }) => [seq, values] as const)
