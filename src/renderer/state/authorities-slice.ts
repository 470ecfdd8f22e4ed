/**
 * The authorities that were given for endpoints, by origin, kept in the browser's storage: whoever sends there again, by the form
 * or by a key, need not give them anew. A certificate is no secret.
 */
import { z } from 'zod'
import type { FeatureTools } from './feature-tools.ts'

export interface AuthoritiesSlice {
  /** PEM, by the origin of the endpoint; what was used last stands last. */
  readonly byOrigin: Readonly<Record<string, string>>
  /** Keeps what was given for an endpoint; null: none. */
  remember(target: string, caPem: string | null): void
}

const KEY = 'countersign.target-authorities'
const MOST_KEPT = 20
const stored = z.record(z.string(), z.string())

/** The origin that an authority is kept for; null where it is no HTTPS, or not known yet. */
export function authorityOrigin(target: string): string | null {
  const url = URL.parse(target.trim())
  return url?.protocol === 'https:' ? url.origin : null
}

/** The authority kept for an endpoint; null where there is none. */
export function authorityOf({ byOrigin }: Pick<AuthoritiesSlice, 'byOrigin'>, target: string): string | null {
  const origin = authorityOrigin(target)
  return origin !== null && Object.hasOwn(byOrigin, origin) ? (byOrigin[origin] ?? null) : null
}

export function createAuthoritiesSlice({ set, get }: FeatureTools<AuthoritiesSlice>): AuthoritiesSlice {
  return {
    byOrigin: readStored(),
    remember(target, caPem) {
      const origin = authorityOrigin(target)
      if (origin === null || authorityOf(get(), target) === caPem) return
      const others = Object.entries(get().byOrigin).filter(([known]) => known !== origin)
      const kept = [...others, ...(caPem === null ? [] : [[origin, caPem] as const])].slice(-MOST_KEPT)
      set({ byOrigin: Object.fromEntries(kept) })
      try {
        localStorage.setItem(KEY, JSON.stringify(get().byOrigin))
      } catch {
        // Storage is full or switched off: it holds until the window closes.
      }
    },
  }
}

function readStored(): Readonly<Record<string, string>> {
  try {
    return stored.safeParse(JSON.parse(localStorage.getItem(KEY) ?? '{}')).data ?? {}
  } catch {
    // Nothing can be kept here, or it is not ours.
    return {}
  }
}
