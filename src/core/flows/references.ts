/** Fills in references to earlier steps, such as `${purchase.id}`, as a value or within a text. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Path } from '../../shared/diff/path-pattern.ts'
import { fieldAt } from '../sandbox/payload-paths.ts'

export type Remembered = ReadonlyMap<string, unknown>

/** Reference within a text, also an invalid one: `${purchase.id}`. */
const REFERENCE = /\$\{((?:(?!\$\{)[^}])*)\}/g
const WHOLE_REFERENCE = /^\$\{([^}]*)\}$/

/** Reference in a value. `name` is null if it can't be parsed. */
interface Reference {
  readonly name: string | null
  readonly text: string
  readonly path: Path
}

export function referencesIn(value: unknown, path: Path = []): Reference[] {
  if (typeof value === 'string')
    return [...value.matchAll(REFERENCE)].map(([text, reference = '']) => ({
      // Matches `purchase.card.id`.
      name: /^[a-z][A-Za-z0-9-]*(\.[A-Za-z0-9_-]+)*$/.test(reference)
        ? (reference.split('.')[0] ?? null)
        : null,
      text,
      path,
    }))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    referencesIn(item, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}

/** Shows references without their marks: `purchase.id`. */
export function unmarked(text: string): string {
  return text.replaceAll(REFERENCE, (_, reference: string) => reference)
}

/** Whether a value is nothing but a reference. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && WHOLE_REFERENCE.test(value)
}

function rememberedValue(reference: string, remembered: Remembered): unknown {
  const [name = '', ...names] = reference.split('.')
  if (!remembered.has(name))
    throw new AppError(
      'INVALID_INPUT',
      `${reference} isn't available: the step that saves ${name} didn't pass.`,
      {
        details: { notRemembered: name },
      },
    )
  const value =
    names.length === 0 ? remembered.get(name) : fieldAt(remembered.get(name), names.join('.'))
  if (value === undefined)
    throw new AppError(
      'INVALID_INPUT',
      `${reference} isn't available: ${name} has no field ${names.join('.')}.`,
    )
  return value
}

/** Whether an error means that a value never arrived, so that the step is skipped, not failed. */
export function isNotRemembered({ details }: AppError): boolean {
  return typeof details === 'object' && details !== null && 'notRemembered' in details
}

/** Replaces all references. Throws `INVALID_INPUT` for an unknown one. */
export function fillIn(value: unknown, remembered: Remembered): unknown {
  if (typeof value === 'string') {
    const match = WHOLE_REFERENCE.exec(value)
    if (match !== null) return rememberedValue(match[1] ?? '', remembered)
    return value.replaceAll(REFERENCE, (_, reference: string) => {
      const replacement = rememberedValue(reference, remembered)
      return typeof replacement === 'string' ? replacement : JSON.stringify(replacement)
    })
  }
  if (Array.isArray(value)) return value.map((item) => fillIn(item, remembered))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, fillIn(item, remembered)]),
    )
  return value
}
