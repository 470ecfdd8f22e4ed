/**
 * The search: single mistakes by likelihood, then two together, of one dimension or of two, then the likeliest three. The first that
 * produces exactly the digest is the shortest explanation. First passes are compared too, because hashing once is the commonest
 * mistake: it goes with any other without hashing again.
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

/** The properties of any mistake, whatever its dimension. */
export type Named = Pick<Mismatch<unknown>, 'causes' | 'what' | 'fix' | 'signedUrl'>

/**
 * The work for two and for three mistakes, in bytes hashed: this keeps a search below 50 ms. Computing one hash takes as long as
 * hashing some more bytes.
 */
const MOST_WORK = { pairs: 15_000_000, triples: 2_000_000 }
/** For single mistakes: with a body of ten megabytes only the likeliest are tried. */
const MOST_SINGLE_WORK = 512 * 1_048_576
const HASH_WORK = 1_500
const RESUMED_WORK = 8_000
/** With several hooks, the work for the single mistakes of all: this, or that of hashing the body so many times. */
const MOST_SHARED = { work: 6_000_000, bodies: 64 }
/** Two and three mistakes are tried with this many of several hooks, the likeliest, and with this part of the work for one. */
const SEVERAL = { hooks: 4, part: 0.4 }
/** From this body size on, the hash over the body is computed once and continued for each ending. */
const LONG_BODY = 4_096
/** Mistakes up to this rank are combined with another. */
const RANK_IN_PAIRS = 3
/** Goes with any other mistake or two. */
const COMMONEST = 'passes:once'

interface Recipe {
  readonly key: Uint8Array
  readonly body: Uint8Array
  readonly url: string
  readonly timestamp: string
  readonly layout: Layout
  readonly passes: Passes
}

/** A mismatch with the part of the signing method that it changes. */
interface Change extends Mismatch<unknown> {
  readonly field: keyof Recipe
  readonly id: number
  /** Whether it is two mistakes. */
  readonly isTwo: boolean
}

function pieces({ body, url, timestamp, layout }: Recipe): (Uint8Array | string)[] {
  if (layout === RIGHT_LAYOUT) return [body, url, timestamp]
  const values = { body, url, timestamp }
  return layout.parts.flatMap((part, index) =>
    index === 0 || layout.separator === '' ? [values[part]] : [layout.separator, values[part]],
  )
}

function changed(right: Recipe, changes: readonly Change[]): Recipe {
  const recipe: Record<keyof Recipe, unknown> = { ...right }
  for (const { field, value } of changes) recipe[field] = value
  return recipe as Recipe
}

/** Computes first passes and caches shared work: complete ones by their changes, partial ones by key and body. */
function createFirstPasses() {
  const whole = new Map<string, string>()
  const begun = new Map<string, ReturnType<typeof resumableHmac>>()
  let work = 0

  function make(recipe: Recipe, changes: readonly Change[]): string {
    const { passes, key, body, layout } = recipe
    const parts = pieces(recipe)
    const isPlain = passes.first === 'keyed' && passes.recoding === null
    if (body.length < LONG_BODY || !isPlain || layout.parts[0] !== 'body') {
      work += HASH_WORK + body.length
      return firstDigest(passes, key, parts)
    }
    const name = nameOf(
      passes,
      changes.filter(({ field }) => field === 'key' || field === 'body'),
    )
    let resume = begun.get(name)
    if (resume === undefined) {
      work += body.length
      resume = resumableHmac(passes.algorithm, key, body)
      begun.set(name, resume)
    }
    work += RESUMED_WORK
    return resume(parts.slice(1))
  }

  return {
    /** Work so far, with one second pass for each first. */
    work: () => work,
    of(recipe: Recipe, changes: readonly Change[]): string {
      work += HASH_WORK
      // Nothing else shares the first pass of two mistakes that aren't about the passes.
      if (changes.length > 1 && recipe.passes === RIGHT_PASSES) return make(recipe, changes)
      const name = nameOf(recipe.passes, changes)
      const known = whole.get(name)
      if (known !== undefined) return known
      const made = make(recipe, changes)
      whole.set(name, made)
      return made
    },
  }
}

function nameOf({ algorithm, first, recoding }: Passes, changes: readonly Change[]): string {
  let name = `${algorithm} ${first} ${recoding?.name ?? ''}`
  for (const { field, id } of changes) if (field !== 'passes') name += ` ${id}`
  return name
}

interface Changes {
  readonly single: readonly Change[]
  /** Two mistakes of one dimension each. */
  twice(): readonly Change[]
}

/** The mistakes that don't depend on the secret, by the registered URL: the searches of one delivery share them. */
type SharedChanges = Map<string, Changes>

