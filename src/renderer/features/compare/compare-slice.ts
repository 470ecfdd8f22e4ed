/** The open comparison: which sides, its view, and the delivery that waits for another. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { CoreSlice } from '../../state/core-slice.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isRouted, type NavigationSlice } from '../../state/navigation-slice.ts'
import type { CompareTab, Params } from '../../state/routes.ts'
import type { SideChoice, SideName } from './sides.ts'

export interface CompareSlice {
  readonly choice: Readonly<Record<SideName, SideChoice | null>>
  readonly tab: CompareTab
  readonly layout: 'split' | 'unified'
  readonly ignoreVolatile: boolean
  /** Formats JSON before comparing lines. */
  readonly formatted: boolean
  /** The current difference, and the number of differences. */
  readonly changeAt: number
  readonly changeCount: number
  /** The side being selected. */
  readonly choosing: SideName
  /** The delivery set as A, waiting for B. */
  readonly marked: DeliveryRow | null

  /** Compares two sides. Without a left side, the best suggestion for the right one is used. */
  start(left: SideChoice | null, right: SideChoice): Promise<void>
  setSide(name: SideName, choice: SideChoice): void
  chooseSide(name: SideName): void
  swapSides(): void
  setTab(tab: CompareTab): void
  setLayout(layout: 'split' | 'unified'): void
  setIgnoreVolatile(ignore: boolean): void
  setFormatted(formatted: boolean): void
  setChangeAt(change: number): void
  setChangeCount(count: number): void
  /** Moves to the next or previous difference, wrapping around. */
  stepChange(by: 1 | -1): void
  mark(row: DeliveryRow | null): void
}

export function createCompareSlice({
  act,
  client,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<
  CompareSlice,
  { readonly core: CoreSlice; readonly navigation: NavigationSlice }
>): CompareSlice {
  /** The address of the two sides; pasted text has no address. */
  const shown = () => {
    const { choice, tab } = get()
    const { left, right } = choice
    return left?.kind === 'delivery' && right?.kind === 'delivery'
      ? { left: left.id, right: right.id, tab }
      : {}
  }
  const select = () => app().navigation.select('compare', shown())
  subscribe((state, before) => {
    if (!isRouted('compare', state, before)) return
    const { left, right, tab = get().tab } = state.navigation.at.compare
    if (tab !== get().tab) set({ tab, changeAt: 0 })
    const now: Params<'compare'> = shown()
    if (left === undefined || right === undefined) return
    if (now.left !== left || now.right !== right)
      void get().start({ kind: 'delivery', id: left }, { kind: 'delivery', id: right })
  })

  return {
    choice: { left: null, right: null },
    tab: 'structure',
    layout: 'split',
    ignoreVolatile: true,
    formatted: true,
    changeAt: 0,
    changeCount: 0,
    choosing: 'left',
    marked: null,

    async start(left, right) {
      set({ marked: null, choice: { left, right }, changeAt: 0 })
      app().navigation.go('compare', shown())
      if (left !== null || right.kind !== 'delivery') return
      const found = await act('Nothing to compare with yet', () =>
        client.call('compare.offers', { deliveryId: right.id }),
      )
      const [likeliest] = found?.offers ?? []
      if (likeliest !== undefined && get().choice.right === right)
        get().setSide('left', { kind: 'delivery', id: likeliest.delivery.id })
    },
    setSide(name, choice) {
      set((before) => ({ choice: { ...before.choice, [name]: choice }, changeAt: 0 }))
      select()
    },
    chooseSide(name) {
      set({ choosing: name })
      app().navigation.openOverlay('compare-choose')
    },
    swapSides() {
      set(({ choice: { left, right } }) => ({ choice: { left: right, right: left }, changeAt: 0 }))
      select()
    },
    setTab(tab) {
      set({ tab, changeAt: 0 })
      select()
    },
    setLayout(compareLayout) {
      set({ layout: compareLayout })
    },
    setIgnoreVolatile(ignoreVolatile) {
      set({ ignoreVolatile, changeAt: 0 })
    },
    setFormatted(formatted) {
      set({ formatted, changeAt: 0 })
    },
    setChangeAt(changeAt) {
      set({ changeAt })
    },
    setChangeCount(changeCount) {
      set(({ changeAt }) => ({
        changeCount,
        changeAt: Math.max(0, Math.min(changeAt, changeCount - 1)),
      }))
    },
    stepChange(by) {
      const { changeAt, changeCount } = get()
      if (changeCount > 0) set({ changeAt: (changeAt + by + changeCount) % changeCount })
    },
    mark(markedForCompare) {
      set({ marked: markedForCompare })
    },
  }
}
