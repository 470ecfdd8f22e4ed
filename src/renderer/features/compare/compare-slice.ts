/** Display of the comparison, and commands that open one. Its sides and tab are in the address. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { CoreSlice } from '../../ui-state/core-slice.ts'
import type { Screen } from '../../screens.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import { hasAddressChanged, type NavigationSlice } from '../../ui-state/navigation-slice.ts'
import type { CompareTab, Params } from '../../ui-state/routes.ts'

export type SideName = 'left' | 'right'

export type SideChoice =
  | { readonly kind: 'delivery'; readonly id: string }
  | { readonly kind: 'text'; readonly text: string }

/** Values of a side in the address besides a delivery's ID. */
const NONE = 'none'
const TEXT = 'text'

/** Returns the side that a parameter of the address names. */
export function sideChoice(param: string | undefined, text: string): SideChoice | null {
  if (param === undefined || param === NONE) return null
  if (param !== TEXT) return { kind: 'delivery', id: param }
  return text === '' ? null : { kind: 'text', text }
}

interface Display {
  /** Pasted texts by side, kept until the page is reloaded. */
  readonly texts: Readonly<Record<SideName, string>>
  readonly layout: 'split' | 'unified'
  readonly ignoreVolatile: boolean
  /** Whether JSON is formatted before lines are compared. */
  readonly formatted: boolean
  /** Whether lines without differences are shown. */
  readonly isWhole: boolean
  /** Index of the current difference. */
  readonly changeAt: number
  readonly changeCount: number
  readonly choosing: SideName
  /** Screen that Back and Esc show again. */
  readonly from: Screen
  /** Delivery marked as A until B is chosen. */
  readonly marked: DeliveryRow | null
}

const initialDisplay: Display = {
  texts: { left: '', right: '' },
  layout: 'split',
  ignoreVolatile: true,
  formatted: true,
  isWhole: false,
  changeAt: 0,
  changeCount: 0,
  choosing: 'left',
  from: 'deliveries',
  marked: null,
}

interface CompareContext {
  readonly core: CoreSlice
  readonly navigation: NavigationSlice
}

/** Remembers the screen before the comparison; each comparison begins at its first difference. */
function followAddress({
  set,
  subscribe,
}: Pick<FeatureTools<Display, CompareContext>, 'set' | 'subscribe'>) {
  subscribe((now, before) => {
    if (hasAddressChanged('compare', now, before)) set({ changeAt: 0 })
    const { screen: from } = before.navigation
    if (now.navigation.screen === 'compare' && from !== 'compare') set({ from })
  })
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
  followAddress({ set, subscribe })
  const withSide = (
    { left = NONE, right = NONE, tab }: Params<'compare'>,
    name: SideName,
    choice: SideChoice | null,
  ): Params<'compare'> => {
    if (choice?.kind === 'text') set({ texts: { ...get().texts, [name]: choice.text } })
    const param = choice === null ? NONE : choice.kind === 'text' ? TEXT : choice.id
    return { left, right, tab, [name]: param }
  }

  return {
    ...initialDisplay,

    /** Opens a comparison; without a left side, uses the best suggestion. */
    async start(left: SideChoice | null, right: SideChoice) {
      set({ marked: null, changeAt: 0 })
      const address = withSide(withSide(here(), 'left', left), 'right', right)
      app().navigation.go('compare', address)
      if (left !== null || right.kind !== 'delivery') return
      const output = await act('Nothing to compare with yet', () =>
        client.call('compare.offers', { deliveryId: right.id }),
      )
      const [likeliest] = output?.offers ?? []
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
