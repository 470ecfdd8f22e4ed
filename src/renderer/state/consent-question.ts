/**
 * What a call that sends is refused for until it is agreed to: a host that is not this machine, a live environment, more requests than
 * one sends by mistake.
 */
import { AppError } from '../../shared/contract/errors.ts'

/** `requests`: how many would go there, where that is known. `hasAddress` is false of a name that leads nowhere just now. */
export type ConsentQuestion =
  | { readonly about: 'host'; readonly host: string; readonly hasAddress: boolean; readonly requests: number | null }
  | { readonly about: 'live'; readonly environment: string }
  | { readonly about: 'count'; readonly count: number }

/** What a refusal asks; null where it asks nothing. */
export function questionOf(error: unknown): ConsentQuestion | null {
  if (!(error instanceof AppError) || typeof error.details !== 'object' || error.details === null) return null
  const { host, hasAddress, requests, environment, count } = error.details as Readonly<Record<string, unknown>>
  if (error.code === 'TARGET_NOT_ALLOWED' && typeof host === 'string')
    return { about: 'host', host, hasAddress: hasAddress !== false, requests: typeof requests === 'number' ? requests : null }
  if (error.code !== 'CONFIRMATION_REQUIRED') return null
  if (typeof environment === 'string') return { about: 'live', environment }
  return typeof count === 'number' ? { about: 'count', count } : null
}
