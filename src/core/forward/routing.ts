/**
 * Routes each delivery to its targets after it is described, once and in order. Progress is stored in the same commit as the
 * queues, so that no delivery is skipped if Countersign stops in between.
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
  /** Parses a filter. Throws `INVALID_QUERY`. */
  readRoute(query: string): Query
  /** Whether a hook's deliveries may go to a target. A live hook's need confirmation. */
  isAgreed(target: StoredTarget, hookId: string | null): boolean
  /** Called with the targets that got deliveries. */
  onRouted(targetIds: ReadonlySet<string>): void
}

const RETRY_MS = 1_000

export function createRouting({ store, log, targets, readRoute, isAgreed, onRouted }: RoutingDeps) {
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
        // A hook named in the filter may be gone. Then no delivery matches it.
        if (error instanceof AppError) return []
        throw error
      }
    })
  }

  async function decide(): Promise<void> {
    do {
      again = false
      const on = targets().filter(({ settings }) => settings.on)
      const routes = routesOf(on)
      if (routes.length === 0 || closed) return
      const { upTo, found, more } = await store.read('forwardRoute', routes)
      const byId = new Map(on.map((target) => [target.id, target]))
      const rows = found.flatMap(({ targetId, seq, hookId }) => {
        const target = byId.get(targetId)
        if (target === undefined) return []
        if (isAgreed(target, hookId))
          return [{ targetId, url: target.settings.url, deliverySeq: seq, answers: false }]
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
        log.warn("Couldn't decide where deliveries go. Retrying.", {
          reason: (error as Error).message,
        })
        clearTimeout(retry)
        retry = setTimeout(look, RETRY_MS)
      })
      .finally(() => {
        looking = null
        if (again) look()
      })
  }

  return {
    /** Call when deliveries are described, with the latest seq. */
    described(seq: number): void {
      if (seq > decidedUpTo && targets().length > 0) look()
    },
    /** Checks for deliveries that aren't routed yet. */
    look,
    /** How many deliveries were withheld from a target since the start, because their live environment isn't confirmed. */
    withheld: (targetId: string): number => withheld.get(targetId) ?? 0,
    async close(): Promise<void> {
      closed = true
      clearTimeout(retry)
      await looking
    },
  }
}
