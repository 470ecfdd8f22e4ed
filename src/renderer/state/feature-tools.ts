/** What the state of a feature is made with: its own part of the store, what it asks of other features, and the way to the core. */
import { createAct, createFail, type Act, type Fail } from './act.ts'
import { isQuiet, sentenceOf, type SliceContext } from './slice-context.ts'

export interface FeatureTools<State, Around = unknown> extends SliceContext {
  /** The feature's own state. */
  readonly get: () => State
  readonly set: (change: Partial<State> | ((state: State) => Partial<State>)) => void
  /** The state of the other features, as far as this one reads and calls them. */
  readonly app: () => Around
  readonly subscribe: (listener: (app: Around, before: Around) => void) => () => void
  readonly act: Act
  readonly fail: Fail
  /** Reads state that lives in the core. If that fails, what was there stays, and the member named last says why. */
  readonly resource: (read: () => Promise<Partial<State>>, problem: keyof State) => () => Promise<void>
}

/** The store's own `set`, `get` and `subscribe`, over all features. */
export interface StoreTools<All> {
  readonly set: (change: (all: All) => Partial<All>) => void
  readonly get: () => All
  readonly subscribe: (listener: (all: All, before: All) => void) => () => void
}

/** The tools of one feature, whose state lies under its name. */
export function featureTools<All, Name extends keyof All>(
  name: Name,
  context: SliceContext,
  { set, get, subscribe }: StoreTools<All>,
): FeatureTools<All[Name], All> {
  const setOwn: FeatureTools<All[Name], All>['set'] = (change) => {
    set((all) => {
      const state = all[name]
      return { [name]: { ...state, ...(typeof change === 'function' ? change(state) : change) } } as unknown as Partial<All>
    })
  }
  const put = (change: object) => {
    setOwn(change)
  }
  return {
    ...context,
    act: createAct(context.notify),
    fail: createFail(context.notify),
    resource: (read, problem) => async () => {
      try {
        put({ ...(await read()), [problem]: null })
      } catch (error) {
        if (!isQuiet(error)) put({ [problem]: sentenceOf(error) })
      }
    },
    get: () => get()[name],
    set: setOwn,
    app: get,
    subscribe,
  }
}

/** A list, newest first, with one of its items as it is now: in its place, or first if it is new. */
export function withItem<Item extends { readonly id: string }>(list: readonly Item[] | null, item: Item): readonly Item[] {
  const items = list ?? []
  return items.some(({ id }) => id === item.id) ? items.map((one) => (one.id === item.id ? item : one)) : [item, ...items]
}
