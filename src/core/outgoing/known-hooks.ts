/** Finds hooks that may be unknown here, for example after an import. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { StoredHook } from '../store/hooks.ts'

/**
 * Returns the chosen hook, else the delivery's own, or null. Throws `NOT_FOUND` for the chosen one.
 */
export function hookToSign(
  hooks: Pick<Hooks, 'get'>,
  chosen: string | null,
  own: string | null,
): StoredHook | null {
  return chosen === null ? knownHook(hooks, own) : hooks.get(chosen)
}

/** Returns a hook, or null if it is unknown here. */
export function knownHook(hooks: Pick<Hooks, 'get'>, id: string | null): StoredHook | null {
  if (id === null) return null
  try {
    return hooks.get(id)
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null
    throw error
  }
}
