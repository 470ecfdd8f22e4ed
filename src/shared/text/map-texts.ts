import { MASK } from './masked-places.ts'

/** Names of fields with our own words, never masked as a header's value: `hookId`, `verdict`. */
const OWN_FIELD =
  /^(?:id|at|\w+(?:Ids?|Of|At|Kind)|event\w*|environment|mode|verdict|freshness|schema|origin|outcome|causes?|state|kind|code|level|severity|group|actor|light|flow|run|step|tamper|bodySha256|httpVersion|base64)$/

/** Depth below which values are left out, so that no response crashes the process. */
const DEEPEST = 1_000

interface TextsOptions {
  readonly withNames?: boolean
  readonly isHidden?: (name: string, parent: string) => boolean
}

/**
 * Changes every text of a JSON value.
 * @param change its `isOurs`: in one of `OWN_FIELD`
 */
export function mapTexts<Value>(
  value: Value,
  change: (text: string, isOurs: boolean) => string,
  { withNames = false, isHidden = () => false }: TextsOptions = {},
): Value {
  const changed = (inner: unknown, name: string, depth: number): unknown => {
    if (typeof inner === 'string') return change(inner, OWN_FIELD.test(name))
    if (typeof inner !== 'object' || inner === null) return inner
    if (depth >= DEEPEST) return null
    if (Array.isArray(inner)) return inner.map((item) => changed(item, name, depth + 1))
    return Object.fromEntries(
      Object.entries(inner).map(([key, part]) => [
        withNames ? change(key, false) : key,
        isHidden(key, name) ? MASK : changed(part, key, depth + 1),
      ]),
    )
  }
  return changed(value, '', 0) as Value
}
