/** Routes described deliveries to the targets whose filters match, once and in order. */
import { createCatchUp } from '../base/async.ts'
import type { SendDeps } from '../outgoing/signing-hooks.ts'
import type { ForwardRoute } from '../store/forward-routes.ts'
import type { StoredTarget } from '../store/forward-targets.ts'
import { filterOf } from './forward-targets.ts'
import type { PrepareDeps } from './prepared-forward.ts'

interface RouterDeps
  extends Pick<SendDeps, 'clock' | 'hooks' | 'log' | 'store'>, Pick<PrepareDeps, 'isAgreed'> {
  targets(): readonly StoredTarget[]
  /** Called with the IDs of targets that may have got deliveries. */
  onMatched(targetIds: ReadonlySet<string>): void
}

const RETRY_MS = 1_000

export class ForwardRouter {
  readonly #deps: RouterDeps
  readonly #routing: ReturnType<typeof createCatchUp>
  /** Number of deliveries withheld for lack of consent, by target id. */
  readonly #withheld = new Map<string, number>()
  #routedUpTo = 0

  constructor(deps: RouterDeps) {
    this.#deps = deps
    this.#routing = createCatchUp(
      async () => {
        while (await this.#routePage());
      },
      {
        log: deps.log,
        warning: "Couldn't decide where deliveries go. Retrying.",
        afterMs: RETRY_MS,
      },
    )
  }

  route(): void {
    void this.#routing.request()
  }

  /** Routes deliveries up to this one, unless they are routed. */
  routeUpTo(seq: number): void {
    if (seq > this.#routedUpTo) this.route()
  }

  withheldFor(targetId: string): number {
    return this.#withheld.get(targetId) ?? 0
  }

  close(): Promise<void> {
    return this.#routing.close()
  }

  /** Commits matches with the progress; resolves with whether there may be more. */
  async #routePage(): Promise<boolean> {
    const { isAgreed, onMatched, store, targets } = this.#deps
    const activeTargets = targets().filter(({ settings }) => settings.on)
    const routes = activeTargets.flatMap((target): ForwardRoute[] => {
      const query = filterOf(this.#deps, target)
      return query === null ? [] : [{ targetId: target.id, query, since: target.since }]
    })
    if (routes.length === 0 || this.#routing.closing.aborted) return false
    const { upTo, matches, hasMore } = await store.read('routeNext', routes)
    const byId = new Map(activeTargets.map((target) => [target.id, target]))
    const rows = matches.flatMap(({ targetId, seq, hookId }) => {
      const target = byId.get(targetId)
      if (target === undefined) return []
      if (isAgreed(target, hookId))
        return [{ targetId, url: target.settings.url, deliverySeq: seq, answers: false }]
      this.#withheld.set(targetId, this.withheldFor(targetId) + 1)
      return []
    })
    if (upTo > this.#routedUpTo) await store.write('enqueue', { rows, upTo })
    this.#routedUpTo = Math.max(this.#routedUpTo, upTo)
    if (matches.length > 0) onMatched(new Set(matches.map(({ targetId }) => targetId)))
    return hasMore
  }
}
