/** Target of a replay: the given one, else the current handler. */
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
