/** `--set path=value`: changes fields of a payload before it is sent. Paths are names joined by dots; any JSON value may be set. */
import { AppError } from '../../shared/contract/errors.ts'

/**
 * A copy with the fields set. What stands on the way to a field has to be an object already, so that a slip is told; but
 * `metadata`, which is the client's to fill, is made where it is missing.
 */
export function setPaths<T extends object>(payload: T, set: Readonly<Record<string, unknown>>): T {
  if (Object.keys(set).length === 0) return payload
  const copy = structuredClone(payload)
  for (const [path, value] of Object.entries(set)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const parent = names.reduce<unknown>(step, copy)
    if (last === '' || typeof parent !== 'object' || parent === null) {
      throw new AppError('INVALID_INPUT', `\`${path}\` cannot be set: the payload has no object \`${names.join('.')}\`.`)
    }
    // Defined, not assigned: `__proto__` is a field name like any other here.
    Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true })
  }
  return copy
}

function step(parent: unknown, name: string): unknown {
  if (typeof parent !== 'object' || parent === null) return undefined
  const fields = parent as Record<string, unknown>
  const there = Object.hasOwn(fields, name) ? fields[name] : undefined
  return name === 'metadata' && (there === undefined || there === null) ? (fields[name] = {}) : there
}
