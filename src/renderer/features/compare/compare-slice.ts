/** The comparison that is shown: its two sides, how it is looked at, and what is ignored in it. */
import type { StateCreator } from 'zustand/vanilla'
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

export function createCompareSlice({
  client,
  notify,
}: SliceContext): StateCreator<CompareSlice & NavigationSlice, [], [], CompareSlice> {
  return (set, get) => {
    let loading: AbortController | null = null

    /** The hook whose list of ignored fields holds. */
    const hookId = () => {
      const { left, right } = get().compareSides
      const side = right?.kind === 'delivery' ? right : left
      return side?.kind === 'delivery' ? side.delivery.hookId : null
    }
    const offersFor = async (choice: SideChoice | null) =>
      choice?.kind === 'delivery' ? (await client.call('compare.offers', { deliveryId: choice.id })).offers : []

    const load = async () => {
      const { left, right } = get().compareChoice
      loading?.abort()
      if (left === null || right === null) {
        const only = right ?? left
        set({
          comparePhase: 'empty',
          compareSides: { left: null, right: null },
          compareOffers: await offersFor(only).catch(() => []),
        })
        return
      }
      const mine = new AbortController()
      loading = mine
      set({ comparePhase: get().comparePhase === 'ready' ? 'ready' : 'loading', compareProblem: null })
      const slow = setTimeout(() => {
        if (loading === mine) set({ compareSlow: true })
      }, SLOW_AFTER_MS)
      try {
        const [leftSide, rightSide] = await Promise.all([
          readSide(client, left, mine.signal),
          readSide(client, right, mine.signal),
        ])
        if (mine.signal.aborted) return
        const sides = { left: leftSide, right: rightSide }
        const hook =
          rightSide.kind === 'delivery'
            ? rightSide.delivery.hookId
            : leftSide.kind === 'delivery'
              ? leftSide.delivery.hookId
              : null
        const volatileList = await client.call('compare.volatile', { hookId: hook })
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
      compareSides: { left: null, right: null },
      comparePhase: 'empty',
      compareSlow: false,
      compareProblem: null,
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
          compareSides: { left: null, right: null },
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
          set({ volatileList: await client.call('compare.setVolatile', { hookId: hookId(), fields }), changeAt: 0 })
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
