/** Ingredients of a signature, right or replaced by mistake. */
import type { DiagnosisInput } from './diagnosis-input.ts'
import { RIGHT_LAYOUT, type Layout } from './layout-mistakes.ts'
import type { SigningMistake } from './mistake.ts'
import { firstDigest, RIGHT_PASSES, type Passes } from './passes.ts'

export interface SigningMethod {
  readonly key: Uint8Array
  readonly body: Uint8Array
  readonly url: string
  readonly timestamp: string
  readonly layout: Layout
  readonly passes: Passes
}

/** Mistake with the part that it replaces. */
export interface TriedMistake extends SigningMistake<unknown> {
  readonly part: keyof SigningMethod
  /** Number by which caches know it, and which decides between equal ranks. */
  readonly id: number
}

export function correctMethod({
  key,
  body,
  url,
  timestamp,
}: Omit<DiagnosisInput, 'received'>): SigningMethod {
  return { key: key.export(), body, url, timestamp, layout: RIGHT_LAYOUT, passes: RIGHT_PASSES }
}

export function withMistakes(
  right: SigningMethod,
  mistakes: readonly TriedMistake[],
): SigningMethod {
  const method: Record<keyof SigningMethod, unknown> = { ...right }
  for (const { part, value } of mistakes) method[part] = value
  return method as SigningMethod
}

/** Returns the joined parts, in pieces. */
export function piecesOf({ body, url, timestamp, layout }: SigningMethod): (Uint8Array | string)[] {
  if (layout === RIGHT_LAYOUT) return [body, url, timestamp]
  const values = { body, url, timestamp }
  return layout.parts.flatMap((part, index) =>
    index === 0 || layout.separator === '' ? [values[part]] : [layout.separator, values[part]],
  )
}

export function firstPassOf(method: SigningMethod): string {
  return firstDigest(method.passes, method.key, piecesOf(method))
}
