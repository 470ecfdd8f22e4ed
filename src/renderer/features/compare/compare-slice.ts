/** The comparison that is shown: its two sides, how it is looked at, and what is ignored in it. */
import type { StateCreator } from 'zustand/vanilla'
import { AppError } from '../../../shared/contract/errors.ts'
import type { VolatileFields } from '../../../shared/diff/volatile.ts'
import type { ComparisonOffer, VolatileList } from '../../../shared/model/comparison.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { readSide, type Side, type SideChoice, type SideName } from './sides.ts'

export const compareTabs = ['structure', 'text', 'headers', 'signature'] as const
export type CompareTab = (typeof compareTabs)[number]

const SLOW_AFTER_MS = 150

export interface CompareSlice {
  readonly compareChoice: Readonly<Record<SideName, SideChoice | null>>
  readonly compareSides: Readonly<Record<SideName, Side | null>>
  readonly comparePhase: 'empty' | 'loading' | 'ready' | 'failed'
  /** Loading has taken so long that the screen says so. */
  readonly compareSlow: boolean
  readonly compareProblem: string | null
  /** The side whose delivery is not there any more. */
  readonly compareGone: SideName | null
  readonly compareTab: CompareTab
  readonly compareLayout: 'split' | 'unified'
  readonly ignoreVolatile: boolean
  /** What is ignored for the hook of the right side, or else of the left one. */
  readonly volatileList: VolatileList | null
  /** JSON is laid out before its lines are compared. */
  readonly compareFormatted: boolean
  /** Which of the differences is looked at, and how many there are. */
  readonly changeAt: number
  readonly changeCount: number
  /** The side that is being chosen. */
  readonly choosing: SideName
  /** What the other side is worth comparing with. */
  readonly compareOffers: readonly ComparisonOffer[]
  /** The delivery that waits for a second one. */
  readonly markedForCompare: DeliveryRow | null

  /** Shows two sides beside each other; an absent left side is the likeliest one for the right. */
  compare(left: SideChoice | null, right: SideChoice): Promise<void>
  setSide(name: SideName, choice: SideChoice): void
  chooseSide(name: SideName): void
  loadComparison(): Promise<void>
  swapSides(): void
  setCompareTab(tab: CompareTab): void
  setCompareLayout(layout: 'split' | 'unified'): void
  setIgnoreVolatile(ignore: boolean): void
  setCompareFormatted(formatted: boolean): void
  setChangeAt(change: number): void
  setChangeCount(count: number): void
  /** Goes to the next or the previous difference, round and round. */
  stepChange(by: 1 | -1): void
  /** Sets the list of the hook; null: the usual one again. Resolves with the reason where it was refused. */
  keepVolatile(fields: VolatileFields | null): Promise<string | null>
  markForCompare(row: DeliveryRow | null): void
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
function hookOf({ left, right }: CompareSlice['compareSides']): string | null {
  const side = right?.kind === 'delivery' ? right : left
  return side?.kind === 'delivery' ? side.delivery.hookId : null
}

export function createCompareSlice({
  client,
  notify,
}: SliceContext): StateCreator<CompareSlice & NavigationSlice, [], [], CompareSlice> {
  return (set, get) => {
    let loading: AbortController | null = null

    const offersFor = async (choice: SideChoice | null) =>
      choice?.kind === 'delivery' ? (await client.call('compare.offers', { deliveryId: choice.id })).offers : []

    /** Reads what is chosen; with both sides they are shown beside each other. What was compared before stays until then. */
    const load = async () => {
      const { compareChoice: choice, comparePhase } = get()
      loading?.abort()
      const mine = new AbortController()
      loading = mine
      const isPair = choice.left !== null && choice.right !== null
      if (!isPair) set({ comparePhase: 'empty', compareSides: NO_SIDES })
      else if (comparePhase !== 'ready') set({ comparePhase: 'loading', compareSides: NO_SIDES })
      set({ compareProblem: null, compareGone: null })
      const slow = setTimeout(() => {
        if (loading === mine) set({ compareSlow: true })
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
              : { compareSides: sides, compareGone: isGone(left) ? 'left' : isGone(right) ? 'right' : null },
          )
          throw failed.reason
        }
        if (!isPair) {
          set({ compareSides: sides })
          return
        }
        const volatileList = await client.call('compare.volatile', { hookId: hookOf(sides) })
        set({ compareSides: sides, comparePhase: 'ready', volatileList, changeAt: 0 })
      } catch (error) {
        if (!mine.signal.aborted && !isQuiet(error)) set({ comparePhase: 'failed', compareProblem: sentenceOf(error) })
      } finally {
        clearTimeout(slow)
        if (loading === mine) set({ compareSlow: false })
      }
    }

    return {
      compareChoice: { left: null, right: null },
      compareSides: NO_SIDES,
      comparePhase: 'empty',
      compareSlow: false,
      compareProblem: null,
      compareGone: null,
      compareTab: 'structure',
      compareLayout: 'split',
      ignoreVolatile: true,
      volatileList: null,
      compareFormatted: true,
      changeAt: 0,
      changeCount: 0,
      choosing: 'left',
      compareOffers: [],
      markedForCompare: null,

      async compare(left, right) {
        set({
          markedForCompare: null,
          compareChoice: { left, right },
          comparePhase: 'loading',
          compareSides: NO_SIDES,
        })
        get().go('compare')
        if (left === null) {
          try {
            const [likeliest] = await offersFor(right)
            if (likeliest !== undefined) set({ compareChoice: { left: { kind: 'delivery', id: likeliest.delivery.id }, right } })
          } catch (error) {
            if (!isQuiet(error))
              notify({ tone: 'bad', title: 'There is nothing to compare it with yet', message: sentenceOf(error) })
          }
        }
        await load()
      },
      setSide(name, choice) {
        set(({ compareChoice }) => ({ compareChoice: { ...compareChoice, [name]: choice } }))
        void load()
      },
      chooseSide(name) {
        const other = get().compareChoice[name === 'left' ? 'right' : 'left']
        set({ choosing: name, compareOffers: [] })
        get().openOverlay('compare-choose')
        void offersFor(other).then(
          (compareOffers) => {
            set({ compareOffers })
          },
          () => undefined,
        )
      },
      loadComparison: load,
      swapSides() {
        set(({ compareChoice, compareSides }) => ({
          compareChoice: { left: compareChoice.right, right: compareChoice.left },
          compareSides: { left: compareSides.right, right: compareSides.left },
          changeAt: 0,
        }))
        if (get().comparePhase !== 'ready') void load()
      },
      setCompareTab(compareTab) {
        set({ compareTab, changeAt: 0 })
      },
      setCompareLayout(compareLayout) {
        set({ compareLayout })
      },
      setIgnoreVolatile(ignoreVolatile) {
        set({ ignoreVolatile, changeAt: 0 })
      },
      setCompareFormatted(compareFormatted) {
        set({ compareFormatted, changeAt: 0 })
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
            volatileList: await client.call('compare.setVolatile', { hookId: hookOf(get().compareSides), fields }),
            changeAt: 0,
          })
          return null
        } catch (error) {
          return sentenceOf(error)
        }
      },
      markForCompare(markedForCompare) {
        set({ markedForCompare })
      },
      async recentDeliveries(query) {
        const { rows } = await client.call('deliveries.page', { limit: 30, ...(query === '' ? {} : { query }) })
        return rows
      },
    }
  }
}
