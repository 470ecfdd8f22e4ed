/** Mistakes of a signer: mismatches with section 5.2. */
import type { KeyObject } from 'node:crypto'

/** Delivery to explain, and values used by mistake. */
export interface DiagnosisInput {
  readonly body: Uint8Array
  readonly url: string
  readonly timestamp: string
  /** Digest to explain, received or computed by the user's code. */
  readonly received: string
  readonly key: KeyObject
  /** Whether the secret comes with the request and may be named. */
  readonly isSecretGiven?: boolean
  /** Signer, who can act on a mistake. */
  readonly signer: 'service' | 'user'
  readonly otherSecrets: readonly KnownSecret[]
  readonly otherUrls: readonly KnownUrl[]
  readonly otherTimestamps: readonly KnownTimestamp[]
  readonly otherBodies: readonly KnownBody[]
}

/** Known secret with its owner: `the hook for card.linked`. */
export interface KnownSecret {
  readonly kind:
    'stored' | 'previous' | 'other-hook' | 'other-environment' | 'deleted-hook' | 'api-key'
  readonly owner: string
  readonly key: KeyObject
}

/** Known URL; `stored` is the registered one, if another is tried. */
export interface KnownUrl {
  readonly kind: 'stored' | 'local' | 'handler' | 'other-hook'
  readonly url: string
}

/** Known time, as a header's text or the time of receipt. */
export interface KnownTimestamp {
  readonly kind: 'date-header' | 'other-header' | 'receipt'
  readonly text: string
  /** Source in words: `the header date`. */
  readonly where: string
}

/** Body before compression, and the encoding in its header. */
export interface KnownBody {
  readonly encoding: string
  readonly body: Uint8Array
}

/** Mistake of a signer in one dimension, or two: what it is, and the value that was signed. */
export interface Mismatch<T> {
  /** Causes as `family:detail`, listed in `docs/diagnosis.md`. */
  readonly causes: readonly string[]
  readonly what: string
  readonly fix: string
  /** Likelihood; 1 is the likeliest of its kind. */
  readonly rank: number
  readonly value: T
  readonly signedUrl?: string
}

/**
 * Mismatch before it is described; `how` completes a sentence, and `earlier` is the cause of the
 * first of two.
 */
export type Variant<T> = readonly [
  cause: string,
  rank: number,
  how: string,
  value: T,
  earlier?: string | undefined,
]

/** Largest sum of the ranks of two combined mistakes. */
export const MAX_PAIR_RANK = 4

/** Combines two mistakes in one dimension, the likelier one first. */
export function combineMismatches<T>(
  variants: readonly Variant<T>[],
  variantsOf: (value: T, mostRank: number) => readonly Variant<T>[],
): Variant<T>[] {
  return variants
    .filter(([, rank]) => 2 * rank <= MAX_PAIR_RANK)
    .flatMap(([earlier, rank, how, value]) =>
      variantsOf(value, MAX_PAIR_RANK - rank)
        .filter(([, second]) => rank + second <= MAX_PAIR_RANK)
        .map(([cause, second, andHow, changed]): Variant<T> => [
          cause,
          rank + second,
          `${how} and ${andHow}`,
          changed,
          earlier,
        ]),
    )
}

export interface MistakeGroup<T> {
  readonly single: readonly Mismatch<T>[]
  /** Returns pairs of mistakes at once, without those that equal a single mistake. */
  twice(): readonly Mismatch<T>[]
}

interface MistakeGroupInput<T> {
  readonly variants: readonly Variant<T>[]
  /** Returns pairs of mistakes at once. */
  twice(single: readonly Variant<T>[]): readonly Variant<T>[]
  /** Values that aren't mismatches, such as the correct one. */
  readonly except: readonly T[]
  keyOf(value: T): string
  /** Describes the mistake and its fix. */
  describe(
    how: string,
    value: T,
    causes: readonly string[],
  ): Pick<Mismatch<T>, 'what' | 'fix' | 'signedUrl'>
}

/** Creates a group of mistakes from variants, of equal values only the first. */
export function createMistakeGroup<T>({
  variants,
  twice,
  except,
  keyOf,
  describe,
}: MistakeGroupInput<T>): MistakeGroup<T> {
  const seen = new Set(except.map(keyOf))
  const distinct = (all: readonly Variant<T>[]) =>
    all.filter(([, , , value]) => seen.size < seen.add(keyOf(value)).size)
  const described = (all: readonly Variant<T>[]) =>
    all.map(([cause, rank, how, value, earlier = cause]): Mismatch<T> => {
      const causes = [...new Set([earlier, cause])]
      return { causes, rank, value, ...describe(how, value, causes) }
    })
  const single = distinct(variants)
  return { single: described(single), twice: () => described(distinct(twice(single))) }
}
