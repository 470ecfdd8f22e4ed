/**
 * Keeps secrets out of recorded and shown API calls: values under names that suggest a secret, and known secrets anywhere, for
 * example in an error that repeats the rejected key. Secrets are only stored in the vault.
 */
import { createMask, MASK } from '../../shared/text/masked.ts'

/** Names of secret properties, in lower case without underscores and dashes. */
const secretNames = new Set([
  'secret',
  'secretkey',
  'signingsecret',
  'signingkey',
  'webhooksecret',
  'clientsecret',
  'apikey',
  'secretapikey',
  'password',
  'token',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'jwt',
])

/** Whether a property's name says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return secretNames.has(name.replaceAll(/[_-]/g, '').toLowerCase())
}

/** Anything nested deeper is omitted. No service nests a hook's data this deep. */
const DEEPEST = 32

/** `more`: the account's own names of secrets. */
function transform(
  value: unknown,
  depth: number,
  secret: (value: unknown) => unknown,
  more: readonly string[] = [],
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return null
  if (Array.isArray(value)) return value.map((item) => transform(item, depth + 1, secret, more))
  const isSecret = (name: string) => isSecretName(name) || more.includes(name)
  return Object.fromEntries(
    Object.entries(value)
      .map(
        ([name, inner]) =>
          [
            name,
            isSecret(name) ? secret(inner) : transform(inner, depth + 1, secret, more),
          ] as const,
      )
      .filter(([, inner]) => inner !== undefined),
  )
}

/** A value with its secrets masked, at any depth, which shows that something was sent there. Unknown fields stay. */
export function withMaskedSecrets(value: unknown, more: readonly string[] = []): unknown {
  return transform(value, 0, () => MASK, more)
}

/** All values under names of secrets. */
export function secretsIn(value: unknown, more: readonly string[] = []): string[] {
  const found: string[] = []
  const gather = (inner: unknown): undefined => {
    if (typeof inner === 'string') found.push(inner)
    else if (typeof inner === 'object' && inner !== null)
      for (const item of Object.values(inner)) gather(item)
  }
  transform(value, 0, gather, more)
  return found
}

/** A secret property in text that isn't complete JSON, such as a truncated response. */
const secretProperty = /"([\w-]+)"(\s*:\s*)"(?:[^"\\]|\\.)*"?/g

function maskProperties(text: string, more: readonly string[]): string {
  return text.replaceAll(secretProperty, (property, name: string, colon: string) =>
    isSecretName(name) || more.includes(name) ? `"${name}"${colon}"${MASK}"` : property,
  )
}

export interface ReadBody {
  /** As received, including secrets; undefined if it isn't JSON. */
  readonly json: unknown
  /** The text to show: verbatim except for secrets. */
  readonly shown: string
  /** The JSON to store; undefined if it isn't JSON. */
  readonly record: unknown
}

/** Reads a response body. `known` are the secrets of this account and its calls, `more` other names of secrets. */
export function readApiBody(
  text: string,
  known: readonly string[],
  more: readonly string[] = [],
): ReadBody {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // Not JSON, so show the text.
    return {
      json: undefined,
      shown: maskProperties(createMask(known).text(text), more),
      record: undefined,
    }
  }
  let cut = false
  const cutOut = () => {
    cut = true
    return undefined
  }
  const cleaned = transform(json, 0, cutOut, more)
  const mask = createMask([...known, ...secretsIn(json, more)])
  const record = mapTexts(cleaned, mask.text)
  // Re-serializing loses whitespace and digits of large numbers, so it is done only if something was masked.
  const shown = cut ? JSON.stringify(record) : maskProperties(mask.text(text), more)
  return { json, shown, record }
}

/** The same JSON value with every name and string replaced. Parts nested too deep were removed before. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [change(name), mapTexts(inner, change)]),
  )
}

// Searches responses whose structure the spec leaves open: the names are known, their positions aren't.

/** An object in a response, with the name of the property (or list) that contains it; empty at the top. */
export interface FoundObject {
  readonly under: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Responses aren't searched deeper than this. */
const DEEPEST_SEARCH = 32

/** All objects in a value, topmost first. */
export function objectsIn(value: unknown): FoundObject[] {
  const found: FoundObject[] = []
  let level: { under: string; value: unknown }[] = [{ under: '', value }]
  for (let depth = 0; depth < DEEPEST_SEARCH && level.length > 0; depth++) {
    const below: typeof level = []
    for (const { under, value: inner } of level) {
      if (Array.isArray(inner))
        below.push(...inner.map((item: unknown) => ({ under, value: item })))
      else if (typeof inner === 'object' && inner !== null) {
        const fields = inner as Record<string, unknown>
        found.push({ under, fields })
        for (const [name, item] of Object.entries(fields)) below.push({ under: name, value: item })
      }
    }
    level = below
  }
  return found
}

/** The first text under one of these names, topmost first. At the same depth, the earlier name wins. */
export function findText(value: unknown, names: readonly string[]): string | null {
  for (const { fields } of objectsIn(value)) {
    for (const name of names) {
      const text = fields[name]
      if (typeof text === 'string' && text !== '') return text
    }
  }
  return null
}
