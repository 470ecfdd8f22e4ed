/** Signatures with likely mistakes, which a handler must reject. */
import type { DiagnosisInput } from './diagnosis-input.ts'
import { digestSizes, finalDigest } from './passes.ts'
import { firstPassOf, correctMethod, withMistakes, type TriedMistake } from './signing-method.ts'
import { collectMistakes } from './tried-mistakes.ts'

/** Mistake with the signature that it produces. */
export interface MistakenSignature extends Pick<TriedMistake, 'what' | 'fix' | 'rank'> {
  readonly id: string
  readonly cause: string
  signature(): string
}

/** Computes signatures with single mistakes of these ranks, likeliest first. */
export function likelyMistakes(
  input: Omit<DiagnosisInput, 'received'>,
  ranks: readonly number[],
): readonly MistakenSignature[] {
  const right = correctMethod(input)
  const counts = new Map<string, number>()
  const readings = Object.values(digestSizes).map((size) => ({
    digest: Buffer.alloc(size),
    mistake: null,
  }))
  return collectMistakes({ ...input, received: '' }, readings)
    .singles.filter(({ rank }) => ranks.includes(rank))
    .map((mistake): MistakenSignature => {
      const { causes, what, fix, rank } = mistake
      const cause = causes.join(' ')
      const count = (counts.get(cause) ?? 0) + 1
      counts.set(cause, count)
      const signature = () => {
        const method = withMistakes(right, [mistake])
        return finalDigest(method.passes, firstPassOf(method), method.key)
      }
      return { id: `${cause} ${count}`, cause, what, fix, rank, signature }
    })
}
