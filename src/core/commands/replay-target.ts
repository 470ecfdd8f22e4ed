/** Target of a replay: the given one, else the current handler. */
import { handlerNameIn } from '../../shared/http.ts'
import type { Baseline } from '../../shared/model/run-comparison.ts'
import type { ComparisonSettings } from '../../shared/model/send.ts'
import type { SavedHandlers } from '../handlers/handlers.ts'

interface GivenTarget {
  readonly to: string | null
  readonly registeredUrl?: string | null
  readonly hookId?: string | null
  /** Secret that signs instead of the handler's. */
  readonly secret?: string | undefined
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
  readonly ignore: readonly string[]
  readonly headersIn: readonly string[]
  /** Whether responses will be saved, although nothing is compared. */
  readonly saves: boolean
}

/**
 * Resolves with what a replay is compared with, null if with nothing. A saved handler has its own
 * signer; a URL is signed for like the replay's own target.
 */
export async function comparisonOf(
  savedHandlers: SavedHandlers,
  { against, baseline, ignore, headersIn, saves, ...given }: GivenComparison,
): Promise<ComparisonSettings | null> {
  const compared = {
    // A baseline lacks the fields that were ignored when it was saved.
    ignore: [...new Set([...ignore, ...(baseline?.ignore ?? [])])],
    headers: [...(headersIn.length > 0 ? headersIn : (baseline?.headers ?? []))],
    other: null,
  }
  if (baseline !== null) return { ...compared, with: 'baseline', name: against ?? 'the baseline' }
  if (against === null) return saves ? { ...compared, with: 'nothing', name: '' } : null
  if (against === 'previous') return { ...compared, with: 'previous', name: against }
  const overrides = handlerNameIn(against) === null ? given : {}
  const endpoint = await savedHandlers.resolve(against, overrides)
  const { url: to, handler, registeredUrl, hookId, targetCa } = endpoint
  const other = { to, registeredUrl, hookId, targetCa, handlerId: handler?.id ?? null }
  return { ...compared, with: 'endpoint', other, name: against }
}
