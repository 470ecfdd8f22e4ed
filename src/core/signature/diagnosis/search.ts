/**
 * The search: single mistakes by likelihood, then pairs, then the likeliest triples. The first that produces exactly the digest is
 * the shortest explanation. First passes are cached, because many mistakes share one.
 */
import type { KeyObject } from 'node:crypto'
import { bodyDepartures } from './body-departures.ts'
import type { Departure, DiagnosisInput } from './departure.ts'
import { layoutDepartures, RIGHT_LAYOUT, type Layout } from './layout-departures.ts'
import {
  digestSizes,
  firstDigest,
  passDepartures,
  RIGHT_PASSES,
  type Passes,
} from './pass-departures.ts'
import type { Reading } from './readings.ts'
import { resumableHmac } from '../quick-hmac.ts'
import { secretDepartures } from './secret-departures.ts'
import { timestampDepartures } from './timestamp-departures.ts'
import { urlDepartures } from './url-departures.ts'

/** The properties of any mistake, whatever its dimension. */
export type Named = Pick<Departure<unknown>, 'cause' | 'what' | 'fix' | 'signedUrl'>

/** The most combinations tried and bytes hashed for them: this keeps a search below 50 ms. */
const MOST_PAIRS = 1_600
const MOST_TRIPLES = 400
const COMBINED_BYTES = 24 * 1_048_576
/** The most bytes hashed for single mistakes: with a body of ten megabytes only the likeliest are tried. */
const SINGLE_BYTES = 512 * 1_048_576
/** From this body size on, the hash over the body is computed once and continued for each ending. */
const LONG_BODY = 4_096
/** Mistakes up to this rank are combined with another. */
const RANK_IN_PAIRS = 3
/** Triples must include the most frequent mistake. */
const COMMONEST = 'passes:once'

interface Recipe {
  readonly key: KeyObject
  readonly body: Uint8Array
  readonly url: string
  readonly timestamp: string
  readonly layout: Layout
  readonly passes: Passes
}

/** A departure with the part of the signing method that it changes. */
interface Change extends Departure<unknown> {
  readonly field: keyof Recipe
  readonly id: number
}

function pieces({ body, url, timestamp, layout }: Recipe): (Uint8Array | string)[] {
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
  const whole = new Map<string, Buffer>()
  const begun = new Map<string, ReturnType<typeof resumableHmac>>()
  let hashed = 0

  function make(recipe: Recipe, changes: readonly Change[]): Buffer {
    const { passes, key, body, layout } = recipe
    const parts = pieces(recipe)
    if (body.length < LONG_BODY || passes.first !== 'keyed' || layout.parts[0] !== 'body') {
      hashed += body.length
      return firstDigest(passes, key, parts)
    }
    const name = nameOf(
      passes,
      changes.filter(({ field }) => field === 'key' || field === 'body'),
    )
    let resume = begun.get(name)
    if (resume === undefined) {
      hashed += body.length
      resume = resumableHmac(passes.algorithm, key, body)
      begun.set(name, resume)
    }
    return resume(parts.slice(1))
  }

  return {
    /** Bytes of bodies hashed so far. */
    hashed: () => hashed,
    of(recipe: Recipe, changes: readonly Change[]): Buffer {
      const name = nameOf(recipe.passes, changes)
      const known = whole.get(name)
      if (known !== undefined) return known
      const made = make(recipe, changes)
      whole.set(name, made)
      return made
    },
  }
}

function nameOf({ algorithm, first }: Passes, changes: readonly Change[]): string {
  let name = `${algorithm} ${first}`
  for (const { field, id } of changes) if (field !== 'passes') name += ` ${id}`
  return name
}

/** All mistakes, likeliest first; equal ranks in the order in which they usually occur. */
function allChanges(input: DiagnosisInput, readings: readonly Reading[]): Change[] {
  let id = 0
  const sizes = new Set(readings.map(({ digest }) => digest.length))
  const passes = passDepartures.filter(({ value }) => sizes.has(digestSizes[value.algorithm]))
  const changes = (field: keyof Recipe, departures: readonly Departure<unknown>[]) =>
    departures.map((departure): Change => ({ ...departure, field, id: id++ }))
  return [
    ...changes('key', secretDepartures(input)),
    ...changes('passes', passes),
    ...changes('url', urlDepartures(input)),
    ...changes('timestamp', timestampDepartures(input)),
    ...changes('body', bodyDepartures(input)),
    ...changes('layout', layoutDepartures),
  ].toSorted((a, b) => a.rank - b.rank)
}

