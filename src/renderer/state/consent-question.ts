/**
 * What a call that sends is refused for until it is agreed to: a host that is not this machine, a live environment, more requests than
 * one sends by mistake.
 */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'

/** `requests`: how many would go there, where that is known. `hasAddress` is false of a name that leads nowhere just now. */
export type ConsentQuestion =
  | { readonly about: 'host'; readonly host: string; readonly hasAddress: boolean; readonly requests: number | null }
  | { readonly about: 'live'; readonly environments: readonly string[] }
  | { readonly about: 'count'; readonly count: number }

/** Names in a sentence: `a`, `a and b`, `a, b, and c`. */
export function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en').format(names)
}

/** What a refusal asks; null where it asks nothing. */
export function questionOf(error: unknown): ConsentQuestion | null {
  if (!(error instanceof AppError) || typeof error.details !== 'object' || error.details === null) return null
  const { host, hasAddress, requests, environment, environments, count } = error.details as Readonly<Record<string, unknown>>
  if (error.code === 'TARGET_NOT_ALLOWED' && typeof host === 'string')
    return { about: 'host', host, hasAddress: hasAddress !== false, requests: typeof requests === 'number' ? requests : null }
  if (error.code !== 'CONFIRMATION_REQUIRED') return null
  const named = z.array(z.string()).safeParse(environments)
  if (named.success) return { about: 'live', environments: named.data }
  if (typeof environment === 'string') return { about: 'live', environments: [environment] }
  return typeof count === 'number' ? { about: 'count', count } : null
}
