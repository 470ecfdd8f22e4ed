/** A signer's mistake: one mismatch from section 5.2, in one of its dimensions. */
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
  /** Whether the secret comes with the request: then any part of it may be named. */
  readonly isSecretGiven?: boolean
  /** Who signed it, and so who can act on a mistake: the service signed a delivery, the user a request to verify or a digest. */
  readonly signer: 'service' | 'user'
  readonly otherSecrets: readonly KnownSecret[]
  readonly otherUrls: readonly KnownUrl[]
  readonly otherTimestamps: readonly KnownTimestamp[]
  readonly otherBodies: readonly KnownBody[]
}

/**
 * Another known secret and its owner in words: `the hook for card.linked`. `stored`: the hook's current secret, if the delivery is
 * compared with another one.
 */
export interface KnownSecret {
  readonly kind:
    'stored' | 'previous' | 'other-hook' | 'other-environment' | 'deleted-hook' | 'api-key'
  readonly owner: string
  readonly key: KeyObject
}

/** Another URL that the signer may have used instead of the registered one. `stored`: the registered URL, if another is tried. */
export interface KnownUrl {
  readonly kind: 'stored' | 'local' | 'handler' | 'other-hook'
  readonly url: string
}

/** Another time that the signer may have used as the timestamp: a header's text, or the time of receipt. */
export interface KnownTimestamp {
  readonly kind: 'date-header' | 'other-header' | 'receipt'
  readonly text: string
  /** Its source in words: `the header date`. */
  readonly where: string
}

/** The body before it was compressed, and the encoding that its header names. */
export interface KnownBody {
  readonly encoding: string
  readonly body: Uint8Array
}

/** One mismatch in one dimension, or two. */
export interface Mismatch<T> {
  /** One, or two of the same dimension: `family:detail`, listed in `docs/diagnosis.md`. */
  readonly causes: readonly string[]
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

/** A mismatch before it is worded: `how` completes a sentence. */
export type Variant<T> = readonly [
  cause: string,
  rank: number,
  how: string,
  value: T,
  earlier?: string | undefined,
]

/** Two mistakes in one dimension are tried up to this sum of their ranks. */
export const MOST_RANK_TWICE = 4

/** Two mistakes in one dimension, the likelier one first: most give the same value in the other order. */
export function twoMismatches<T>(
  variants: readonly Variant<T>[],
  /** Returns the mistakes up to a rank. */
  again: (value: T, mostRank: number) => readonly Variant<T>[],
): Variant<T>[] {
  return variants
    .filter(([, rank]) => 2 * rank <= MOST_RANK_TWICE)
    .flatMap(([earlier, rank, how, value]) =>
      again(value, MOST_RANK_TWICE - rank)
        .filter(([, second]) => rank + second <= MOST_RANK_TWICE)
        .map(([cause, second, andHow, changed]): Variant<T> => [
          cause,
          rank + second,
          `${how} and ${andHow}`,
          changed,
          earlier,
        ]),
    )
}

/** The mismatches of one dimension. */
export interface MistakeGroup<T> {
  readonly single: readonly Mismatch<T>[]
  /** Two mistakes in this dimension, without those that a single one explains. */
  twice(): readonly Mismatch<T>[]
}

interface MistakeGroupInput<T> {
  readonly variants: readonly Variant<T>[]
  /** Two mistakes in this dimension; called if no single one explains the signature. */
  twice(single: readonly Variant<T>[]): readonly Variant<T>[]
  /** The correct value, and others that aren't mismatches. */
  readonly except: readonly T[]
  nameOf(value: T): string
  /** The sentences of one cause or two. */
  describe(
    how: string,
    value: T,
    causes: readonly string[],
  ): Pick<Mismatch<T>, 'what' | 'fix' | 'signedUrl'>
}

/** Words the variants and leaves out duplicates: the first of equal values stays. */
export function createMistakeGroup<T>({
  variants,
  twice,
  except,
  nameOf,
  describe,
}: MistakeGroupInput<T>): MistakeGroup<T> {
  const seen = new Set(except.map(nameOf))
  const distinct = (all: readonly Variant<T>[]) =>
    all.filter(([, , , value]) => seen.size < seen.add(nameOf(value)).size)
  const worded = (all: readonly Variant<T>[]) =>
    all.map(([cause, rank, how, value, earlier = cause]): Mismatch<T> => {
      const causes = [...new Set([earlier, cause])]
      return { causes, rank, value, ...describe(how, value, causes) }
    })
  const single = distinct(variants)
  return { single: worded(single), twice: () => worded(distinct(twice(single))) }
}
