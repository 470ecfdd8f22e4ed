/** CA certificates of endpoints by origin, which aren't secret, in the browser's storage. */
import { z } from 'zod'
import type { FeatureTools } from './feature-tools.ts'
import { writeStored, readStored } from './browser-storage.ts'

export type AuthoritiesSlice = ReturnType<typeof createAuthoritiesSlice>

interface Authorities {
  /** PEM by the endpoint's origin, most recently used last. */
  readonly byOrigin: Readonly<Record<string, string>>
}

const KEY = 'countersign.target-authorities'
const MOST_KEPT = 20
const stored = z.record(z.string(), z.string())

/** Returns the origin to store a certificate for; null if the URL isn't HTTPS or is incomplete. */
export function authorityOrigin(target: string): string | null {
  const url = URL.parse(target.trim())
  return url?.protocol === 'https:' ? url.origin : null
}

/** Returns the certificate stored for an endpoint; null if there is none. */
export function authorityOf(
  { byOrigin }: Pick<AuthoritiesSlice, 'byOrigin'>,
  target: string,
): string | null {
  const origin = authorityOrigin(target)
  return origin !== null && Object.hasOwn(byOrigin, origin) ? (byOrigin[origin] ?? null) : null
}

export function createAuthoritiesSlice({ set, get }: FeatureTools<Authorities>) {
  return {
    byOrigin: readStored('localStorage', KEY, stored) ?? {},
    /** Stores the certificate for an endpoint; null removes it. */
    remember(target: string, caPem: string | null) {
      const origin = authorityOrigin(target)
      if (origin === null || authorityOf(get(), target) === caPem) return
      const others = Object.entries(get().byOrigin).filter(
        ([storedOrigin]) => storedOrigin !== origin,
      )
      const kept = [...others, ...(caPem === null ? [] : [[origin, caPem] as const])].slice(
        -MOST_KEPT,
      )
      set({ byOrigin: Object.fromEntries(kept) })
      writeStored('localStorage', KEY, get().byOrigin)
    },
  }
}
