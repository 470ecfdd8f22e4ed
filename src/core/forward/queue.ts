/**
 * Sends a target's pending deliveries: each hook's in order, several hooks in parallel. While the target is down everything waits,
 * and one delivery tries now and then. Everything is in the store, because a queue may be long and Countersign may stop at any
 * moment.
 */
import type { Admission } from '../outgoing/admit.ts'
import type { Sender } from '../outgoing/send.ts'
import type { QueuedSend, StoredTarget } from '../store/forward-repo.ts'
import type { Store } from '../store/store.ts'
import { createPassOn, type PassOnDeps, TRY_WAITS_MS, createTargetState } from './pass-on.ts'

export interface QueueDeps extends PassOnDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly senderForSaved: Admission['senderForSaved']
}

export type Queue = ReturnType<typeof createQueue>

/** How many hooks' deliveries are sent in parallel. */
const MOST_LANES = 8
const PAGE = 32

/** Whether a change affects the target's connections. */
function isElsewhere({ settings: before }: StoredTarget, { settings: now }: StoredTarget): boolean {
  return (
    before.url !== now.url ||
    before.targetCa !== now.targetCa ||
    before.allowHosts.join() !== now.allowHosts.join()
  )
}

export function createQueue(deps: QueueDeps, first: StoredTarget) {
  const { store, clock, log, senderForSaved } = deps
  let target = first
  let certificateProblem: string | null = null
  let sender: Sender | null = null
  const stopped = new AbortController()
  let leavesUncertain = false
  const lanes = new Map<string, Promise<void>>()
  let pumping: Promise<void> | null = null
  let again = false

  const state = createTargetState(clock, () => kick())
  const isIdle = () => target.paused || stopped.signal.aborted

  function openSender(): Sender {
    sender ??= senderForSaved(target.settings)({
      // Handlers restart often, so a kept connection would often be half closed.
      keepAlive: false,
      onCertificate: (found) => {
        certificateProblem = found
      },
    })
    return sender
  }

  const passOn = createPassOn(deps, {
    state,
    target: () => target,
    sender: openSender,
    certificateProblem: () => certificateProblem,
    stopped: stopped.signal,
    leavesUncertain: () => leavesUncertain,
  })

  async function runLane(page: readonly QueuedSend[]): Promise<void> {
    for (const queued of page) {
      let { tries } = queued
      for (;;) {
        if (isIdle() || state.isWaiting()) return
        const turn = await passOn({ ...queued, tries })
        if (turn === 'stop') return
        if (turn === 'next') break
        await clock.sleep(TRY_WAITS_MS[tries] ?? 0, stopped.signal)
        tries++
      }
    }
  }

  function startLane(lane: string, page: readonly QueuedSend[]): void {
    const work = runLane(page)
      .catch((error: unknown) => {
        if (stopped.signal.aborted) return
        const reason = (error as Error).message
        state.stumbled(`Forwarding paused briefly: ${reason}`)
        log.warn("Couldn't forward a delivery. Retrying.", { target: target.id, reason })
      })
      .then(() => {
        lanes.delete(lane)
        kick()
      })
    lanes.set(lane, work)
  }

  async function pump(): Promise<void> {
    do {
      again = false
      // Just one delivery finds out whether the target is up again.
      const isDown = state.shown().light === 'down'
      const room = (isDown ? 1 : MOST_LANES) - lanes.size
      if (isIdle() || state.isWaiting() || room <= 0) continue
      const rows = await store.read('forwardQueued', {
        targetId: target.id,
        busy: [...lanes.keys()],
        limit: isDown ? 1 : PAGE,
      })
      const byLane = [...Map.groupBy(rows, ({ lane }) => lane)].slice(0, room)
      if (isIdle()) return
      for (const [lane, page] of byLane) startLane(lane, page)
      if (byLane.length > 0) again = true
    } while (again)
  }

  function kick({ atOnce = false }: { readonly atOnce?: boolean } = {}): void {
    if (atOnce) state.tryNow()
    again = true
    pumping ??= pump()
      .catch((error: unknown) => {
        if (stopped.signal.aborted) return
        const reason = (error as Error).message
        log.warn("Couldn't read a target's queue. Retrying.", { target: target.id, reason })
        state.stumbled(`Couldn't read the pending deliveries: ${reason}`)
      })
      .finally(() => {
        pumping = null
        // Otherwise deliveries that arrived since the last read would wait for the next one.
        if (again && !isIdle()) kick()
      })
  }

  return {
    state: state.shown,
    /** Call when deliveries may be pending. `atOnce`: even if the next attempt isn't due. */
    kick,
    /** Call when the target changed. The next request uses the new settings. */
    change(next: StoredTarget) {
      const moves = isElsewhere(target, next)
      target = next
      if (moves) {
        // Requests in progress finish on their connections.
        const before = sender
        sender = null
        certificateProblem = null
        void Promise.all(lanes.values()).then(() => before?.close())
        state.begin()
      }
      kick()
    },
    /** Aborts requests and ends. `uncertain`: aborted requests stay in progress, for the next start to find. */
    async stop({ uncertain }: { readonly uncertain: boolean }) {
      leavesUncertain = uncertain
      stopped.abort()
      state.stop()
      await pumping
      await Promise.all(lanes.values())
      await sender?.close()
    },
  }
}
