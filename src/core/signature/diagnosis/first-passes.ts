/** Computes first passes, and counts the work. */
import { resumableHmac } from '../quick-hmac.ts'
import { RIGHT_PASSES, type Passes } from './passes.ts'
import { firstPassOf, piecesOf, type SigningMethod, type TriedMistake } from './signing-method.ts'

/** Work to set up one hash, in bytes hashed. */
const HASH_WORK = 1_500
/** Work to resume a copied hash, in bytes hashed. */
const RESUMED_WORK = 8_000
/** Body size in bytes from which its hash is computed only once. */
const LONG_BODY = 4_096

export class FirstPasses {
  readonly #complete = new Map<string, string>()
  /** Hashes of long bodies, to be resumed with the other parts. */
  readonly #partial = new Map<string, ReturnType<typeof resumableHmac>>()
  #work = 0

  get work(): number {
    return this.#work
  }

  /** Returns the first pass in Base64, which many combinations share. */
  of(method: SigningMethod, mistakes: readonly TriedMistake[]): string {
    this.#work += HASH_WORK
    // No other pair shares this first pass.
    if (mistakes.length > 1 && method.passes === RIGHT_PASSES)
      return this.#compute(method, mistakes)
    const cacheKey = cacheKeyOf(method.passes, mistakes)
    const cached = this.#complete.get(cacheKey)
    if (cached !== undefined) return cached
    const digest = this.#compute(method, mistakes)
    this.#complete.set(cacheKey, digest)
    return digest
  }

  #compute(method: SigningMethod, mistakes: readonly TriedMistake[]): string {
    const { passes, key, body, layout } = method
    const isPlain = passes.first === 'keyed' && passes.recoding === null
    if (body.length < LONG_BODY || !isPlain || layout.parts[0] !== 'body') {
      this.#work += HASH_WORK + body.length
      return firstPassOf(method)
    }
    const cacheKey = cacheKeyOf(
      passes,
      mistakes.filter(({ part }) => part === 'key' || part === 'body'),
    )
    let resume = this.#partial.get(cacheKey)
    if (resume === undefined) {
      this.#work += body.length
      resume = resumableHmac(passes.algorithm, key, body)
      this.#partial.set(cacheKey, resume)
    }
    this.#work += RESUMED_WORK
    return resume(piecesOf(method).slice(1))
  }
}

function cacheKeyOf(
  { algorithm, first, recoding }: Passes,
  mistakes: readonly TriedMistake[],
): string {
  let key = `${algorithm} ${first} ${recoding?.name ?? ''}`
  for (const { part, id } of mistakes) if (part !== 'passes') key += ` ${id}`
  return key
}
