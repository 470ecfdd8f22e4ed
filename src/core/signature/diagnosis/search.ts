/**
 * Searches the fewest mistakes that produce a digest. Compares first passes too, because hashing
 * once is the commonest mistake and goes with any other. In one file, because all its steps share
 * the cache of first passes.
 */
import { bodyMismatches } from './body-mismatches.ts'
import type { Mismatch, DiagnosisInput, MistakeGroup } from './mismatch.ts'
import { layoutMismatches, RIGHT_LAYOUT, type Layout } from './layout-mismatches.ts'
import {
  digestSizes,
  finalDigest,
  firstDigest,
  passMismatches,
  RIGHT_PASSES,
  type Passes,
} from './pass-mismatches.ts'
import type { Reading } from './readings.ts'
import { resumableHmac } from '../quick-hmac.ts'
import { secretMismatches } from './secret-mismatches.ts'
import { timestampMismatches } from './timestamp-mismatches.ts'
import { urlMismatches } from './url-mismatches.ts'

/** Properties of any mistake, whatever its dimension. */
export type NamedMistake = Pick<Mismatch<unknown>, 'causes' | 'what' | 'fix' | 'signedUrl'>

/** Limits for two and three mistakes in bytes hashed, which take some 50 ms. */
const MAX_COMBINED_WORK = { pairs: 15_000_000, triples: 2_000_000 }
/** Limit in bytes hashed for single mistakes. */
const MAX_SINGLE_WORK = 512 * 1_048_576
/** Work to set up one hash, in bytes hashed. */
const HASH_WORK = 1_500
/** Work to resume a copied hash, in bytes hashed. */
const RESUMED_WORK = 8_000
/** Hashing budget for several hooks, in bytes: `work`, or `bodies` × body size if larger. */
const MAX_SHARED_WORK = { work: 6_000_000, bodies: 64 }
/** Number of hooks to search several mistakes with, and their share of the work. */
const SEVERAL_LIMITS = { hooks: 4, part: 0.4 }
/** Body size in bytes from which its hash is computed only once. */
const LONG_BODY = 4_096
const MAX_RANK_IN_PAIRS = 3
/** Cause that is searched together with any other mistake or two. */
const COMMONEST = 'passes:once'

interface Recipe {
  readonly key: Uint8Array
  readonly body: Uint8Array
  readonly url: string
  readonly timestamp: string
  readonly layout: Layout
  readonly passes: Passes
}

/** Mismatch with the field of the recipe that it changes. */
interface Change extends Mismatch<unknown> {
  readonly field: keyof Recipe
  readonly id: number
  /** Whether it stands for two mistakes. */
  readonly isTwo: boolean
}

function piecesOf({ body, url, timestamp, layout }: Recipe): (Uint8Array | string)[] {
  if (layout === RIGHT_LAYOUT) return [body, url, timestamp]
  const values = { body, url, timestamp }
  return layout.parts.flatMap((part, index) =>
    index === 0 || layout.separator === '' ? [values[part]] : [layout.separator, values[part]],
  )
}

function withChanges(right: Recipe, changes: readonly Change[]): Recipe {
  const recipe: Record<keyof Recipe, unknown> = { ...right }
  for (const { field, value } of changes) recipe[field] = value
  return recipe as Recipe
}

/** Creates a cache of first passes, which counts the work. */
function createFirstPasses() {
  const complete = new Map<string, string>()
  const partial = new Map<string, ReturnType<typeof resumableHmac>>()
  let work = 0

  function compute(recipe: Recipe, changes: readonly Change[]): string {
    const { passes, key, body, layout } = recipe
    const parts = piecesOf(recipe)
    const isPlain = passes.first === 'keyed' && passes.recoding === null
    if (body.length < LONG_BODY || !isPlain || layout.parts[0] !== 'body') {
      work += HASH_WORK + body.length
      return firstDigest(passes, key, parts)
    }
    const cacheKey = keyOf(
      passes,
      changes.filter(({ field }) => field === 'key' || field === 'body'),
    )
    let resume = partial.get(cacheKey)
    if (resume === undefined) {
      work += body.length
      resume = resumableHmac(passes.algorithm, key, body)
      partial.set(cacheKey, resume)
    }
    work += RESUMED_WORK
    return resume(parts.slice(1))
  }

  return {
    /** Returns the work so far in bytes hashed. */
    work: () => work,
    of(recipe: Recipe, changes: readonly Change[]): string {
      work += HASH_WORK
      // No other pair shares this first pass.
      if (changes.length > 1 && recipe.passes === RIGHT_PASSES) return compute(recipe, changes)
      const cacheKey = keyOf(recipe.passes, changes)
      const cached = complete.get(cacheKey)
      if (cached !== undefined) return cached
      const digest = compute(recipe, changes)
      complete.set(cacheKey, digest)
      return digest
    },
  }
}

function keyOf({ algorithm, first, recoding }: Passes, changes: readonly Change[]): string {
  let key = `${algorithm} ${first} ${recoding?.name ?? ''}`
  for (const { field, id } of changes) if (field !== 'passes') key += ` ${id}`
  return key
}

