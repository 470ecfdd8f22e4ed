/** `--set path=value` and `--unset path`: change fields of a payload, or leave them out. Paths are names joined by dots; any JSON value may be set. */
import { AppError } from '../../shared/contract/errors.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * A copy with the fields set. What stands on the way to a field has to be an object already, so that a slip is told; but
 * `metadata`, which is the client's to fill, is made where it is missing.
 */
export function setPaths<T extends object>(payload: T, set: Values): T {
  const entries = Object.entries(set)
  if (entries.length === 0) return payload
  const copy = structuredClone(payload)
  for (const [path, value] of entries) put(copy, path, value)
  return copy
}

/** The same but for what takes an object away (`card=null`): a story goes on with its object, and only its payload lacks it. */
export function setPathsWithin<T extends object>(payload: T, set: Values): T {
  return setPaths(payload, Object.fromEntries(Object.entries(set).filter(([path, value]) => !takesAway(payload, path, value))))
}

/** Those that take an object away, for the payload that is sent. */
export function setAwayPaths<T extends object>(payload: T, set: Values): T {
  return setPaths(payload, Object.fromEntries(Object.entries(set).filter(([path, value]) => takesAway(payload, path, value))))
}

function takesAway(payload: object, path: string, value: unknown): boolean {
  return isObject(path.split('.').reduce<unknown>(fieldOf, payload)) && !isObject(value)
}

function put(payload: object, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce<unknown>(step, payload)
  if (last === '' || typeof parent !== 'object' || parent === null) {
    throw new AppError('INVALID_INPUT', `\`${path}\` cannot be set: the payload has no object \`${names.join('.')}\`.`)
  }
  // Defined, not assigned: `__proto__` is a field name like any other here.
  Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true })
}

/** A copy without the field of a path; null where it has no such field. */
export function withoutPath<T extends object>(payload: T, path: string): T | null {
  const copy = structuredClone(payload)
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce<unknown>(fieldOf, copy)
  if (!isObject(parent) || !Object.hasOwn(parent, last)) return null
  Reflect.deleteProperty(parent, last)
  return copy
}

/** A copy without the fields. Throws `INVALID_INPUT` where there is none of that path, so that a slip is told. */
export function withoutPaths<T extends object>(payload: T, paths: readonly string[]): T {
  return paths.reduce((left, path) => {
    const without = withoutPath(left, path)
    if (without === null) throw noSuchField(path)
    return without
  }, payload)
}

export function noSuchField(path: string): AppError {
  return new AppError('INVALID_INPUT', `\`${path}\` cannot be left out: there is no such field.`)
}

function step(parent: unknown, name: string): unknown {
  const there = fieldOf(parent, name)
  if (name !== 'metadata' || (there !== undefined && there !== null)) return there
  return typeof parent === 'object' && parent !== null ? ((parent as Record<string, unknown>)[name] = {}) : undefined
}

function fieldOf(parent: unknown, name: string): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)
    ? (parent as Record<string, unknown>)[name]
    : undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
