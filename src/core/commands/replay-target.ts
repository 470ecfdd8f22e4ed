/** Target of a replay: the given one, else the current handler. */
import { handlerNameIn } from '../../shared/http.ts'
import type { Baseline } from '../../shared/model/run-comparison.ts'
import type { ComparisonSettings } from '../../shared/model/send.ts'
import type { SavedHandlers } from '../handlers/handlers.ts'

interface GivenTarget {
  readonly to: string | null
  readonly registeredUrl?: string | null
  readonly hookId?: string | null
  readonly targetCa?: string | null
}

/**
 * Resolves with a replay's target, CA certificate and signer: those given, else the current
 * handler's. If there is neither, each delivery's hook decides.
 */
export async function resolveReplay(savedHandlers: SavedHandlers, given: GivenTarget) {
  const { registeredUrl = null, hookId = null, targetCa = null } = given
  const current = given.to === null ? savedHandlers.current() : null
  const to = current === null ? given.to : `@${current.name}`
  if (to === null) return { to, registeredUrl, hookId, targetCa, handlerId: null }
  const { url, handler, secret: _, ...signing } = await savedHandlers.resolve(to, given)
  return { ...signing, to: url, handlerId: handler?.id ?? null }
}

interface GivenComparison extends Omit<GivenTarget, 'to'> {
  readonly against: string | null
  readonly baseline: Baseline | null
  /** Whether responses are to be saved, though nothing is compared. */
  readonly saves: boolean
}

/**
 * Resolves with what a replay is compared with, null if with nothing. A saved handler has its own
 * signer; a URL is signed for like the replay's own target.
 */
export async function comparisonOf(
  savedHandlers: SavedHandlers,
  { against, baseline, saves, ...given }: GivenComparison,
): Promise<Pick<ComparisonSettings, 'with' | 'other' | 'name'> | null> {
  if (baseline !== null) return { with: 'baseline', other: null, name: against ?? 'the baseline' }
  if (against === null) return saves ? { with: 'nothing', other: null, name: '' } : null
  if (against === 'previous') return { with: 'previous', other: null, name: against }
  const overrides = handlerNameIn(against) === null ? given : {}
  const {
    url,
    handler,
    secret: _,
    prefix: _prefix,
    ...signing
  } = await savedHandlers.resolve(against, overrides)
  const other = { ...signing, to: url, handlerId: handler?.id ?? null }
  return { with: 'endpoint', other, name: against }
}
