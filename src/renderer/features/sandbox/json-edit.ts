/**
 * Converts an edited JSON text to changed fields by path: names joined by dots, arrays as a whole. Fields can be set, added or
 * removed.
 */

import type { Literals } from '../../../shared/body/json-literals.ts'
import { isJsonObject } from '../../../shared/body/json-path.ts'
import { jsonMistake } from '../../../shared/json/scan.ts'

export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
export type Fields = Readonly<Record<string, Json>>

/** A change the sandbox has no path for. */
export interface EditProblem {
  readonly path: string
  readonly message: string
}

/** Fields to set and paths to remove. */
interface FieldChanges {
  readonly set: Fields
  readonly unset: readonly string[]
}

/** The same with numbers as typed, such as `10.00`. */
export interface FieldEdit extends FieldChanges {
  readonly literals: Literals
}

export interface Edit extends FieldChanges {
  readonly problems: readonly EditProblem[]
}

/** Compares two payloads: fields that differ and fields that are missing. */
export function changesBetween(before: unknown, after: unknown): Edit {
  const set: Record<string, Json> = {}
  const unset: string[] = []
  const problems: EditProblem[] = []
  walk(before, after, [])
  return { set, unset, problems }

  function walk(one: unknown, other: unknown, names: readonly string[]): void {
    if (!isJsonObject(one) || !isJsonObject(other)) {
      if (!isSame(one, other)) put(names, other as Json)
      return
    }
    for (const name of Object.keys(one)) {
      const removed = [...names, name]
      if (!Object.hasOwn(other, name) && canBeNamed(removed)) unset.push(removed.join('.'))
    }
    for (const [name, value] of Object.entries(other))
      walk(Object.hasOwn(one, name) ? one[name] : undefined, value, [...names, name])
  }

  function put(names: readonly string[], value: Json): void {
    if (canBeNamed(names)) set[names.join('.')] = value
  }

  function canBeNamed(names: readonly string[]): boolean {
    const odd = names.find((name) => name === '' || name.includes('.'))
    if (odd !== undefined)
      problems.push({
        path: names.join('.'),
        message: `Can't change \`${odd}\` by path: names must not be empty or contain a dot.`,
      })
    return odd === undefined
  }
}

/** Merges a later edit into an earlier one. Drops changes that restore the generated value. */
export function mergedEdit(
  earlier: FieldChanges,
  later: FieldChanges,
  made: unknown,
): FieldChanges {
  const set = Object.entries({ ...earlier.set, ...later.set }).filter(
    ([path, value]) =>
      !later.unset.some((gone) => isWithin(path, gone)) && !isSame(valueAt(made, path), value),
  )
  const still = earlier.unset.filter(
    (gone) =>
      !later.unset.some((path) => isWithin(gone, path)) &&
      !Object.keys(later.set).some((path) => isWithin(path, gone) || isWithin(gone, path)),
  )
  return {
    set: Object.fromEntries(set),
    unset: [...still, ...later.unset.filter((path) => valueAt(made, path) !== undefined)],
  }
}

/** Whether a path equals another or is inside it. */
function isWithin(path: string, of: string): boolean {
  return path === of || path.startsWith(`${of}.`)
}

/** The value at a path, or undefined. */
export function valueAt(data: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
      data,
    )
}

/** Paths of all fields that can be set, in order. */
export function pathsOf(data: unknown, prefix = ''): readonly string[] {
  if (!isJsonObject(data)) return []
  return Object.entries(data).flatMap(([name, value]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    return isJsonObject(value) ? pathsOf(value, path) : [path]
  })
}

/** A typed value: JSON, otherwise plain text. */
export function typedValue(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    // Not JSON, so it is text: `Corner Café` needs no quotes.
    return text
  }
}

export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  )
}

export type ReadJson =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  /** `at` is the index of the first unexpected character. */
  | { readonly ok: false; readonly at: number; readonly message: string }

/** Parses an object. The position of the first mistake is exact. */
export function readJsonObject(text: string): ReadJson {
  const mistake = jsonMistake(text)
  if (mistake !== null) return { ok: false, ...mistake }
  const value: unknown = JSON.parse(text)
  return isJsonObject(value)
    ? { ok: true, value }
    : { ok: false, at: 0, message: 'Expected an object: { … }.' }
}
