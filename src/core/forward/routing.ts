/**
 * Decides where deliveries go, behind the receiver: once they are described, in the order in which they came, each once. How far it
 * has come is kept with the queues, in one commit, so that none is left out when the program ends in between.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Query } from '../../shared/query/query.ts'
import type { Log } from '../base/deps.ts'
import type { ForwardRoute, StoredTarget } from '../store/forward-repo.ts'
import type { Store } from '../store/store.ts'

export interface RoutingDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly log: Log
  targets(): readonly StoredTarget[]
  /** Reads a route. Throws `INVALID_QUERY`. */
  readRoute(query: string): Query
  /** Whether the deliveries of a hook may go to a target: those of a live one only if that was agreed to. */
  isAgreed(target: StoredTarget, hookId: string | null): boolean
  /** Hears which targets have got something. */
  onRouted(targetIds: ReadonlySet<string>): void
}

export interface Routing {
  /** Hears that deliveries are described, the newest of them by seq. */
  described(seq: number): void
  /** Looks whether anything is there that is not yet decided. */
  look(): void
  /** How many deliveries were kept back from a target since the start, since their live environment was not agreed to. */
  withheld(targetId: string): number
  close(): Promise<void>
}

const RETRY_MS = 1_000

export function createRouting({ store, log, targets, readRoute, isAgreed, onRouted }: RoutingDeps): Routing {
  const withheld = new Map<string, number>()
  let decidedUpTo = 0
  let looking: Promise<void> | null = null
  let again = false
  let closed = false
  let retry: NodeJS.Timeout | undefined

  function routesOf(on: readonly StoredTarget[]): ForwardRoute[] {
    return on.flatMap(({ id, settings, since }) => {
      try {
        return [{ targetId: id, query: readRoute(settings.query), since }]
      } catch (error) {
        // A hook that the route named may be gone: then nothing is of it.
        if (error instanceof AppError) return []
        throw error
      }
    })
  }

  async function decide(): Promise<void> {
    do {
      again = false
      // What is only held by hand goes nowhere.
      const on = targets().filter(({ settings }) => settings.on && settings.url !== '')
      const routes = routesOf(on)
      if (routes.length === 0 || closed) return
      const { upTo, found, more } = await store.read('forwardRoute', routes)
      const byId = new Map(on.map((target) => [target.id, target]))
      const rows = found.flatMap(({ targetId, seq, hookId }) => {
        const target = byId.get(targetId)
        if (target === undefined) return []
        if (isAgreed(target, hookId)) return [{ targetId, url: target.settings.url, deliverySeq: seq, answers: false }]
        withheld.set(targetId, (withheld.get(targetId) ?? 0) + 1)
        return []
      })
      if (upTo > decidedUpTo) await store.write('forwardEnqueue', { rows, upTo })
      decidedUpTo = Math.max(decidedUpTo, upTo)
      if (found.length > 0) onRouted(new Set(found.map(({ targetId }) => targetId)))
      again ||= more
    } while (again)
  }

  function look(): void {
    again = true
    if (closed || looking !== null) return
    looking = decide()
      .catch((error: unknown) => {
        log.warn("Couldn't decide where deliveries go. Retrying.", { reason: (error as Error).message })
        clearTimeout(retry)
        retry = setTimeout(look, RETRY_MS)
      })
      .finally(() => {
        looking = null
        if (again) look()
      })
  }

  return {
    described(seq) {
      if (seq > decidedUpTo && targets().length > 0) look()
    },
    look,
    withheld: (targetId) => withheld.get(targetId) ?? 0,
    async close() {
      closed = true
      clearTimeout(retry)
      await looking
    },
  }
}
