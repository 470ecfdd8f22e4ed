/** The tools a feature's state is built with: its own part of the store, other features, and the client. */
import { isQuiet, sentenceOf, type SliceContext, type Notice } from './slice-context.ts'

export interface FeatureTools<State, Around = unknown> extends SliceContext {
  /** The feature's own state. */
  readonly get: () => State
  readonly set: (change: Partial<State> | ((state: State) => Partial<State>)) => void
  /** The state of other features, limited to what this one uses. */
  readonly app: () => Around
  readonly subscribe: (listener: (app: Around, before: Around) => void) => () => void
  readonly act: Act
  readonly fail: Fail
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

/** The tools of one feature, whose state is stored under its name. */
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

/** A newest-first list with one item replaced in place, or added at the top if it is new. */
export function withItem<Item extends { readonly id: string }>(
  list: readonly Item[] | null,
  item: Item,
): readonly Item[] {
  const items = list ?? []
  return items.some(({ id }) => id === item.id)
    ? items.map((one) => (one.id === item.id ? item : one))
    : [item, ...items]
}

// Runs a user action: its progress, the notice on success (which may offer an undo) and the notice on failure.

interface ActEnds<T> {
  /** Called when the action starts and when it ends. */
  readonly busy?: (busy: boolean) => void
  /** The notice on success; null for no notice. */
  readonly done?: (value: T) => Notice | null
  /** Whether the result still matters; false if it was superseded. */
  readonly wanted?: () => boolean
}

/** Resolves with the call's result, or with undefined if it failed or was superseded. `title` is the notice's title on failure. */
type Act = <T>(title: string, call: () => Promise<T>, ends?: ActEnds<T>) => Promise<T | undefined>

/** Shows a failed action. Lost connections have the banner instead, and cancelled calls need no notice. */
type Fail = (title: string, error: unknown) => void

function createFail(notify: (notice: Notice) => unknown): Fail {
  return (title, error) => {
    if (!isQuiet(error)) notify({ tone: 'bad', title, message: sentenceOf(error) })
  }
}

export function createAct(notify: (notice: Notice) => unknown): Act {
  const fail = createFail(notify)
  return async (title, call, { busy, done, wanted = () => true } = {}) => {
    busy?.(true)
    let value
    try {
      value = await call()
    } catch (error) {
      if (wanted()) fail(title, error)
      return undefined
    } finally {
      busy?.(false)
    }
    if (!wanted()) return undefined
    const notice = done?.(value) ?? null
    if (notice !== null) notify(notice)
    return value
  }
}
