/**
 * What a replay is refused for until it is agreed to: a host that is not this machine, a live environment, more requests than one
 * sends by mistake.
 */
import { AppError } from '../../../shared/contract/errors.ts'

export type ReplayQuestion =
  | { readonly about: 'host'; readonly host: string }
  | { readonly about: 'live'; readonly environment: string }
  | { readonly about: 'count'; readonly count: number }

/** So many go without a question. */
export const UNASKED = 25

/** What is agreed to; hosts for as long as the window runs, the others for one replay. */
export interface Consent {
  readonly allowHosts: string[]
  readonly live: boolean
  readonly most: number | null
}

/** What a refusal asks; null where it asks nothing. */
export function questionOf(error: unknown): ReplayQuestion | null {
  if (!(error instanceof AppError) || typeof error.details !== 'object' || error.details === null) return null
  const details = error.details as Readonly<Record<string, unknown>>
  if (error.code === 'TARGET_NOT_ALLOWED' && typeof details['host'] === 'string') return { about: 'host', host: details['host'] }
  if (error.code !== 'CONFIRMATION_REQUIRED') return null
  if (typeof details['environment'] === 'string') return { about: 'live', environment: details['environment'] }
  return typeof details['count'] === 'number' ? { about: 'count', count: details['count'] } : null
}

/**
 * Calls until nothing more has to be agreed to. Null where something was not; rejects with any other refusal. `hosts` gains those
 * that were agreed to.
 */
export async function withConsent<T>(
  hosts: Set<string>,
  ask: (question: ReplayQuestion) => Promise<boolean>,
  call: (consent: Consent) => Promise<T>,
): Promise<T | null> {
  let live = false
  let most: number | null = UNASKED
  for (;;) {
    try {
      return await call({ allowHosts: [...hosts], live, most })
    } catch (error) {
      const question = questionOf(error)
      if (question === null) throw error
      if (!(await ask(question))) return null
      if (question.about === 'host') hosts.add(question.host)
      else if (question.about === 'live') live = true
      else most = question.count
    }
  }
}