/** Ids of mistakes that don't depend on the secret start here: those about the secret come first among equal ranks. */
const SHARED_ID = 1_000_000

/** The mistakes of some dimensions; equal ranks in the order given. */
function changesOf(
  families: readonly (readonly [keyof Recipe, MistakeGroup<unknown>])[],
  firstId: number,
  isRead: (change: Change) => boolean,
): Changes {
  let id = firstId
  const changes = (
    isTwo: boolean,
    of: (family: MistakeGroup<unknown>) => readonly Mismatch<unknown>[],
  ) =>
    families
      .flatMap(([field, family]) =>
        of(family).map((mismatch): Change => ({ ...mismatch, field, isTwo, id: id++ })),
      )
      .filter(isRead)
      .toSorted((a, b) => a.rank - b.rank)
  let both: readonly Change[] | null = null
  return {
    single: changes(false, ({ single }) => single),
    twice: () => (both ??= changes(true, ({ twice }) => twice())),
  }
}

/** All mistakes, likeliest first. */
export function allChanges(
  input: DiagnosisInput,
  readings: readonly Reading[],
  shared: SharedChanges = new Map(),
): Changes {
  const sizes = new Set(readings.map(({ digest }) => digest.length))
  const isRead = ({ field, value }: Change) =>
    field !== 'passes' || sizes.has(digestSizes[(value as Passes).algorithm])
  let others = shared.get(input.url)
  if (others === undefined) {
    others = changesOf(
      [
        ['passes', passMismatches],
        ['url', urlMismatches(input)],
        ['timestamp', timestampMismatches(input)],
        ['body', bodyMismatches(input)],
        ['layout', { single: layoutMismatches, twice: () => [] }],
      ],
      SHARED_ID,
      isRead,
    )
    shared.set(input.url, others)
  }
  const { single, twice } = others
  const own = changesOf([['key', secretMismatches(input)]], 0, isRead)
  const merged = (a: readonly Change[], b: readonly Change[]) =>
    [...a, ...b].toSorted((one, other) => one.rank - other.rank)
  return {
    single: merged(own.single, single),
    twice: () => merged(own.twice(), twice()),
  }
}

/** A mistake and how to compute the signature it produces. */
export interface Mistaken extends Pick<Change, 'what' | 'fix' | 'rank'> {
  /** The same for every body, although some mistakes don't apply to all. */
  readonly id: string
  readonly cause: string
  signature(): string
}

/**
 * Computes the signatures that the single mistakes of these ranks produce for a delivery, likeliest
 * first. A handler that accepts one of them makes that mistake.
 */