interface Changes {
  readonly single: readonly Change[]
  /** Returns two mistakes of one dimension at once. */
  twice(): readonly Change[]
}

/** Changes that don't depend on the secret, by registered URL. */
type SharedChanges = Map<string, Changes>

/**
 * First id of changes that several hooks share; changes of one hook's secret count from 0, so they
 * win ties.
 */
const SHARED_ID = 1_000_000

/** Collects mistakes by rank, then in the order given. */
function changesOf(
  groupsByField: readonly (readonly [keyof Recipe, MistakeGroup<unknown>])[],
  firstId: number,
  hasReadSize: (change: Change) => boolean,
): Changes {
  let id = firstId
  const changes = (
    isTwo: boolean,
    of: (group: MistakeGroup<unknown>) => readonly Mismatch<unknown>[],
  ) =>
    groupsByField
      .flatMap(([field, group]) =>
        of(group).map((mismatch): Change => ({ ...mismatch, field, isTwo, id: id++ })),
      )
      .filter(hasReadSize)
      .toSorted((a, b) => a.rank - b.rank)
  let twiceCache: readonly Change[] | null = null
  return {
    single: changes(false, ({ single }) => single),
    twice: () => (twiceCache ??= changes(true, ({ twice }) => twice())),
  }
}

export function allChanges(
  input: DiagnosisInput,
  readings: readonly Reading[],
  shared: SharedChanges = new Map(),
): Changes {
  const sizes = new Set(readings.map(({ digest }) => digest.length))
  const hasReadSize = ({ field, value }: Change) =>
    field !== 'passes' || sizes.has(digestSizes[(value as Passes).algorithm])
  let sharedChanges = shared.get(input.url)
  if (sharedChanges === undefined) {
    sharedChanges = changesOf(
      [
        ['passes', passMismatches],
        ['url', urlMismatches(input)],
        ['timestamp', timestampMismatches(input)],
        ['body', bodyMismatches(input)],
        ['layout', { single: layoutMismatches, twice: () => [] }],
      ],
      SHARED_ID,
      hasReadSize,
    )
    shared.set(input.url, sharedChanges)
  }
  const { single, twice } = sharedChanges
  const secretChanges = changesOf([['key', secretMismatches(input)]], 0, hasReadSize)
  const merged = (a: readonly Change[], b: readonly Change[]) =>
    [...a, ...b].toSorted((one, other) => one.rank - other.rank)
  return {
    single: merged(secretChanges.single, single),
    twice: () => merged(secretChanges.twice(), twice()),
  }
}

/** Mistake with the signature that it produces. */
export interface MistakenSignature extends Pick<Change, 'what' | 'fix' | 'rank'> {
  readonly id: string
  readonly cause: string
  signature(): string
}

/** Computes signatures with single mistakes of these ranks, likeliest first. */
export function likelyMistakes(
  input: Omit<DiagnosisInput, 'received'>,
  ranks: readonly number[],
): readonly MistakenSignature[] {
  const right = recipeOf(input)
  const counts = new Map<string, number>()
  const readings = Object.values(digestSizes).map((size) => ({
    digest: Buffer.alloc(size),
    mismatch: null,
  }))
  return allChanges({ ...input, received: '' }, readings)
    .single.filter(({ rank }) => ranks.includes(rank))
    .map((change): MistakenSignature => {
      const { causes, what, fix, rank } = change
      const cause = causes.join(' ')
      const count = (counts.get(cause) ?? 0) + 1
      counts.set(cause, count)
      const signature = () => {
        const recipe = withChanges(right, [change])
        const { passes, key } = recipe
        return finalDigest(passes, firstDigest(passes, key, piecesOf(recipe)), key)
      }
      return { id: `${cause} ${count}`, cause, what, fix, rank, signature }
    })
}

const recipeOf = ({ key, body, url, timestamp }: Omit<DiagnosisInput, 'received'>): Recipe => ({
  key: key.export(),
  body,
  url,
  timestamp,
  layout: RIGHT_LAYOUT,
  passes: RIGHT_PASSES,
})

/** Whether two changes can be combined: in different fields, and of no part that is left out. */
function canCombine(a: Change, b: Change): boolean {
  if (a.field === b.field) return false
  const layout = a.field === 'layout' ? a : b.field === 'layout' ? b : null
  if (layout === null) return true
  const { parts } = layout.value as Layout
  const otherChange = layout === a ? b : a
  return (
    !['body', 'url', 'timestamp'].includes(otherChange.field) ||
    (parts as readonly string[]).includes(otherChange.field)
  )
}

