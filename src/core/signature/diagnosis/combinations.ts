/** Combinations of mistakes in different ingredients, likeliest first. */
import type { Layout } from './layout-mistakes.ts'
import type { TriedMistake } from './signing-method.ts'

/** Largest rank of a mistake in a pair. */
const MAX_RANK_IN_PAIRS = 3

/**
 * Yields two mistakes by the sum of their ranks: `pairsInOne`, which have them in one part,
 * then those that share their first pass with single mistakes, then all others.
 */
export function* pairsOf(
  singles: readonly TriedMistake[],
  pairsInOne: readonly TriedMistake[],
): Generator<TriedMistake[]> {
  const byRank = Array.from({ length: MAX_RANK_IN_PAIRS + 1 }, (_, rank) =>
    singles.filter((mistake) => mistake.rank === rank),
  )
  const isOfPasses = ({ part }: TriedMistake) => part === 'passes'
  for (let sum = 2; sum <= 2 * MAX_RANK_IN_PAIRS; sum++) {
    yield* pairsInOne.filter(({ rank }) => rank === sum).map((pair) => [pair])
    const crossed = byRank.flatMap((likelier, rank) =>
      sum - rank < rank
        ? []
        : likelier.flatMap((first, index) =>
            (byRank[sum - rank] ?? [])
              .slice(sum === 2 * rank ? index + 1 : 0)
              .filter((second) => canCombine(first, second))
              .map((second) => [first, second]),
          ),
    )
    yield* crossed.filter((pair) => pair.some(isOfPasses))
    yield* crossed.filter((pair) => !pair.some(isOfPasses))
  }
}

/** Yields likely triples: two mistakes in one part, one in another. */
export function* triplesOf(
  singles: readonly TriedMistake[],
  pairsInOne: readonly TriedMistake[],
): Generator<TriedMistake[]> {
  const likely = singles.filter(({ rank }) => rank === 1)
  for (const pair of pairsInOne.filter(({ rank }) => rank === 2))
    for (const single of likely) if (canCombine(pair, single)) yield [single, pair]
}

/** Whether two mistakes are in different ingredients, and in no part that is left out. */
function canCombine(a: TriedMistake, b: TriedMistake): boolean {
  if (a.part === b.part) return false
  const layout = a.part === 'layout' ? a : b.part === 'layout' ? b : null
  if (layout === null) return true
  const { part } = layout === a ? b : a
  return (
    (part !== 'body' && part !== 'url' && part !== 'timestamp') ||
    (layout.value as Layout).parts.includes(part)
  )
}
