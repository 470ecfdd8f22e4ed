/** What the state of a feature is made with: its own part of the store, what it asks of other features, and the way to the core. */
import { createAct, createFail, type Act, type Fail } from './act.ts'
import type { SliceContext } from './slice-context.ts'

export interface FeatureTools<State, Around = unknown> extends SliceContext {
  /** The feature's own state. */
  readonly get: () => State
  readonly set: (change: Partial<State> | ((state: State) => Partial<State>)) => void
  /** The state of the other features, as far as this one reads and calls them. */
  readonly app: () => Around
  readonly subscribe: (listener: (app: Around, before: Around) => void) => () => void
  readonly act: Act
  readonly fail: Fail
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
  return {
    ...context,
    act: createAct(context.notify),
    fail: createFail(context.notify),
    get: () => get()[name],
    set: (change) => {
      set((all) => {
        const state = all[name]
        return { [name]: { ...state, ...(typeof change === 'function' ? change(state) : change) } } as unknown as Partial<All>
      })
    },
    app: get,
    subscribe,
  }
}
