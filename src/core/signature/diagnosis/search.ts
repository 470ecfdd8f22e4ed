/**
 * Searches the fewest mistakes (`mistake.ts`) that produce a digest: signs with one, two and three,
 * and compares. First passes are compared too, because hashing once goes with any other mistake.
 */
import { pairsOf, triplesOf } from './combinations.ts'
import type { DiagnosisInput } from './diagnosis-input.ts'
import type { DigestReading } from './digest-readings.ts'
import { FirstPasses } from './first-passes.ts'
import type { NamedMistake } from './mistake.ts'
import { finalDigest, RIGHT_PASSES } from './passes.ts'
import {
  correctMethod,
  withMistakes,
  type SigningMethod,
  type TriedMistake,
} from './signing-method.ts'
import { collectMistakes, type SharedMistakes, type TriedMistakes } from './tried-mistakes.ts'

/** Limits in bytes hashed for two and three mistakes, which take some 50 ms. */
const MAX_COMBINED_WORK = { pairs: 15_000_000, triples: 2_000_000 }
/** Limit in bytes hashed for single mistakes. */
const MAX_SINGLE_WORK = 512 * 1_048_576
/** Limit in bytes hashed for several hooks: `work`, or `bodies` × body size if larger. */
const MAX_SHARED_WORK = { work: 6_000_000, bodies: 64 }
/** Number of hooks to search several mistakes with, and their share of the work. */
const SEVERAL_LIMITS = { hooks: 4, share: 0.4 }
/** Cause that is searched together with any other mistake or two. */
const COMMONEST = 'passes:once'

/** Number of mistakes to try together, besides hashing once. */
export type SearchDepth = 'single' | 'several'

/** Mistakes that produce a digest; empty if it is right. */
export interface ExplainedMistakes {
  /** Mistakes, likeliest first, with the digest's encoding. */
  readonly mistakes: readonly NamedMistake[]
  readonly tried: readonly TriedMistake[]
  readonly digest: Buffer
}

/** Finds the fewest mistakes with the secret of any hook of one delivery; none if it is right. */
export function findMistakesOfAny(
  inputs: readonly DiagnosisInput[],
  readings: readonly DigestReading[],
  depth: SearchDepth = 'several',
): (ExplainedMistakes & { readonly index: number }) | null {
  if (readings.length === 0) return null
  const shared: SharedMistakes = new Map()
  const count = inputs.length
  const searches = inputs.map((input) => new MistakeSearch(input, readings, shared))
  const { work, bodies } = MAX_SHARED_WORK
  const maxWork =
    count === 1 ? MAX_SINGLE_WORK : Math.max(work, bodies * (inputs[0]?.body.length ?? 0)) / count
  const share = count === 1 ? 1 : SEVERAL_LIMITS.share / Math.min(count, SEVERAL_LIMITS.hooks)
  return (
    fewest(searches.map((search) => search.findSingle(maxWork))) ??
    (depth === 'several'
      ? fewest(searches.slice(0, SEVERAL_LIMITS.hooks).map((search) => search.findSeveral(share)))
      : null) ??
    null
  )
}

function fewest(results: readonly (ExplainedMistakes | null)[]) {
  return results
    .flatMap((explanation, index) => (explanation === null ? [] : [{ index, ...explanation }]))
    .toSorted((a, b) => a.mistakes.length - b.mistakes.length)[0]
}

/** Search with one secret. */
class MistakeSearch {
  readonly #right: SigningMethod
  readonly #targets: readonly (DigestReading & { readonly base64: string })[]
  readonly #mistakes: TriedMistakes
  readonly #hashedOnce: TriedMistake | undefined
  readonly #firstPasses = new FirstPasses()

  constructor(input: DiagnosisInput, readings: readonly DigestReading[], shared: SharedMistakes) {
    this.#right = correctMethod(input)
    this.#targets = readings.map((reading) => ({
      ...reading,
      base64: reading.digest.toString('base64'),
    }))
    this.#mistakes = collectMistakes(input, readings, shared)
    this.#hashedOnce = this.#mistakes.singles.find(({ causes }) => causes[0] === COMMONEST)
  }

  /** Tries no mistake or one, and one with hashing once. */
  findSingle(maxWork: number): ExplainedMistakes | null {
    const first = this.#firstPasses.of(this.#right, [])
    const right = this.#explain(finalDigest(RIGHT_PASSES, first, this.#right.key), [])
    return (
      right ??
      this.#search(
        this.#mistakes.singles.map((mistake) => [mistake]),
        maxWork,
      )
    )
  }

  /** Tries two or three, with a share of the work; null without time left. */
  findSeveral(share: number): ExplainedMistakes | null {
    if (this.#firstPasses.work > MAX_SINGLE_WORK) return null
    const { singles } = this.#mistakes
    const pairsInOne = this.#mistakes.pairs()
    return (
      this.#search(pairsOf(singles, pairsInOne), MAX_COMBINED_WORK.pairs * share) ??
      this.#search(triplesOf(singles, pairsInOne), MAX_COMBINED_WORK.triples * share)
    )
  }

  /** Finds the first combination that explains the digest, else the first with hashing once. */
  #search(
    combinations: Iterable<readonly TriedMistake[]>,
    maxWork: number,
  ): ExplainedMistakes | null {
    const before = this.#firstPasses.work
    let withHashedOnce: ExplainedMistakes | null = null
    for (const combination of combinations) {
      if (this.#firstPasses.work - before > maxWork) break
      const method = withMistakes(this.#right, combination)
      const first = this.#firstPasses.of(method, combination)
      if (method.passes === RIGHT_PASSES && this.#hashedOnce !== undefined)
        withHashedOnce ??= this.#explain(first, combination, this.#hashedOnce)
      const explanation = this.#explain(finalDigest(method.passes, first, method.key), combination)
      if (explanation !== null) return explanation
    }
    return withHashedOnce
  }

  /** Returns all mistakes, likeliest first, if the digest is one that was read. */
  #explain(
    digest: string,
    mistakes: readonly TriedMistake[],
    hashedOnce?: TriedMistake,
  ): ExplainedMistakes | null {
    const target = this.#targets.find(({ base64 }) => base64 === digest)
    if (target === undefined) return null
    const all = hashedOnce === undefined ? mistakes : [hashedOnce, ...mistakes]
    const tried = all.toSorted((a, b) => a.rank - b.rank || a.id - b.id)
    const ofEncoding = target.mistake === null ? [] : [target.mistake]
    return { mistakes: [...tried, ...ofEncoding], tried, digest: target.digest }
  }
}
