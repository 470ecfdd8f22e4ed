/** Confirmations that a sending call may need: a remote host, a live environment, or an unusually large number of requests. */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'

/** `requests`: how many would be sent, if known. `hasAddress` is false if the name doesn't resolve. */
export type ConsentQuestion =
  | {
      readonly about: 'host'
      readonly host: string
      readonly hasAddress: boolean
      readonly requests: number | null
    }
  | { readonly about: 'live'; readonly environments: readonly string[] }
  | { readonly about: 'count'; readonly count: number }

/** The question behind a rejected call; null if it needs no confirmation. */
export function questionOf(error: unknown): ConsentQuestion | null {
  if (!(error instanceof AppError) || typeof error.details !== 'object' || error.details === null)
    return null
  const { host, hasAddress, requests, environment, environments, count } =
    error.details as Readonly<Record<string, unknown>>
  if (error.code === 'TARGET_NOT_ALLOWED' && typeof host === 'string')
    return {
      about: 'host',
      host,
      hasAddress: hasAddress !== false,
      requests: typeof requests === 'number' ? requests : null,
    }
  if (error.code !== 'CONFIRMATION_REQUIRED') return null
  const named = z.array(z.string()).safeParse(environments)
  if (named.success) return { about: 'live', environments: named.data }
  if (typeof environment === 'string') return { about: 'live', environments: [environment] }
  return typeof count === 'number' ? { about: 'count', count } : null
}
