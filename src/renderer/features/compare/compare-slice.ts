/** How two deliveries or texts are compared, and what leads there. Which ones, and the tab, are in the address. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { CoreSlice } from '../../ui-state/core-slice.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import { isRouted, type NavigationSlice } from '../../ui-state/navigation-slice.ts'
import type { CompareTab, Params } from '../../ui-state/routes.ts'

export type SideName = 'left' | 'right'

export type SideChoice =
  | { readonly kind: 'delivery'; readonly id: string }
  | { readonly kind: 'text'; readonly text: string }

/** A side in the address, besides a delivery's ID: a text is known until the page is reloaded. */
const NONE = 'none'
const TEXT = 'text'

/** The side that a part of the address names. */
export function sideChoice(named: string | undefined, text: string): SideChoice | null {
  if (named === undefined || named === NONE) return null
  if (named !== TEXT) return { kind: 'delivery', id: named }
  return text === '' ? null : { kind: 'text', text }
}

interface Display {
  /** Pasted texts, by side. */
  readonly texts: Readonly<Record<SideName, string>>
  readonly layout: 'split' | 'unified'
  readonly ignoreVolatile: boolean
  /** Formats JSON before comparing lines. */
  readonly formatted: boolean
  /** Shows lines without differences. */
  readonly isWhole: boolean
  /** The current difference, and the number of differences. */
  readonly changeAt: number
  readonly changeCount: number
  readonly choosing: SideName
  /** The delivery set as A, waiting for B. */
  readonly marked: DeliveryRow | null
}

const first: Display = {
  texts: { left: '', right: '' },
  layout: 'split',
  ignoreVolatile: true,
  formatted: true,
  isWhole: false,
  changeAt: 0,
  changeCount: 0,
  choosing: 'left',
  marked: null,
}

interface CompareContext {
  readonly core: CoreSlice
  readonly navigation: NavigationSlice
}

export function createCompareSlice({
  act,
  client,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<Display, CompareContext>) {
  const here = () => app().navigation.at.compare
  subscribe((now, before) => {
    if (isRouted('compare', now, before)) set({ changeAt: 0 })
  })
  const withSide = (
    { left = NONE, right = NONE, tab }: Params<'compare'>,
    name: SideName,
    choice: SideChoice | null,
  ): Params<'compare'> => {
    if (choice?.kind === 'text') set({ texts: { ...get().texts, [name]: choice.text } })
    const named = choice === null ? NONE : choice.kind === 'text' ? TEXT : choice.id
    return { left, right, tab, [name]: named }
  }

  return {
    ...first,

    /** Uses the best suggestion for the right side if there is no left one. */
    async start(left: SideChoice | null, right: SideChoice) {
      set({ marked: null, changeAt: 0 })
      const address = withSide(withSide(here(), 'left', left), 'right', right)
      app().navigation.go('compare', address)
      if (left !== null || right.kind !== 'delivery') return
      const found = await act('Nothing to compare with yet', () =>
        client.call('compare.offers', { deliveryId: right.id }),
      )
      const [likeliest] = found?.offers ?? []
      if (likeliest !== undefined && here().right === right.id && here().left === NONE)
        app().navigation.select(
          'compare',
          withSide(here(), 'left', { kind: 'delivery', id: likeliest.delivery.id }),
        )
    },
    setSide(name: SideName, choice: SideChoice) {
      app().navigation.select('compare', withSide(here(), name, choice))
    },
    chooseSide(choosing: SideName) {
      set({ choosing })
      app().navigation.openOverlay('compare-choose')
    },
    swapSides() {
      const { left, right, ...rest } = here()
      const { texts } = get()
      set({ texts: { left: texts.right, right: texts.left } })
      app().navigation.select('compare', { ...rest, left: right, right: left })
    },
    setTab(tab: CompareTab) {
      app().navigation.select('compare', { ...here(), tab })
    },
    display(change: Partial<Pick<Display, 'layout' | 'ignoreVolatile' | 'formatted' | 'isWhole'>>) {
      set({ ...change, changeAt: 'layout' in change ? get().changeAt : 0 })
    },
    setChangeAt(changeAt: number) {
      set({ changeAt })
    },
    setChangeCount(changeCount: number) {
      set(({ changeAt }) => ({
        changeCount,
        changeAt: Math.max(0, Math.min(changeAt, changeCount - 1)),
      }))
    },
    /** Moves to the next or previous difference, wrapping around. */
    stepChange(by: 1 | -1) {
      const { changeAt, changeCount } = get()
      if (changeCount > 0) set({ changeAt: (changeAt + by + changeCount) % changeCount })
    },
    mark(marked: DeliveryRow | null) {
      set({ marked })
    },
  }
}