export function likelyMistakes(
  input: Omit<DiagnosisInput, 'received'>,
  ranks: readonly number[],
): readonly Mistaken[] {
  const right = recipeOf(input)
  const counts = new Map<string, number>()
  const readings = Object.values(digestSizes).map((size) => ({
    digest: Buffer.alloc(size),
    mismatch: null,
  }))
  return allChanges({ ...input, received: '' }, readings)
    .single.filter(({ rank }) => ranks.includes(rank))
    .map((change): Mistaken => {
      const { causes, what, fix, rank } = change
      const cause = causes.join(' ')
      const count = (counts.get(cause) ?? 0) + 1
      counts.set(cause, count)
      const signature = () => {
        const recipe = changed(right, [change])
        const { passes, key } = recipe
        return finalDigest(passes, firstDigest(passes, key, pieces(recipe)), key)
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

/** Whether two changes can be distinguished: a part that is missing can't also be written differently. */
function goTogether(a: Change, b: Change): boolean {
  if (a.field === b.field) return false
  const layout = a.field === 'layout' ? a : b.field === 'layout' ? b : null
  if (layout === null) return true
  const { parts } = layout.value as Layout
  const other = layout === a ? b : a
  return (
    !['body', 'url', 'timestamp'].includes(other.field) ||
    (parts as readonly string[]).includes(other.field)
  )
}

/**
 * Two mistakes, of one dimension or of two, by the sum of their ranks: likely ones with likely ones first. Among equals, those that
 * share a first pass take the least work.
 */
function* pairs(single: readonly Change[], two: readonly Change[]): Generator<Change[]> {
  const byRank = Array.from({ length: RANK_IN_PAIRS + 1 }, (_, rank) =>
    single.filter((change) => change.rank === rank),
  )
  const isPasses = ({ field }: Change) => field === 'passes'
  for (let sum = 2; sum <= 2 * RANK_IN_PAIRS; sum++) {
    yield* two.filter(({ rank }) => rank === sum).map((both) => [both])
    const crossed = byRank.flatMap((likelier, rank) =>
      sum - rank < rank
        ? []
        : likelier.flatMap((a, index) =>
            (byRank[sum - rank] ?? [])
              .slice(sum === 2 * rank ? index + 1 : 0)
              .filter((b) => goTogether(a, b))
              .map((b) => [a, b]),
          ),
    )
    yield* crossed.filter((pair) => pair.some(isPasses))
    yield* crossed.filter((pair) => !pair.some(isPasses))
  }
}

/** The likeliest three without the commonest: two of one dimension with one of another. */
function* triples(single: readonly Change[], two: readonly Change[]): Generator<Change[]> {
  const likely = single.filter(({ rank }) => rank === 1)
  for (const both of two.filter(({ rank }) => rank === 2))
    for (const one of likely) if (goTogether(both, one)) yield [one, both]
}

/** Whether only single mistakes are tried, also with the commonest. */
export type SearchDepth = 'single' | 'several'

/** The search with one secret, in two steps. Each returns the mistakes that produce one of the readings; empty: no mistake. */
function openSearch(input: DiagnosisInput, readings: readonly Reading[], shared: SharedChanges) {
  const correct = recipeOf(input)
  const firsts = createFirstPasses()
  const known = readings.map(({ digest, mismatch }) => ({
    digest: digest.toString('base64'),
    mismatch,
  }))
  const read = (made: string, changes: readonly Change[]): readonly Named[] | null => {
    const reading = known.find(({ digest }) => digest === made)
    if (reading === undefined) return null
    const ordered = changes.toSorted((a, b) => a.rank - b.rank || a.id - b.id)
    return reading.mismatch === null ? ordered : [...ordered, reading.mismatch]
  }
  const changes = allChanges(input, readings, shared)
  const once = changes.single.find(({ causes }) => causes[0] === COMMONEST)
  /** Found with one mistake more than all that were tried: that it was hashed once. */
  let withOnce: readonly Named[] | null = null
  const attempt = (tried: readonly Change[]): readonly Named[] | null => {
    const recipe = changed(correct, tried)
    const first = firsts.of(recipe, tried)
    if (recipe.passes === RIGHT_PASSES && once !== undefined)
      withOnce ??= read(first, [once, ...tried])
    return read(finalDigest(recipe.passes, first, recipe.key), tried)
  }
  const search = (all: Iterable<readonly Change[]>, most: number): readonly Named[] | null => {
    const before = firsts.work()
    for (const tried of all) {
      if (firsts.work() - before > most) break
      const found = attempt(tried)
      if (found !== null) return found
    }
    return withOnce
  }
  return {
    /** No mistake or one, and one with the commonest. */
    single(most: number): readonly Named[] | null {
      const right = attempt([])
      if (right !== null) return right
      withOnce = null
      return search(
        changes.single.map((change) => [change]),
        most,
      )
    },
    /** Two or three, with a part of the usual work; null if single ones took too long. */
    several(part: number): readonly Named[] | null {
      if (firsts.work() > MOST_SINGLE_WORK) return null
      const two = changes.twice()
      return (
        search(pairs(changes.single, two), MOST_WORK.pairs * part) ??
        search(triples(changes.single, two), MOST_WORK.triples * part)
      )
    },
  }
}

/**
 * The mistakes that produce one of the readings, with the secret of one of several hooks: the fewest, then those of the first hook,
 * then the likeliest. Null if none do; no mistakes if a secret is right. The inputs are of one delivery.
 */
export function findMistakesOfAny(
  inputs: readonly DiagnosisInput[],
  readings: readonly Reading[],
  depth: SearchDepth = 'several',
): { readonly index: number; readonly mistakes: readonly Named[] } | null {
  if (readings.length === 0) return null
  const shared: SharedChanges = new Map()
  const count = inputs.length
  const searches = inputs.map((input) => openSearch(input, readings, shared))
  const fewest = (found: readonly (readonly Named[] | null)[]) =>
    found
      .flatMap((mistakes, index) => (mistakes === null ? [] : [{ index, mistakes }]))
      .toSorted((a, b) => a.mistakes.length - b.mistakes.length)[0]
  const { work, bodies } = MOST_SHARED
  const most =
    count === 1 ? MOST_SINGLE_WORK : Math.max(work, bodies * (inputs[0]?.body.length ?? 0)) / count
  const part = count === 1 ? 1 : SEVERAL.part / Math.min(count, SEVERAL.hooks)
  return (
    fewest(searches.map(({ single }) => single(most))) ??
    (depth === 'several'
      ? fewest(searches.slice(0, SEVERAL.hooks).map(({ several }) => several(part)))
      : null) ??
    null
  )
}

/** The same for one hook. */
export function findMistakes(
  input: DiagnosisInput,
  readings: readonly Reading[],
): readonly Named[] | null {
  return findMistakesOfAny([input], readings)?.mistakes ?? null
}
