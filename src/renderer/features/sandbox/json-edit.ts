/**
 * From an edited JSON text to the fields that were changed, by path, as the sandbox takes them: names joined by dots, arrays
 * as a whole. Fields can be set and added, not removed.
 */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
export type Fields = Readonly<Record<string, Json>>

/** What an edit cannot say to the sandbox, at the path that it is about. */
export interface EditProblem {
  readonly path: string
  readonly message: string
}

export interface Edit {
  readonly set: Fields
  readonly problems: readonly EditProblem[]
}

/** The fields of `after` that differ from `before`. */
export function changesBetween(before: unknown, after: unknown): Edit {
  const set: Record<string, Json> = {}
  const problems: EditProblem[] = []
  walk(before, after, [])
  return { set, problems }

  function walk(one: unknown, other: unknown, names: readonly string[]): void {
    if (!isObject(one) || !isObject(other)) {
      if (!isSame(one, other)) put(names, other as Json)
      return
    }
    for (const name of Object.keys(one)) {
      const path = [...names, name].join('.')
      if (!Object.hasOwn(other, name))
        problems.push({
          path,
          message: `\`${path}\` cannot be left out: fields can be set, to null for example, but not removed.`,
        })
    }
    for (const [name, value] of Object.entries(other))
      walk(Object.hasOwn(one, name) ? one[name] : undefined, value, [...names, name])
  }

  function put(names: readonly string[], value: Json): void {
    const path = names.join('.')
    const odd = names.find((name) => name === '' || name.includes('.'))
    if (odd === undefined) set[path] = value
    else problems.push({ path, message: `\`${odd}\` cannot be set by path: a name must not be empty or hold a dot.` })
  }
}

/** The fields set so far with those of a later edit; what is again as it was made is no change any more. */
export function mergedFields(earlier: Fields, later: Fields, made: unknown): Fields {
  const merged = { ...earlier, ...later }
  return Object.fromEntries(Object.entries(merged).filter(([path, value]) => !isSame(valueAt(made, path), value)))
}

/** The value at a path, undefined where there is none. */
export function valueAt(data: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), data)
}

/** The paths of all fields that can be set, deepest names included, in their order. */
export function pathsOf(data: unknown, prefix = ''): readonly string[] {
  if (!isObject(data)) return []
  return Object.entries(data).flatMap(([name, value]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    return isObject(value) ? pathsOf(value, path) : [path]
  })
}

/** A value as it is typed: JSON, or a plain text where it is none. */
export function typedValue(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    // Not JSON, so it stands for itself: `Corner Café` needs no quotes.
    return text
  }
}

/** Where a character stands in a text, both counted from 1. */
export function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, at).split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
