/** Sets and removes fields of a payload by path. */
import { isJsonObject } from '../../shared/body/json-path.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Values } from './event-context.ts'

/** Returns the field at a dotted path; undefined without one. */
export function fieldAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>(memberOf, value)
}

function memberOf(parent: unknown, name: string): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)
    ? (parent as Values)[name]
    : undefined
}

/**
 * Returns a copy with the fields set. Throws `INVALID_INPUT` for a path whose object is missing,
 * except `metadata`, which is created.
 */
export function setPaths<T extends object>(payload: T, set: Values): T {
  const entries = Object.entries(set)
  if (entries.length === 0) return payload
  const copy = structuredClone(payload)
  for (const [path, value] of entries) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const parent = names.reduce<unknown>(stepInto, copy)
    if (last === '' || typeof parent !== 'object' || parent === null)
      throw new AppError(
        'INVALID_INPUT',
        `Can't set \`${path}\`: the payload has no object \`${names.join('.')}\`.`,
      )
    define(parent, last, value)
  }
  return copy
}

function stepInto(parent: unknown, name: string): unknown {
  const child = memberOf(parent, name)
  if (name !== 'metadata' || (child !== undefined && child !== null)) return child
  return typeof parent === 'object' && parent !== null ? define(parent, name, {}) : undefined
}

/** Defines the field, even `__proto__`. */
function define(parent: object, name: string, value: unknown): unknown {
  Object.defineProperty(parent, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
  return value
}

/** Sets fields, except those that would replace an object (`card=null`), which the event needs. */
export function setPathsKeepingObjects<T extends object>(payload: T, set: Values): T {
  return setPaths(payload, fieldsWhere(payload, set, { replacesObject: false }))
}

/** Sets only the fields that replace an object by another value (`card=null`). */
export function replaceObjects<T extends object>(payload: T, set: Values): T {
  return setPaths(payload, fieldsWhere(payload, set, { replacesObject: true }))
}

function fieldsWhere(
  payload: object,
  set: Values,
  { replacesObject }: { replacesObject: boolean },
): Values {
  const isReplacing = ([path, value]: readonly [string, unknown]) =>
    isJsonObject(fieldAt(payload, path)) && !isJsonObject(value)
  return Object.fromEntries(
    Object.entries(set).filter((entry) => isReplacing(entry) === replacesObject),
  )
}

/** Returns a copy without the field; null without such a field. */
export function withoutPath<T extends object>(payload: T, path: string): T | null {
  const copy = structuredClone(payload)
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce<unknown>(memberOf, copy)
  if (!isJsonObject(parent) || !Object.hasOwn(parent, last)) return null
  Reflect.deleteProperty(parent, last)
  return copy
}

export function noSuchField(path: string): AppError {
  return new AppError(
    'INVALID_INPUT',
    `The payload has no \`${path}\`. Remove another field, such as card.scheme.`,
  )
}
