/**
 * References to earlier steps, such as `${purchase.id}`. A string that is only a reference becomes the value itself, of any type;
 * inside a longer string the value is inserted as text.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Path } from '../../shared/diff/path.ts'
import { fieldAt } from '../sandbox/scene.ts'

export type Remembered = ReadonlyMap<string, unknown>

const REFERENCE = /\$\{([^}]*)\}/g
const WHOLE = /^\$\{([^}]*)\}$/

/** A reference in a value. `name` is null if it can't be parsed. */
interface Reference {
  readonly name: string | null
  /** The complete reference, such as `${purchase.id}`. */
  readonly text: string
  /** The reference's path within the value. */
  readonly path: Path
}

export function referencesIn(value: unknown, path: Path = []): Reference[] {
  if (typeof value === 'string')
    return [...value.matchAll(REFERENCE)].map(([text, inside = '']) => ({
      name: /^[a-z][A-Za-z0-9-]*(\.[A-Za-z0-9_-]+)*$/.test(inside)
        ? (inside.split('.')[0] ?? null)
        : null,
      text,
      path,
    }))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    referencesIn(item, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}

/** A text for people: references without their marks, such as `purchase.id`. */
export function unmarked(text: string): string {
  return text.replaceAll(REFERENCE, (_, inside: string) => inside)
}

/** Whether a value is only a reference. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && WHOLE.test(value)
}

function lookUp(inside: string, remembered: Remembered): unknown {
  const [name = '', ...rest] = inside.split('.')
  if (!remembered.has(name))
    throw new AppError(
      'INVALID_INPUT',
      `${inside} isn't available: the step that saves ${name} didn't pass.`,
      {
        details: { notRemembered: name },
      },
    )
  const value =
    rest.length === 0 ? remembered.get(name) : fieldAt(remembered.get(name), rest.join('.'))
  if (value === undefined)
    throw new AppError(
      'INVALID_INPUT',
      `${inside} isn't available: ${name} has no field ${rest.join('.')}.`,
    )
  return value
}

/** Whether the error means that a needed value never arrived. Then the step is skipped, not failed. */
export function isNotRemembered({ details }: AppError): boolean {
  return typeof details === 'object' && details !== null && 'notRemembered' in details
}

/** Replaces all references. Throws `INVALID_INPUT` for an unknown one. */
export function fillIn(value: unknown, remembered: Remembered): unknown {
  if (typeof value === 'string') {
    const whole = WHOLE.exec(value)
    if (whole !== null) return lookUp(whole[1] ?? '', remembered)
    return value.replaceAll(REFERENCE, (_, inside: string) => {
      const found = lookUp(inside, remembered)
      return typeof found === 'string' ? found : JSON.stringify(found)
    })
  }
  if (Array.isArray(value)) return value.map((item) => fillIn(item, remembered))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, fillIn(item, remembered)]),
    )
  return value
}
