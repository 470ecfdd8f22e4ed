/**
 * Keeps secrets out of what is shown and kept of a call: those that stand under a name that says so, and those that are known
 * and stand anywhere, as in an error that repeats the key it refuses. Secrets go to the vault and nowhere else.
 */
import { createMask, MASK } from '../../shared/text/masked.ts'

/** Names of properties, without underscores and dashes and in lower case, whose values are secrets. */
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

/** Whether the name of a property says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return secretNames.has(name.replaceAll(/[_-]/g, '').toLowerCase())
}

/** What is nested deeper than this is left out: nothing that a service tells of a hook lies there. */
const DEEPEST = 32

/** `more`: names of secrets that this account has chosen. */
function transform(value: unknown, depth: number, secret: (value: unknown) => unknown, more: readonly string[] = []): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return null
  if (Array.isArray(value)) return value.map((item) => transform(item, depth + 1, secret, more))
  const isSecret = (name: string) => isSecretName(name) || more.includes(name)
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, isSecret(name) ? secret(inner) : transform(inner, depth + 1, secret, more)] as const)
      .filter(([, inner]) => inner !== undefined),
  )
}

/** A value without what stands under the name of a secret, at any depth; the rest stays, unknown fields included. */
export function withoutSecrets(value: unknown): unknown {
  return transform(value, 0, () => undefined)
}

/** The same with a mask in place of each secret, so that one sees that something was sent there. */
export function withMaskedSecrets(value: unknown, more: readonly string[] = []): unknown {
  return transform(value, 0, () => MASK, more)
}

/** The texts under the names of secrets. */
export function secretsIn(value: unknown, more: readonly string[] = []): string[] {
  const found: string[] = []
  const gather = (inner: unknown): undefined => {
    if (typeof inner === 'string') found.push(inner)
    else if (typeof inner === 'object' && inner !== null) for (const item of Object.values(inner)) gather(item)
  }
  transform(value, 0, gather, more)
  return found
}

/** A property with the name of a secret, in a text that is no JSON as a whole (an answer that was cut off). */
const secretProperty = /"([\w-]+)"(\s*:\s*)"(?:[^"\\]|\\.)*"?/g

function maskProperties(text: string, more: readonly string[]): string {
  return text.replaceAll(secretProperty, (property, name: string, colon: string) =>
    isSecretName(name) || more.includes(name) ? `"${name}"${colon}"${MASK}"` : property,
  )
}

export interface ReadBody {
  /** As it came, secrets included; undefined where it is no JSON. */
  readonly json: unknown
  /** The text as it may be shown: verbatim, but for secrets. */
  readonly shown: string
  /** The JSON as it may be kept; undefined where it is none. */
  readonly record: unknown
}

/** Reads the body of an answer; `known` are the secrets that this account and its calls have, `more` names under which others are. */
export function readApiBody(text: string, known: readonly string[], more: readonly string[] = []): ReadBody {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // Not JSON: the text is what there is to show.
    return { json: undefined, shown: maskProperties(createMask(known).text(text), more), record: undefined }
  }
  let cut = false
  const cutOut = () => {
    cut = true
    return undefined
  }
  const cleaned = transform(json, 0, cutOut, more)
  const mask = createMask([...known, ...secretsIn(json, more)])
  const record = mapTexts(cleaned, mask.text)
  // Written anew it would lose its white space, and digits of large numbers: so only where there was something to cut out.
  const shown = cut ? JSON.stringify(record) : maskProperties(mask.text(text), more)
  return { json, shown, record }
}

/** The same JSON value with every name and text replaced; what is nested too deeply was cut off before. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [change(name), mapTexts(inner, change)]))
}

// Searches responses whose shape the spec leaves open: the values are known, their places are not.

/** One object of an answer, with the name of the property that holds it (of the list, for one in a list); empty at the top. */
export interface FoundObject {
  readonly under: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** An answer nested deeper than this is not looked into any further. */
const DEEPEST_SEARCH = 32

/** Every object of a value, those that lie higher first. */
export function objectsIn(value: unknown): FoundObject[] {
  const found: FoundObject[] = []
  let level: { under: string; value: unknown }[] = [{ under: '', value }]
  for (let depth = 0; depth < DEEPEST_SEARCH && level.length > 0; depth++) {
    const below: typeof level = []
    for (const { under, value: inner } of level) {
      if (Array.isArray(inner)) below.push(...inner.map((item: unknown) => ({ under, value: item })))
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

/** The first text under one of the names, the highest first; of several at one height the name that stands first in the list. */
export function findText(value: unknown, names: readonly string[]): string | null {
  for (const { fields } of objectsIn(value)) {
    for (const name of names) {
      const text = fields[name]
      if (typeof text === 'string' && text !== '') return text
    }
  }
  return null
}
