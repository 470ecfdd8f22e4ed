/** Tools for building a feature's slice: its own state, other features, and the core's data. */
import type { Capabilities } from '../../shared/contract/native.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { isQuiet, sentenceOf, type Notice, type Notify } from '../core-data/act.ts'
import type { Data } from '../core-data/data.ts'

/** Parts of the host that the store needs. */
export interface SliceContext {
  readonly data: Data
  readonly capabilities: Capabilities
  readonly notify: Notify
}

/** Slice that can add an undo step and the notice's Undo button. */
export interface OffersUndo {
  offerUndo(undo: () => void, forMs: number): Pick<Notice, 'action' | 'shownForMs'>
}

export interface FeatureTools<State, Others = unknown>
  extends SliceContext, Pick<Data, 'act' | 'fail'> {
  readonly client: Client
  readonly get: () => State
  readonly set: (change: Partial<State> | ((state: State) => Partial<State>)) => void
  /** State of other features, limited to what this one uses. */
  readonly app: () => Others
  readonly subscribe: (listener: (app: Others, before: Others) => void) => () => void
  /**
   * Returns a function that loads state; on failure the previous state stays, and `problem` holds
   * the reason.
   */
  readonly resource: (
    read: () => Promise<Partial<State>>,
    problem: keyof State,
  ) => () => Promise<void>
}

/** The store's `set`, `get` and `subscribe`, across all features. */
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
