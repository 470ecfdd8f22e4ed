/** A mistake that a signer can make: one departure from the recipe of section 5.2, in one of its dimensions. */
import type { KeyObject } from 'node:crypto'

/** What is known of a delivery, and what else the signer may have used by mistake. */
export interface DiagnosisInput {
  readonly body: Uint8Array
  /** The registered URL. */
  readonly url: string
  readonly timestamp: string
  /** The digest to be explained: what was received, or what somebody's code computed. */
  readonly received: string
  readonly key: KeyObject
  readonly otherSecrets: readonly KnownSecret[]
  readonly otherUrls: readonly KnownUrl[]
  readonly otherTimestamps: readonly KnownTimestamp[]
}

/**
 * Another secret that is known, and whose it is, in words: `the hook for card.linked`. `stored`: the present one of the hook
 * itself, where the delivery is held against another one that was given to be tried.
 */
export interface KnownSecret {
  readonly kind: 'stored' | 'previous' | 'other-hook' | 'other-environment' | 'api-key'
  readonly owner: string
  readonly key: KeyObject
}

/**
 * Another address that the signer may have taken for the registered URL. `stored`: the registered one, where another is tried.
 */
export interface KnownUrl {
  readonly kind: 'stored' | 'local' | 'other-hook'
  readonly url: string
}

/** Another time that the signer may have taken for the timestamp: the text of a header, or the moment of receipt. */
export interface KnownTimestamp {
  readonly kind: 'date-header' | 'other-header' | 'receipt'
  readonly text: string
  /** Where it stands, in words: `the header date`. */
  readonly where: string
}

/** One departure in one dimension. */
export interface Departure<T> {
  /** `family:detail`, listed in `docs/diagnosis.md`. */
  readonly cause: string
  /** What was done, as a sentence. */
  readonly what: string
  /** What to do instead, as a sentence. */
  readonly fix: string
  /** 1: the likeliest of its kind. Higher ones are tried later, and combined with others only while time is left. */
  readonly rank: number
  readonly value: T
}

/** Drops what equals the right value, and what an earlier departure of the list has said already. */
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
