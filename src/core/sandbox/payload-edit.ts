/**
 * `--set path=value` and `--unset path`: set or remove fields of a payload. Paths are names joined by dots; any JSON value can be
 * set.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { isJsonObject } from '../../shared/body/json-path.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Returns a copy with the fields set. Parents of a field must be objects already, so that typos are reported; only `metadata`,
 * which the client fills, is created if missing.
 */
export function setPaths<T extends object>(payload: T, set: Values): T {
  const entries = Object.entries(set)
  if (entries.length === 0) return payload
  const copy = structuredClone(payload)
  for (const [path, value] of entries) put(copy, path, value)
  return copy
}

/** The same without fields that remove an object (`card=null`): the event keeps its object, only its payload lacks it. */
export function setPathsWithin<T extends object>(payload: T, set: Values): T {
  return setPaths(
    payload,
    Object.fromEntries(
      Object.entries(set).filter(([path, value]) => !takesAway(payload, path, value)),
    ),
  )
}

/** Only the fields that remove an object, for the payload that is sent. */
export function setAwayPaths<T extends object>(payload: T, set: Values): T {
  return setPaths(
    payload,
    Object.fromEntries(
      Object.entries(set).filter(([path, value]) => takesAway(payload, path, value)),
    ),
  )
}

function takesAway(payload: object, path: string, value: unknown): boolean {
  return isJsonObject(path.split('.').reduce<unknown>(fieldOf, payload)) && !isJsonObject(value)
}

function put(payload: object, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce<unknown>(step, payload)
  if (last === '' || typeof parent !== 'object' || parent === null) {
    throw new AppError(
      'INVALID_INPUT',
      `Can't set \`${path}\`: the payload has no object \`${names.join('.')}\`.`,
    )
  }
  // Defined, not assigned: `__proto__` is an ordinary field name here.
  Object.defineProperty(parent, last, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

/** Returns a copy without the field; null if it doesn't exist. */
export function withoutPath<T extends object>(payload: T, path: string): T | null {
  const copy = structuredClone(payload)
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce<unknown>(fieldOf, copy)
  if (!isJsonObject(parent) || !Object.hasOwn(parent, last)) return null
  Reflect.deleteProperty(parent, last)
  return copy
}

/** Returns a copy without the fields. Throws `INVALID_INPUT` for a path that doesn't exist, so that typos are reported. */
export function withoutPaths<T extends object>(payload: T, paths: readonly string[]): T {
  return paths.reduce((left, path) => {
    const without = withoutPath(left, path)
    if (without === null) throw noSuchField(path)
    return without
  }, payload)
}

export function noSuchField(path: string): AppError {
  return new AppError('INVALID_INPUT', `Can't remove \`${path}\`: field not found.`)
}

function step(parent: unknown, name: string): unknown {
  const there = fieldOf(parent, name)
  if (name !== 'metadata' || (there !== undefined && there !== null)) return there
  return typeof parent === 'object' && parent !== null
    ? ((parent as Record<string, unknown>)[name] = {})
    : undefined
}

function fieldOf(parent: unknown, name: string): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)
    ? (parent as Record<string, unknown>)[name]
    : undefined
}
