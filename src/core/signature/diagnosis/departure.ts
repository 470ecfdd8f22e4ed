/** A signer's mistake: one departure from section 5.2, in one of its dimensions. */
import type { KeyObject } from 'node:crypto'

/** Everything known about a delivery, and values that the signer may have used by mistake. */
export interface DiagnosisInput {
  readonly body: Uint8Array
  /** The registered URL. */
  readonly url: string
  readonly timestamp: string
  /** The digest to explain: the received signature, or one that the user's code computed. */
  readonly received: string
  readonly key: KeyObject
  readonly otherSecrets: readonly KnownSecret[]
  readonly otherUrls: readonly KnownUrl[]
  readonly otherTimestamps: readonly KnownTimestamp[]
}

/**
 * Another known secret and its owner in words: `the hook for card.linked`. `stored`: the hook's current secret, if the delivery is
 * compared with another one.
 */
export interface KnownSecret {
  readonly kind: 'stored' | 'previous' | 'other-hook' | 'other-environment' | 'api-key'
  readonly owner: string
  readonly key: KeyObject
}

/** Another URL that the signer may have used instead of the registered one. `stored`: the registered URL, if another is tried. */
export interface KnownUrl {
  readonly kind: 'stored' | 'local' | 'other-hook'
  readonly url: string
}

/** Another time that the signer may have used as the timestamp: a header's text, or the time of receipt. */
export interface KnownTimestamp {
  readonly kind: 'date-header' | 'other-header' | 'receipt'
  readonly text: string
  /** Its source in words: `the header date`. */
  readonly where: string
}

/** One departure in one dimension. */
export interface Departure<T> {
  /** `family:detail`, listed in `docs/diagnosis.md`. */
  readonly cause: string
  /** The mistake as a sentence. */
  readonly what: string
  /** The fix as a sentence. */
  readonly fix: string
  /** 1: the likeliest of its kind. Higher ranks are tried later, and combined only while time is left. */
  readonly rank: number
  readonly value: T
  /** The URL that was signed instead of the registered one. */
  readonly signedUrl?: string
}

/** Removes duplicates of the correct value and of earlier departures in the list. */
export function distinct<T>(
  departures: readonly Departure<T>[],
  right: T,
  nameOf: (value: T) => string,
): readonly Departure<T>[] {
  const seen = new Set([nameOf(right)])
  return departures.filter(({ value }) => {
    const name = nameOf(value)
    if (seen.has(name)) return false
    seen.add(name)
    return true
  })
}
