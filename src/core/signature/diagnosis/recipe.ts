/** Ingredients of a signature, right or replaced by mistake. */
import type { DiagnosisInput } from './diagnosis-input.ts'
import { RIGHT_LAYOUT, type Layout } from './layout-mistakes.ts'
import type { SigningMistake } from './mistake.ts'
import { firstDigest, RIGHT_PASSES, type Passes } from './passes.ts'

export interface Recipe {
  readonly key: Uint8Array
  readonly body: Uint8Array
  readonly url: string
  readonly timestamp: string
  readonly layout: Layout
  readonly passes: Passes
}

/** Mistake with the ingredient that it replaces. */
export interface TriedMistake extends SigningMistake<unknown> {
  readonly ingredient: keyof Recipe
  /** Number by which caches know it, and which decides between equal ranks. */
  readonly id: number
}

export function rightRecipe({
  key,
  body,
  url,
  timestamp,
}: Omit<DiagnosisInput, 'received'>): Recipe {
  return { key: key.export(), body, url, timestamp, layout: RIGHT_LAYOUT, passes: RIGHT_PASSES }
}

export function withMistakes(right: Recipe, mistakes: readonly TriedMistake[]): Recipe {
  const recipe: Record<keyof Recipe, unknown> = { ...right }
  for (const { ingredient, value } of mistakes) recipe[ingredient] = value
  return recipe as Recipe
}

/** Returns the joined parts, in pieces. */
export function piecesOf({ body, url, timestamp, layout }: Recipe): (Uint8Array | string)[] {
  if (layout === RIGHT_LAYOUT) return [body, url, timestamp]
  const values = { body, url, timestamp }
  return layout.parts.flatMap((part, index) =>
    index === 0 || layout.separator === '' ? [values[part]] : [layout.separator, values[part]],
  )
}

export function firstPassOf(recipe: Recipe): string {
  return firstDigest(recipe.passes, recipe.key, piecesOf(recipe))
}
