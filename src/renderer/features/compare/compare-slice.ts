/** The open comparison: its two sides, its view, and its ignored fields. */
import { AppError } from '../../../shared/contract/errors.ts'
import type { VolatileFields } from '../../../shared/diff/rows.ts'
import type { ComparisonOffer, VolatileList } from '../../../shared/model/comparison.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { CoreSlice } from '../../state/core-slice.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isRouted, type NavigationSlice } from '../../state/navigation-slice.ts'
import type { CompareTab, Params } from '../../state/routes.ts'
import { isQuiet, sentenceOf } from '../../data/act.ts'
import { readSide, type Side, type SideChoice, type SideName } from './sides.ts'

const SLOW_AFTER_MS = 150

export interface CompareSlice {
  readonly choice: Readonly<Record<SideName, SideChoice | null>>
  readonly sides: Readonly<Record<SideName, Side | null>>
  readonly phase: 'empty' | 'loading' | 'ready' | 'failed'
  /** Loading takes long enough to show a placeholder. */
  readonly slow: boolean
  readonly problem: string | null
  /** The side whose delivery no longer exists. */
  readonly gone: SideName | null
  readonly tab: CompareTab
  readonly layout: 'split' | 'unified'
  readonly ignoreVolatile: boolean
  /** Ignored fields of the right side's hook, or else of the left side's. */
  readonly volatileList: VolatileList | null
  /** Formats JSON before comparing lines. */
  readonly formatted: boolean
  /** The current difference, and the number of differences. */
  readonly changeAt: number
  readonly changeCount: number
  /** The side being selected. */
  readonly choosing: SideName
  /** Suggestions for the other side. */
  readonly offers: readonly ComparisonOffer[]
  /** The delivery set as A, waiting for B. */
  readonly marked: DeliveryRow | null

  /** Compares two sides. Without a left side, the best suggestion for the right one is used. */
  start(left: SideChoice | null, right: SideChoice): Promise<void>
  setSide(name: SideName, choice: SideChoice): void
  chooseSide(name: SideName): void
  load(): Promise<void>
  swapSides(): void
  setTab(tab: CompareTab): void
  setLayout(layout: 'split' | 'unified'): void
  setIgnoreVolatile(ignore: boolean): void
  setFormatted(formatted: boolean): void
  setChangeAt(change: number): void
  setChangeCount(count: number): void
  /** Moves to the next or previous difference, wrapping around. */
  stepChange(by: 1 | -1): void
  /** Sets the hook's list of ignored fields; null restores the default. Resolves with the reason if it failed. */
  keepVolatile(fields: VolatileFields | null): Promise<string | null>
  mark(row: DeliveryRow | null): void
  recentDeliveries(query: string): Promise<readonly DeliveryRow[]>
}

const NO_SIDES = { left: null, right: null } as const

function sideOf(settled: PromiseSettledResult<Side | null>): Side | null {
  return settled.status === 'fulfilled' ? settled.value : null
}

function isGone(settled: PromiseSettledResult<Side | null>): boolean {
  return (
    settled.status === 'rejected' &&
    settled.reason instanceof AppError &&
    settled.reason.code === 'NOT_FOUND'
  )
}

/** The hook whose list of ignored fields applies. */
function hookOf({ left, right }: CompareSlice['sides']): string | null {
  const side = right?.kind === 'delivery' ? right : left
  return side?.kind === 'delivery' ? side.delivery.hookId : null
}

