/**
 * A variant is a value that a signer may have used in place of one part of the signature
 * (key, body, URL, timestamp, layout or passes). A mistake is a variant described with its fix.
 */

/** Value used in place of the right one. */
export interface Variant<T> {
  /** Causes as `family:detail`, listed in `docs/diagnosis.md`; several if mistakes combine. */
  readonly causes: readonly string[]
  /** Likelihood from 1, the likeliest, to 5; the sum for combined mistakes. */
  readonly rank: number
  /** End of a sentence such as "Signed over the URL …": `with a trailing slash`. */
  readonly how: string
  readonly value: T
}

export function variant<T>(cause: string, rank: number, how: string, value: T): Variant<T> {
  return { causes: [cause], rank, how, value }
}

/** Mistake as reported; `what` and `fix` are sentences. */
export interface NamedMistake {
  readonly causes: readonly string[]
  readonly what: string
  readonly fix: string
  readonly signedUrl?: string
}

/** Mistake, or two, in one part, with the value that was signed. */
export interface SigningMistake<T> extends NamedMistake, Pick<Variant<T>, 'rank' | 'value'> {
  /** Missing if `what` names no value. */
  readonly how?: string
}

export interface PartMistakes<T> {
  readonly singles: readonly SigningMistake<T>[]
  /** Returns two mistakes at once, without those that equal a single one. Call once. */
  pairs(): readonly SigningMistake<T>[]
}

interface VariantTable<T> {
  readonly variants: readonly Variant<T>[]
  pairsOf(variants: readonly Variant<T>[]): readonly Variant<T>[]
  /** Values to leave out, such as the right one. */
  readonly except: readonly T[]
  /** Returns a text that only equal values share. */
  identityOf(value: T): string
  describe(variant: Variant<T>): Omit<NamedMistake, 'causes'>
}

/** Describes the variants, of equal values only the first. */
export function describeVariants<T>(table: VariantTable<T>): PartMistakes<T> {
  const seen = new Set(table.except.map(table.identityOf))
  const distinct = (variants: readonly Variant<T>[]) =>
    variants.filter(({ value }) => {
      const identity = table.identityOf(value)
      const isNew = !seen.has(identity)
      seen.add(identity)
      return isNew
    })
  const described = (variants: readonly Variant<T>[]) =>
    variants.map((one): SigningMistake<T> => {
      const { causes, rank, how, value } = one
      return { causes, rank, how, value, ...table.describe(one) }
    })
  const singles = distinct(table.variants)
  return {
    singles: described(singles),
    pairs: () => described(distinct(table.pairsOf(singles))),
  }
}

/** Largest sum of the ranks of two mistakes in one part. */
export const MAX_PAIR_RANK = 4

/** Combines two mistakes; `second` was made from the value of `first`. */
export function combineVariants<T>(first: Variant<unknown>, second: Variant<T>): Variant<T> {
  return {
    causes: [...new Set([...first.causes, ...second.causes])],
    rank: first.rank + second.rank,
    how: `${first.how} and ${second.how}`,
    value: second.value,
  }
}

/** Combines each likely variant with the variants of its value, the likelier one first. */
export function combineLikely<T>(
  variants: readonly Variant<T>[],
  variantsOf: (value: T, maxRank: number) => readonly Variant<T>[],
): Variant<T>[] {
  return variants
    .filter(({ rank }) => 2 * rank <= MAX_PAIR_RANK)
    .flatMap((first) => {
      const maxRank = MAX_PAIR_RANK - first.rank
      return variantsOf(first.value, maxRank)
        .filter(({ rank }) => rank <= maxRank)
        .map((second) => combineVariants(first, second))
    })
}
