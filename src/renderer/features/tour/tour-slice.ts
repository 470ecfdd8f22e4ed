/** State of the quick tour: its place, its results so far, and the calls of its buttons. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { FirstWalk } from '../../../shared/model/first-walk.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import type { EntitiesSlice } from '../../state/entities-slice.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet, sentenceOf, type OffersUndo } from '../../state/slice-context.ts'
import {
  bringBack,
  ensureHooks,
  leapToClearing,
  letCardPay,
  readWaiting,
  readTourRows,
  removeMade,
  sendAltered,
  setClockBack,
  tourEvents,
  tourHook,
  type Removed,
} from './tour-calls.ts'

/** What to open automatically when it arrives, because the tour's button caused it. */
export type TourFollows = 'auth' | 'altered' | 'clearing'

export interface TourSlice {
  /** The tour's deliveries, oldest first. */
  readonly rows: readonly DeliveryRow[]
  /** Everything opened during the tour: ids of deliveries, and `purchase`. */
  readonly seen: readonly string[]
  readonly busy: boolean
  /** Why the last call failed. */
  readonly problem: string | null
  /** Number of other items that depend on the sandbox clock. */
  readonly othersWait: number
  /** Number of enabled forward targets: they receive the tour's deliveries too. */
  readonly forwards: number
  readonly follows: TourFollows | null
  /** Incremented when the tour's panel should take the focus. */
  readonly focus: number
  /** Starts the tour, or continues an unfinished one. */
  begin(): Promise<void>
  put(change: Partial<FirstWalk>): Promise<void>
  setFollows(follows: TourFollows | null): void
  markSeen(what: string): void
  registerHooks(): Promise<void>
  pay(): Promise<void>
  alter(id: string): Promise<void>
  leap(): Promise<void>
  /**
   * Ends the tour. With `remove`, deletes what it created, which can be undone for ten seconds. Resolves with whether it succeeded.
   */
  finish(remove: boolean): Promise<boolean>
  /** Hides the tour, keeping its place; false if it isn't shown. */
  leave(): boolean
  /** Loads the tour's results and keeps them up to date. Returns a function that stops it. */
  watch(): () => void
}

const fresh: Omit<FirstWalk, 'after' | 'programId' | 'hookIds'> = {
  station: 'picture',
  shown: true,
  finished: false,
  leapMs: null,
}

