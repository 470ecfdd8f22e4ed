/** Starting, resuming and cancelling replays. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Replay } from '../../../shared/model/send.ts'
import { REPLAYS, withItem } from '../../core-data/events.ts'
import { settleCall } from '../../ui/call-problem.ts'
import type { replayAnnouncements } from './replay-announcements.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { authorityOf } from '../../ui-state/authorities-slice.ts'
import { currentHandler, partsByHook, partsFor } from './replay-parts.ts'
import type { ComposeInput, ReplayInput, ReplayTools } from './replay-state.ts'

/** Most requests of a replay that needs no confirmation. */
const MAX_UNCONFIRMED = 25

/** Most requests listed and sent again at once; the command line has no limit. */
export const MAX_SENDS = 1_000

type Announcements = ReturnType<typeof replayAnnouncements>

/**
 * Creates functions that start and follow replays; `abortStarts` cancels starts before any request
 * is sent.
 */
function replayStarter({ client, data, set, get }: ReplayTools, announcements: Announcements) {
  const starts = new Set<AbortController>()

  const follow = (replay: Replay) => {
    announcements.announceLater(replay.id)
    data.patch('replay.list', REPLAYS, ({ replays }) => ({
      // The event of its end can arrive before the start call returns.
      replays: replays.some(({ id }) => id === replay.id) ? replays : withItem(replays, replay),
    }))
    announcements.announceChanges()
  }

  const startWith = async <Started extends { readonly replay: Replay }>(
    call: (signal: AbortSignal) => Promise<Started>,
    words?: string,
  ) => {
    const controller = new AbortController()
    starts.add(controller)
    try {
      const started = await call(controller.signal)
      const { replay } = started
      if (words !== undefined) set({ sentWords: new Map(get().sentWords).set(replay.id, words) })
      follow(replay)
      return started
    } finally {
      starts.delete(controller)
    }
  }

  const start = async (input: InputOf<'replay.start'>, words?: string) =>
    (await startWith((signal) => client.call('replay.start', input, { signal }), words)).replay

  const compose = (input: ComposeInput, words: string) =>
    startWith((signal) => client.call('replay.compose', input, { signal }), words)

  const abortStarts = () => {
    for (const controller of starts) controller.abort()
    return starts.size > 0
  }
  return { follow, start, compose, abortStarts }
}

export function replayActions(
  tools: ReplayTools,
  announcements: Announcements,
  show: (replayId: string) => void,
) {
  const { client, act, fail, set, app } = tools
  const starter = replayStarter(tools, announcements)
  const { start, compose, abortStarts } = starter
  return {
    /** Sends deliveries to the current handler, else to their hook's last target; else asks. */
    async replayToDefault(rows: readonly DeliveryRow[]) {
      if (rows.length === 0) return
      let isPartlySent = false
      try {
        const current = currentHandler(tools)
        const parts =
          current === undefined ? await partsByHook(tools, rows) : partsFor(current, rows)
        if (parts === null) {
          set({ source: { kind: 'rows', rows } })
          app().navigation.openOverlay(
            rows.some(({ hookId }) => hookId === null) ? 'replay-composer' : 'replay-target',
          )
          return
        }
        // Consent to all parts comes before any is sent.
        await client.call('replay.check', { parts: [...parts], most: MAX_UNCONFIRMED })
        for (const part of parts) {
          await start(part)
          isPartlySent = true
        }
      } catch (error) {
        fail(isPartlySent ? "Couldn't send everything" : "Couldn't replay", error)
      }
    },
    /** Sends deliveries to an endpoint: the ids in order, or all that match a query. */
    async sendTo(to: string, deliveries: { readonly ids: string[] } | { readonly query: string }) {
      await act("Couldn't replay", () => start({ ...deliveries, to, most: MAX_UNCONFIRMED }))
    },
    /**
     * Starts a replay, unless the user denies consent or cancels it. `words` says what the composer
     * changed, for its list of sends.
     */
    start: (input: ReplayInput, words?: string) =>
      settleCall(start({ ...input, most: MAX_UNCONFIRMED }, words)),
    /** Starts a comparison of the confirmed number of requests, and shows it. */
    async startComparison(input: ReplayInput, most: number) {
      const result = await settleCall(start({ ...input, most }))
      if (result.ok) show(result.value.id)
      return result
    },
    /** Stores and sends a composed request, unless the user denies consent or cancels it. */
    sendComposed: (input: ComposeInput, words: string) => settleCall(compose(input, words)),
    /** Cancels starts before any request is sent; returns false if there are none. */
    giveUpStart: abortStarts,
    /** Sends the failed deliveries of a replay again, to the same endpoint, and shows that. */
    async replayFailed({ id, handlerId, to, registeredUrl, hookId, tamper }: Replay) {
      await act("Couldn't replay", async () => {
        const failed = { replayId: id, show: 'failed', limit: MAX_SENDS } as const
        const { sends } = await client.call('replay.sends', failed)
        const handler = app().core.handlers.find((one) => one.id === handlerId)
        const again = await start({
          ids: [...new Set(sends.map(({ deliveryId }) => deliveryId))],
          // A saved handler says what signs.
          ...(handler === undefined ? { to, registeredUrl, hookId } : { to: handlerRef(handler) }),
          tamper,
          targetCa: authorityOf(app().authorities, sends[0]?.target ?? ''),
          most: MAX_UNCONFIRMED,
        })
        app().navigation.openOverlay('replays', again.id)
      })
    },
    ...runningReplayActions(tools, starter),
  }
}

/** Resumes and cancels replays. */
function runningReplayActions(
  { client, act, app }: ReplayTools,
  { follow, abortStarts }: ReturnType<typeof replayStarter>,
) {
  const actions = {
    async resume(replayId: string) {
      await act("Couldn't resume the replay", async () =>
        follow((await client.call('replay.resume', { replayId })).replay),
      )
    },
    async cancel(replayId: string) {
      await act("Couldn't cancel the replay", () => client.call('replay.cancel', { replayId }))
    },
    /** Cancels running replays; returns false if there are none. */
    cancelAll() {
      const running = (app().core.replays ?? []).filter(({ state }) => state === 'running')
      for (const { id } of running) void actions.cancel(id)
      return abortStarts() || running.length > 0
    },
  }
  return actions
}