/** Yields pairs by the sum of ranks, first those with a shared first pass. */
function* pairs(single: readonly Change[], two: readonly Change[]): Generator<Change[]> {
  const byRank = Array.from({ length: MAX_RANK_IN_PAIRS + 1 }, (_, rank) =>
    single.filter((change) => change.rank === rank),
  )
  const isPasses = ({ field }: Change) => field === 'passes'
  for (let sum = 2; sum <= 2 * MAX_RANK_IN_PAIRS; sum++) {
    yield* two.filter(({ rank }) => rank === sum).map((change) => [change])
    const crossed = byRank.flatMap((likelier, rank) =>
      sum - rank < rank
        ? []
        : likelier.flatMap((a, index) =>
            (byRank[sum - rank] ?? [])
              .slice(sum === 2 * rank ? index + 1 : 0)
              .filter((b) => canCombine(a, b))
              .map((b) => [a, b]),
          ),
    )
    yield* crossed.filter((pair) => pair.some(isPasses))
    yield* crossed.filter((pair) => !pair.some(isPasses))
  }
}

/** Yields likely triples: two mistakes of one dimension, one of another. */
function* triples(single: readonly Change[], two: readonly Change[]): Generator<Change[]> {
  const likely = single.filter(({ rank }) => rank === 1)
  for (const pair of two.filter(({ rank }) => rank === 2))
    for (const change of likely) if (canCombine(pair, change)) yield [change, pair]
}

/** Number of mistakes to try together, besides hashing once. */
export type SearchDepth = 'single' | 'several'

/** Searches with one secret in two steps. An empty list means that the secret is right. */
function createSearch(input: DiagnosisInput, readings: readonly Reading[], shared: SharedChanges) {
  const correct = recipeOf(input)
  const firstPasses = createFirstPasses()
  const targets = readings.map(({ digest, mismatch }) => ({
    digest: digest.toString('base64'),
    mismatch,
  }))
  const explain = (made: string, changes: readonly Change[]): readonly NamedMistake[] | null => {
    const reading = targets.find(({ digest }) => digest === made)
    if (reading === undefined) return null
    const likeliestFirst = changes.toSorted((a, b) => a.rank - b.rank || a.id - b.id)
    return reading.mismatch === null ? likeliestFirst : [...likeliestFirst, reading.mismatch]
  }
  const changes = allChanges(input, readings, shared)
  const hashedOnce = changes.single.find(({ causes }) => causes[0] === COMMONEST)
  /** Mistakes that give the digest together with hashing once, as a first pass shows. */
  let withOnce: readonly NamedMistake[] | null = null
  const attempt = (combination: readonly Change[]): readonly NamedMistake[] | null => {
    const recipe = withChanges(correct, combination)
    const first = firstPasses.of(recipe, combination)
    if (recipe.passes === RIGHT_PASSES && hashedOnce !== undefined)
      withOnce ??= explain(first, [hashedOnce, ...combination])
    return explain(finalDigest(recipe.passes, first, recipe.key), combination)
  }
  const search = (
    combinations: Iterable<readonly Change[]>,
    most: number,
  ): readonly NamedMistake[] | null => {
    const before = firstPasses.work()
    for (const combination of combinations) {
      if (firstPasses.work() - before > most) break
      const mistakes = attempt(combination)
      if (mistakes !== null) return mistakes
    }
    return withOnce
  }
  return {
    /** Tries no mistake or one, and one with hashing once. */
    single(most: number): readonly NamedMistake[] | null {
      const right = attempt([])
      if (right !== null) return right
      withOnce = null
      return search(
        changes.single.map((change) => [change]),
        most,
      )
    },
    /** Tries two or three, with a part of the work; null without time left. */
    several(part: number): readonly NamedMistake[] | null {
      if (firstPasses.work() > MAX_SINGLE_WORK) return null
      const two = changes.twice()
      return (
        search(pairs(changes.single, two), MAX_COMBINED_WORK.pairs * part) ??
        search(triples(changes.single, two), MAX_COMBINED_WORK.triples * part)
      )
    },
  }
}

/** Finds the fewest mistakes with the secret of any hook of one delivery; none if it is right. */
export function findMistakesOfAny(
  inputs: readonly DiagnosisInput[],
  readings: readonly Reading[],
  depth: SearchDepth = 'several',
): { readonly index: number; readonly mistakes: readonly NamedMistake[] } | null {
  if (readings.length === 0) return null
  const shared: SharedChanges = new Map()
  const count = inputs.length
  const searches = inputs.map((input) => createSearch(input, readings, shared))
  const fewest = (results: readonly (readonly NamedMistake[] | null)[]) =>
    results
      .flatMap((mistakes, index) => (mistakes === null ? [] : [{ index, mistakes }]))
      .toSorted((a, b) => a.mistakes.length - b.mistakes.length)[0]
  const { work, bodies } = MAX_SHARED_WORK
  const most =
    count === 1 ? MAX_SINGLE_WORK : Math.max(work, bodies * (inputs[0]?.body.length ?? 0)) / count
  const part = count === 1 ? 1 : SEVERAL_LIMITS.part / Math.min(count, SEVERAL_LIMITS.hooks)
  return (
    fewest(searches.map(({ single }) => single(most))) ??
    (depth === 'several'
      ? fewest(searches.slice(0, SEVERAL_LIMITS.hooks).map(({ several }) => several(part)))
      : null) ??
    null
  )
}
