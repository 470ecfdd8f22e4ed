/** Data related to the open delivery: its lifecycle, its attempts, and suggested comparisons. */
import type { ComparisonOffer } from '../../../shared/model/comparison.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Attempt, Lifecycle } from '../../../shared/model/lifecycle.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet, sentenceOf } from '../../data/act.ts'
import type { DetailSlice } from './detail-slice.ts'

/** Data loaded for one delivery. The previous value stays until the next one is loaded. */
export interface ReadFor<T> {
  readonly id: string
  readonly value: T | null
  readonly problem: string | null
}

export interface LifecycleSlice {
  readonly lifecycle: ReadFor<Lifecycle> | null
  readonly checkedAttempts: ReadFor<readonly Attempt[]> | null
  readonly comparisonOffers: ReadFor<readonly ComparisonOffer[]> | null
  readLifecycle(id: string): Promise<void>
  readAttempts(id: string): Promise<void>
  readOffers(id: string): Promise<void>
  /** Opens the nearest delivery of the same hook and event. */
  openAlike(by: 1 | -1): Promise<void>
}

/** What the slice needs from the list. */
interface ListOfLifecycle {
  readonly list: { moveSelection(by: number): Promise<DeliveryRow | null> }
}

export function createLifecycleSlice({
  client,
  act,
  set,
  get,
  app,
}: FeatureTools<LifecycleSlice & DetailSlice, ListOfLifecycle>): LifecycleSlice {
  /** Only the last call of each kind counts. Its failure keeps the previous value. */
  const reader = <K extends 'lifecycle' | 'checkedAttempts' | 'comparisonOffers'>(
    name: K,
    call: (id: string) => Promise<NonNullable<NonNullable<LifecycleSlice[K]>['value']>>,
  ) => {
    let latest = 0
    return async (id: string) => {
      const mine = ++latest
      try {
        const value = await call(id)
        if (mine === latest) set({ [name]: { id, value, problem: null } })
      } catch (error) {
        if (mine !== latest || isQuiet(error)) return
        const before = get()[name]
        set({
          [name]: {
            id,
            value: before?.id === id ? before.value : null,
            problem: sentenceOf(error),
          },
        })
      }
    }
  }

  return {
    lifecycle: null,
    checkedAttempts: null,
    comparisonOffers: null,
    readLifecycle: reader('lifecycle', (deliveryId) =>
      client.call('lifecycle.get', { deliveryId }),
    ),
    readAttempts: reader(
      'checkedAttempts',
      async (deliveryId) => (await client.call('lifecycle.attempts', { deliveryId })).attempts,
    ),
    readOffers: reader(
      'comparisonOffers',
      async (deliveryId) => (await client.call('compare.offers', { deliveryId })).offers,
    ),
    async openAlike(by) {
      const row = await app().list.moveSelection(0)
      if (row === null) return
      await act(
        by < 0 ? "Couldn't find the previous delivery" : "Couldn't find the next delivery",
        async () => {
          const { row: found } = await client.call('compare.neighbour', { deliveryId: row.id, by })
          if (found !== null) await get().goTo(found.id)
          return found
        },
        {
          done: (found) =>
            found === null
              ? {
                  tone: 'ok',
                  title: by < 0 ? 'No earlier delivery' : 'No later delivery',
                  message: `This is the ${by < 0 ? 'first' : 'latest'} delivery of ${row.hookId === null ? 'this path' : 'this hook'} and event.`,
                }
              : null,
        },
      )
    },
  }
}