export function createCompareSlice({
  client,
  act,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<
  CompareSlice,
  { readonly core: CoreSlice; readonly navigation: NavigationSlice }
>): CompareSlice {
  let loading: AbortController | null = null

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

  const offersFor = async (choice: SideChoice | null) =>
    choice?.kind === 'delivery'
      ? (await client.call('compare.offers', { deliveryId: choice.id })).offers
      : []

  /** Loads the selected sides, and compares them once both are loaded. The previous comparison stays until then. */
  const load = async () => {
    const { choice, phase } = get()
    loading?.abort()
    const mine = new AbortController()
    loading = mine
    const isPair = choice.left !== null && choice.right !== null
    if (!isPair) set({ phase: 'empty', sides: NO_SIDES })
    else if (phase !== 'ready') set({ phase: 'loading', sides: NO_SIDES })
    set({ problem: null, gone: null })
    const slow = setTimeout(() => {
      if (loading === mine) set({ slow: true })
    }, SLOW_AFTER_MS)
    const read = async (name: SideName) => {
      const wanted = choice[name]
      return wanted === null ? null : readSide(client, wanted, mine.signal)
    }
    try {
      const [left, right] = await Promise.allSettled([read('left'), read('right')])
      if (mine.signal.aborted) return
      const sides = { left: sideOf(left), right: sideOf(right) }
      const failed = [left, right].find((settled) => settled.status === 'rejected')
      if (failed !== undefined) {
        set(
          isQuiet(failed.reason)
            ? {}
            : { sides, gone: isGone(left) ? 'left' : isGone(right) ? 'right' : null },
        )
        throw failed.reason
      }
      if (!isPair) {
        set({ sides })
        return
      }
      const volatileList = await client.call('compare.volatile', { hookId: hookOf(sides) })
      set({ sides, phase: 'ready', volatileList, changeAt: 0 })
    } catch (error) {
      if (!mine.signal.aborted && !isQuiet(error))
        set({ phase: 'failed', problem: sentenceOf(error) })
    } finally {
      clearTimeout(slow)
      if (loading === mine) set({ slow: false })
    }
  }

  return {
    choice: { left: null, right: null },
    sides: NO_SIDES,
    phase: 'empty',
    slow: false,
    problem: null,
    gone: null,
    tab: 'structure',
    layout: 'split',
    ignoreVolatile: true,
    volatileList: null,
    formatted: true,
    changeAt: 0,
    changeCount: 0,
    choosing: 'left',
    offers: [],
    marked: null,

    async start(left, right) {
      set({
        marked: null,
        choice: { left, right },
        phase: 'loading',
        sides: NO_SIDES,
      })
      app().navigation.go('compare', shown())
      if (left === null) {
        await act('Nothing to compare with yet', async () => {
          const [likeliest] = await offersFor(right)
          if (likeliest !== undefined)
            set({ choice: { left: { kind: 'delivery', id: likeliest.delivery.id }, right } })
          select()
        })
      }
      await load()
    },
    setSide(name, choice) {
      set(({ choice: compareChoice }) => ({ choice: { ...compareChoice, [name]: choice } }))
      select()
      void load()
    },
    chooseSide(name) {
      const other = get().choice[name === 'left' ? 'right' : 'left']
      set({ choosing: name, offers: [] })
      app().navigation.openOverlay('compare-choose')
      void offersFor(other).then(
        (compareOffers) => set({ offers: compareOffers }),
        () => undefined,
      )
    },
    load,
    swapSides() {
      set(({ choice: compareChoice, sides: compareSides }) => ({
        choice: { left: compareChoice.right, right: compareChoice.left },
        sides: { left: compareSides.right, right: compareSides.left },
        changeAt: 0,
      }))
      select()
      if (get().phase !== 'ready') void load()
    },
    setTab(compareTab) {
      set({ tab: compareTab, changeAt: 0 })
      select()
    },
    setLayout(compareLayout) {
      set({ layout: compareLayout })
    },
    setIgnoreVolatile(ignoreVolatile) {
      set({ ignoreVolatile, changeAt: 0 })
    },
    setFormatted(compareFormatted) {
      set({ formatted: compareFormatted, changeAt: 0 })
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
    async keepVolatile(fields) {
      try {
        set({
          volatileList: await client.call('compare.setVolatile', {
            hookId: hookOf(get().sides),
            fields,
          }),
          changeAt: 0,
        })
        return null
      } catch (error) {
        return sentenceOf(error)
      }
    },
    mark(markedForCompare) {
      set({ marked: markedForCompare })
    },
    async recentDeliveries(query) {
      const { rows } = await client.call('deliveries.page', {
        limit: 30,
        ...(query === '' ? {} : { query }),
      })
      return rows
    },
  }
}
