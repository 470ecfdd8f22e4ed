/** The comparison that is shown: its two sides, how it is looked at, and what is ignored in it. */
import { AppError } from '../../../shared/contract/errors.ts'
import type { VolatileFields } from '../../../shared/diff/volatile.ts'
import type { ComparisonOffer, VolatileList } from '../../../shared/model/comparison.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { isQuiet, sentenceOf } from '../../state/slice-context.ts'
import { readSide, type Side, type SideChoice, type SideName } from './sides.ts'

export const compareTabs = ['structure', 'text', 'headers', 'signature'] as const
export type CompareTab = (typeof compareTabs)[number]

const SLOW_AFTER_MS = 150

export interface CompareSlice {
  readonly choice: Readonly<Record<SideName, SideChoice | null>>
  readonly sides: Readonly<Record<SideName, Side | null>>
  readonly phase: 'empty' | 'loading' | 'ready' | 'failed'
  /** Loading has taken so long that the screen says so. */
  readonly slow: boolean
  readonly problem: string | null
  /** The side whose delivery is not there any more. */
  readonly gone: SideName | null
  readonly tab: CompareTab
  readonly layout: 'split' | 'unified'
  readonly ignoreVolatile: boolean
  /** What is ignored for the hook of the right side, or else of the left one. */
  readonly volatileList: VolatileList | null
  /** JSON is laid out before its lines are compared. */
  readonly formatted: boolean
  /** Which of the differences is looked at, and how many there are. */
  readonly changeAt: number
  readonly changeCount: number
  /** The side that is being chosen. */
  readonly choosing: SideName
  /** What the other side is worth comparing with. */
  readonly offers: readonly ComparisonOffer[]
  /** The delivery that waits for a second one. */
  readonly marked: DeliveryRow | null

  /** Shows two sides beside each other; an absent left side is the likeliest one for the right. */
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
  /** Goes to the next or the previous difference, round and round. */
  stepChange(by: 1 | -1): void
  /** Sets the list of the hook; null: the usual one again. Resolves with the reason where it was refused. */
  keepVolatile(fields: VolatileFields | null): Promise<string | null>
  mark(row: DeliveryRow | null): void
  recentDeliveries(query: string): Promise<readonly DeliveryRow[]>
}

const NO_SIDES = { left: null, right: null } as const

function sideOf(settled: PromiseSettledResult<Side | null>): Side | null {
  return settled.status === 'fulfilled' ? settled.value : null
}

function isGone(settled: PromiseSettledResult<Side | null>): boolean {
  return settled.status === 'rejected' && settled.reason instanceof AppError && settled.reason.code === 'NOT_FOUND'
}

/** The hook whose list of ignored fields holds. */
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
}: FeatureTools<CompareSlice, { readonly navigation: NavigationSlice }>): CompareSlice {
  let loading: AbortController | null = null

  const offersFor = async (choice: SideChoice | null) =>
    choice?.kind === 'delivery' ? (await client.call('compare.offers', { deliveryId: choice.id })).offers : []

  /** Reads what is chosen; with both sides they are shown beside each other. What was compared before stays until then. */
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
        set(isQuiet(failed.reason) ? {} : { sides, gone: isGone(left) ? 'left' : isGone(right) ? 'right' : null })
        throw failed.reason
      }
      if (!isPair) {
        set({ sides })
        return
      }
      const volatileList = await client.call('compare.volatile', { hookId: hookOf(sides) })
      set({ sides, phase: 'ready', volatileList, changeAt: 0 })
    } catch (error) {
      if (!mine.signal.aborted && !isQuiet(error)) set({ phase: 'failed', problem: sentenceOf(error) })
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
      app().navigation.go('compare')
      if (left === null) {
        await act('Nothing to compare with yet', async () => {
          const [likeliest] = await offersFor(right)
          if (likeliest !== undefined) set({ choice: { left: { kind: 'delivery', id: likeliest.delivery.id }, right } })
        })
      }
      await load()
    },
    setSide(name, choice) {
      set(({ choice: compareChoice }) => ({ choice: { ...compareChoice, [name]: choice } }))
      void load()
    },
    chooseSide(name) {
      const other = get().choice[name === 'left' ? 'right' : 'left']
      set({ choosing: name, offers: [] })
      app().navigation.openOverlay('compare-choose')
      void offersFor(other).then(
        (compareOffers) => {
          set({ offers: compareOffers })
        },
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
      if (get().phase !== 'ready') void load()
    },
    setTab(compareTab) {
      set({ tab: compareTab, changeAt: 0 })
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
      set(({ changeAt }) => ({ changeCount, changeAt: Math.max(0, Math.min(changeAt, changeCount - 1)) }))
    },
    stepChange(by) {
      const { changeAt, changeCount } = get()
      if (changeCount > 0) set({ changeAt: (changeAt + by + changeCount) % changeCount })
    },
    async keepVolatile(fields) {
      try {
        set({
          volatileList: await client.call('compare.setVolatile', { hookId: hookOf(get().sides), fields }),
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
      const { rows } = await client.call('deliveries.page', { limit: 30, ...(query === '' ? {} : { query }) })
      return rows
    },
  }
}
