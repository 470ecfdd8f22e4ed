/**
 * Converts an edited JSON text to changed fields by path: names joined by dots, arrays as a whole.
 * Fields can be set, added or removed.
 */
import { hashKey } from '@tanstack/react-query'
import type { Literals } from '../../../shared/body/json-literals.ts'
import { isJsonObject } from '../../../shared/body/json-path.ts'
import { explainInvalidJson } from '../../../shared/json/scan.ts'

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json }

/** A change the sandbox has no path for. */
interface EditProblem {
  readonly path: string
  readonly message: string
}

interface FieldChanges {
  readonly set: Readonly<Record<string, Json>>
  readonly unset: readonly string[]
}

/** Changed fields with numbers as typed, such as `10.00`. */
export interface FieldEdit extends FieldChanges {
  readonly literals: Literals
}

interface Edit extends FieldChanges {
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
      if (!isSame(one, other) && canBeNamed(names)) set[names.join('.')] = other as Json
      return
    }
    for (const name of Object.keys(one)) {
      const removed = [...names, name]
      if (!Object.hasOwn(other, name) && canBeNamed(removed)) unset.push(removed.join('.'))
    }
    for (const [name, value] of Object.entries(other))
      walk(Object.hasOwn(one, name) ? one[name] : undefined, value, [...names, name])
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

export function valueAt(data: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
      data,
    )
}

/** Whether two JSON values are equal, in any order of their members. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other
  return hashKey([one]) === hashKey([other])
}

type ReadJson =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  /** `at` is the index of the first unexpected character. */
  | { readonly ok: false; readonly at: number; readonly message: string }

/** Parses an object. The position of the first mistake is exact. */
export function readJsonObject(text: string): ReadJson {
  const mistake = explainInvalidJson(text)
  if (mistake !== null) return { ok: false, ...mistake }
  const value: unknown = JSON.parse(text)
  return isJsonObject(value)
    ? { ok: true, value }
    : { ok: false, at: 0, message: 'Expected an object: { … }.' }
}