/** A mistake and the signature it produces. */
export interface Mistaken extends Named {
  readonly signature: string
}

/**
 * The signatures that the likeliest single mistakes produce for a delivery. A handler that accepts one of them makes that mistake.
 */
export function likeliestMistakes(input: Omit<DiagnosisInput, 'received'>): readonly Mistaken[] {
  const { key, body, url, timestamp } = input
  const right: Recipe = { key, body, url, timestamp, layout: RIGHT_LAYOUT, passes: RIGHT_PASSES }
  const made = allChanges({ ...input, received: '' }, [
    { digest: Buffer.alloc(digestSizes.sha256), departure: null },
  ])
    .filter(({ rank }) => rank === 1)
    .map((change): Mistaken => {
      const recipe = changed(right, [change])
      const signature = recipe.passes.finish(
        firstDigest(recipe.passes, recipe.key, pieces(recipe)),
        recipe.key,
      )
      const { cause, what, fix } = change
      return { cause, what, fix, signature: signature.toString('base64') }
    })
  return [
    ...new Map(made.toReversed().map((mistake) => [mistake.signature, mistake])).values(),
  ].toReversed()
}

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

function* pairs(changes: readonly Change[]): Generator<Change[]> {
  const likely = changes.filter(({ rank }) => rank <= RANK_IN_PAIRS)
  // By the sum of their ranks: likely ones with likely ones first.
  for (let sum = 2; sum <= 2 * RANK_IN_PAIRS; sum++) {
    for (const [index, a] of likely.entries()) {
      if (a.rank > sum - 1) break
      for (let other = index + 1; other < likely.length; other++) {
        const b = likely[other]!
        if (a.rank + b.rank > sum) break
        if (a.rank + b.rank === sum && goTogether(a, b)) yield [a, b]
      }
    }
  }
}

function* triples(changes: readonly Change[]): Generator<Change[]> {
  const commonest = changes.find(({ cause }) => cause === COMMONEST)
  const likely = changes.filter(
    ({ rank, field }) => rank === 1 && field !== 'key' && field !== 'passes',
  )
  if (commonest === undefined) return
  for (const [index, a] of likely.entries()) {
    for (const b of likely.slice(index + 1)) if (goTogether(a, b)) yield [commonest, a, b]
  }
}

/** The mistakes that produce one of the readings: the fewest, then the likeliest. Null if none do; empty: no mistake. */
export function findMistakes(
  input: DiagnosisInput,
  readings: readonly Reading[],
): readonly Named[] | null {
  if (readings.length === 0) return null
  const { key, body, url, timestamp } = input
  const right: Recipe = { key, body, url, timestamp, layout: RIGHT_LAYOUT, passes: RIGHT_PASSES }
  const firsts = createFirstPasses()
  const attempt = (changes: readonly Change[]): readonly Named[] | null => {
    const recipe = changed(right, changes)
    const made = recipe.passes.finish(firsts.of(recipe, changes), recipe.key)
    const reading = readings.find(({ digest }) => digest.equals(made))
    if (reading === undefined) return null
    return reading.departure === null ? changes : [...changes, reading.departure]
  }
  const known = attempt([])
  if (known !== null) return known

  const changes = allChanges(input, readings)
  for (const change of changes) {
    if (firsts.hashed() > SINGLE_BYTES) return null
    const found = attempt([change])
    if (found !== null) return found
  }
  const before = firsts.hashed()
  for (const combination of combinations(changes)) {
    if (firsts.hashed() - before > COMBINED_BYTES) return null
    const found = attempt(combination)
    if (found !== null) return found
  }
  return null
}

function* combinations(changes: readonly Change[]): Generator<Change[]> {
  yield* pairs(changes).take(MOST_PAIRS)
  yield* triples(changes).take(MOST_TRIPLES)
}