export function createTourSlice({
  client,
  act,
  notify,
  set,
  get,
  app,
}: FeatureTools<
  TourSlice,
  { readonly core: EntitiesSlice; readonly marks: OffersUndo }
>): TourSlice {
  const tourOf = () => app().core.settings.firstWalk

  const readRows = async () => {
    const walk = tourOf()
    if (walk === null) return
    try {
      const tourRows = await readTourRows(client, walk)
      // Another tour may have begun meanwhile.
      if (tourOf()?.after === walk.after) set({ rows: tourRows })
    } catch (error) {
      if (!isQuiet(error)) set({ problem: sentenceOf(error) })
    }
  }
  const readOthers = async () => {
    try {
      set({ othersWait: (await readWaiting(client, tourOf()?.programId ?? null)).others })
    } catch {
      // The sandbox isn't running: shown separately, and loaded again when it changes.
    }
  }
  /** One call at a time, with errors shown in the panel. Resolves with whether it succeeded. */
  const doing = async (work: (walk: FirstWalk) => Promise<string | null>): Promise<boolean> => {
    const walk = tourOf()
    if (walk === null || get().busy) return false
    set({ busy: true, problem: null })
    let problem: string | null
    try {
      problem = await work(walk)
    } catch (error) {
      problem = sentenceOf(error)
    }
    set({ busy: false, problem, ...(problem === null ? {} : { follows: null }) })
    return problem === null
  }
  const ownHooks = (walk: FirstWalk): readonly Hook[] =>
    tourEvents.flatMap((event) => tourHook(walk, app().core.hooks, event) ?? [])

  const undo = async (walk: FirstWalk, hooks: readonly Hook[], removed: Removed) => {
    const bring = async () => {
      const made = await bringBack(client, walk, hooks, removed)
      for (const hook of made) app().core.putHook(hook)
      await get().put({ hookIds: made.map(({ id }) => id) })
    }
    await act("Couldn't restore everything", bring, {
      done: () => ({ tone: 'ok', title: 'Tour hooks and deliveries restored' }),
    })
  }

  return {
    rows: [],
    seen: [],
    busy: false,
    problem: null,
    othersWait: 0,
    forwards: 0,
    follows: null,
    focus: 0,

    async begin() {
      const before = tourOf()
      set(({ focus: tourFocus }) => ({ focus: tourFocus + 1, problem: null, follows: null }))
      if (before !== null && !before.finished) {
        await get().put({ shown: true })
        return
      }
      await act("Couldn't start the quick tour", async () => {
        const { rows } = await client.call('deliveries.page', { limit: 1 })
        const { programId = null, hookIds = [] } = before ?? {}
        set({ rows: [], seen: [] })
        await get().put({ ...fresh, after: rows[0]?.seq ?? 0, programId, hookIds })
      })
    },
    async put(change) {
      const walk = { ...fresh, after: 0, programId: null, hookIds: [], ...tourOf(), ...change }
      app().core.setSettings({ ...app().core.settings, firstWalk: walk })
      await act("Your place in the tour wasn't saved", () =>
        client.call('settings.set', { firstWalk: walk }),
      )
    },
    setFollows(tourFollows) {
      set({ follows: tourFollows })
    },
    markSeen(what) {
      const { seen } = get()
      if (!seen.includes(what)) set({ seen: [...seen, what] })
    },
    async registerHooks() {
      await doing(async (walk) => {
        const receiver = app().core.status?.receiver.url ?? null
        if (receiver === null) return "The receiver isn't listening, so there's no URL to register."
        await ensureHooks(client, walk, app().core.hooks, receiver, async (programId, made) => {
          for (const hook of made) app().core.putHook(hook)
          const ids = made.map(({ id }) => id)
          // Until both exist, the previous ones stay known too.
          const before =
            made.length < tourEvents.length ? walk.hookIds.filter((id) => !ids.includes(id)) : []
          await get().put({ programId, hookIds: [...ids, ...before] })
        })
        return null
      })
    },
    async pay() {
      await doing(async ({ programId }) =>
        programId === null ? 'Register the hooks first.' : letCardPay(client, programId),
      )
    },
    async alter(id) {
      set({ follows: 'altered' })
      await doing(() => sendAltered(client, id))
    },
    async leap() {
      set({ follows: 'clearing' })
      await doing(async ({ programId, leapMs }) => {
        if (programId === null) return 'Make a payment first.'
        const leapt = await leapToClearing(client, programId)
        if (leapt !== null) await get().put({ leapMs: (leapMs ?? 0) + leapt })
        return null
      })
    },
    async finish(remove) {
      const end = { shown: false, finished: true, leapMs: null }
      if (!remove) {
        return doing(async (walk) => {
          const clockReset = await setClockBack(client, walk)
          await get().put(end)
          notify({
            tone: 'ok',
            title: 'Quick tour finished',
            message: keptMessage(walk, clockReset),
          })
          return null
        })
      }
      return doing(async (walk) => {
        const hooks = ownHooks(walk)
        const removed = await removeMade(client, walk, hooks)
        await get().put({ ...end, hookIds: [] })
        notify({
          tone: 'ok',
          title: 'Tour hooks and deliveries removed',
          message: 'The program "Quick tour" stays in the sandbox until you reset it.',
          ...app().marks.offerUndo(() => void undo(walk, hooks, removed), removed.undoMs),
        })
        return null
      })
    },
    leave() {
      if (tourOf()?.shown !== true) return false
      void get().put({ shown: false })
      notify({
        tone: 'ok',
        title: 'You left the quick tour',
        message: 'Continue any time where you left off.',
        action: { label: 'Continue', run: () => void get().begin() },
      })
      return true
    },
    watch() {
      const readForwards = async () => {
        try {
          const { targets } = await client.call('forward.list', {})
          set({ forwards: targets.filter(({ on }) => on).length })
        } catch {
          // Only a note depends on this.
        }
      }
      const all = () => {
        void readRows()
        void readOthers()
        void readForwards()
      }
      const isOwn = ({ hookId }: DeliveryRow) =>
        hookId !== null && tourOf()?.hookIds.includes(hookId) === true
      const stops = [
        client.on('deliveries.changed', ({ added, updated, skipped }) => {
          if (skipped > 0 || added.some(isOwn) || updated.some(isOwn)) void readRows()
        }),
        client.on('deliveries.deleted', () => void readRows()),
        client.on('deliveries.restored', () => void readRows()),
        client.on('sandbox.changed', ({ parts }) => {
          if (parts.some((part) => part === 'clearings' || part === 'notifications'))
            void readOthers()
        }),
        client.on('forward.changed', ({ targets }) => {
          set({ forwards: targets.filter(({ on }) => on).length })
        }),
        client.onGap(all),
      ]
      all()
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

/** What finishing kept, and the state of the sandbox clock. */
function keptMessage({ leapMs }: FirstWalk, clockReset: boolean): string {
  const kept = 'Hooks and deliveries kept.'
  if (leapMs === null) return kept
  return clockReset
    ? `${kept} The sandbox clock shows real time again.`
    : `${kept} The sandbox clock stays ahead because deliveries are pending. Resetting the sandbox returns it to real time.`
}
