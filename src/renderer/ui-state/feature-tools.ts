/** The tools a feature's state is built with: its own part of the store, other features, and what the window knows of the core. */
import type { Capabilities } from '../../shared/contract/native.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { isQuiet, sentenceOf, type Notice, type Notify } from '../core-data/act.ts'
import type { Data } from '../core-data/data.ts'

/** What the host gives the store. */
export interface SliceContext {
  readonly data: Data
  readonly capabilities: Capabilities
  readonly notify: Notify
}

/** Provides the Undo button of a notice; the undo key does the same while the notice is shown. */
export interface OffersUndo {
  offerUndo(undo: () => void, forMs: number): Pick<Notice, 'action' | 'shownForMs'>
}

export interface FeatureTools<State, Around = unknown>
  extends SliceContext, Pick<Data, 'act' | 'fail'> {
  readonly client: Client
  /** The feature's own state. */
  readonly get: () => State
  readonly set: (change: Partial<State> | ((state: State) => Partial<State>)) => void
  /** The state of other features, limited to what this one uses. */
  readonly app: () => Around
  readonly subscribe: (listener: (app: Around, before: Around) => void) => () => void
  /** Loads state from the core. On failure the previous value stays, and the last-named member holds the reason. */
  readonly resource: (
    read: () => Promise<Partial<State>>,
    problem: keyof State,
  ) => () => Promise<void>
}

/** The store's own `set`, `get` and `subscribe`, across all features. */
interface StoreTools<All> {
  readonly set: (change: (all: All) => Partial<All>) => void
  readonly get: () => All
  readonly subscribe: (listener: (all: All, before: All) => void) => () => void
}

export function featureTools<All, Name extends keyof All>(
  name: Name,
  context: SliceContext,
  { set, get, subscribe }: StoreTools<All>,
): FeatureTools<All[Name], All> {
  const setOwn: FeatureTools<All[Name], All>['set'] = (change) =>
    set((all) => {
      const state = all[name]
      return {
        [name]: { ...state, ...(typeof change === 'function' ? change(state) : change) },
      } as unknown as Partial<All>
    })
  const put = (change: object) => setOwn(change)
  const { client, act, fail } = context.data
  return {
    ...context,
    client,
    act,
    fail,
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
