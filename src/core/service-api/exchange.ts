/** Record of an API call without its secrets, which are only stored in the vault. */
import { AppError } from '../../shared/contract/errors.ts'
import { createMask } from '../../shared/text/mask.ts'
import { mapTexts } from '../../shared/text/map-texts.ts'
import { MASK } from '../../shared/text/masked-places.ts'
import type { SendFailure } from '../outgoing/wire/send-failure.ts'

/** Names of secret fields, in lower case without underscores and dashes. */
const namesOfSecrets = new Set([
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

/** Whether a field holds a secret by its name: a common one, or one of `more`, the account's. */
export function isSecretName(name: string, more: readonly string[] = []): boolean {
  return namesOfSecrets.has(name.replaceAll(/[_-]/g, '').toLowerCase()) || more.includes(name)
}

const DEEPEST = 32

/** Object, and the name of the property that contains it, empty at the top. */
export interface FoundObject {
  readonly under: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Returns all objects within a value, topmost first. */
export function objectsIn(value: unknown): FoundObject[] {
  const objects: FoundObject[] = []
  let level: { under: string; value: unknown }[] = [{ under: '', value }]
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const below: typeof level = []
    for (const { under, value: inner } of level) {
      if (Array.isArray(inner)) for (const item of inner) below.push({ under, value: item })
      else if (typeof inner === 'object' && inner !== null) {
        const fields = inner as Record<string, unknown>
        objects.push({ under, fields })
        for (const [name, item] of Object.entries(fields)) below.push({ under: name, value: item })
      }
    }
    level = below
  }
  return objects
}

/** Returns the topmost text under one of the names; in one object, the earlier name wins. */
export function findText(value: unknown, names: readonly string[]): string | null {
  for (const { fields } of objectsIn(value)) {
    for (const name of names) {
      const text = fields[name]
      if (typeof text === 'string' && text !== '') return text
    }
  }
  return null
}

function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth >= DEEPEST) return []
  return Object.values(value).flatMap((inner) => textsIn(inner, depth + 1))
}

/** Returns all texts in fields that hold secrets by their name. */
export function secretTextsIn(value: unknown, more: readonly string[] = []): string[] {
  return objectsIn(value).flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, inner]) =>
      isSecretName(name, more) ? textsIn(inner) : [],
    ),
  )
}

/** Returns options of `mapTexts` that hide secrets, and headers, which often are credentials. */
const hiding = (more: readonly string[]) => ({
  isHidden: (name: string, parent: string) => parent === 'headers' || isSecretName(name, more),
})

/** Pattern of a property with a text, which also matches in incomplete JSON. */
const secretProperty = /"([\w-]+)"(\s*:\s*)"(?:[^"\\]|\\.)*"?/g

function maskProperties(text: string, more: readonly string[]): string {
  return text.replaceAll(secretProperty, (property, name: string, colon: string) =>
    isSecretName(name, more) ? `"${name}"${colon}"${MASK}"` : property,
  )
}

/** Most characters of a response body that an error shows. */
const MOST_SHOWN = 10_000
/** Most characters of a stored record. */
const MOST_RECORD = 65_536
/** Most JSON values to parse, in a microsecond each. */
const MOST_VALUES = 65_536
/** Most characters of secrets to mask, because each is searched for in many spellings. */
const MOST_SECRETS = 4_096

export interface ReadBody {
  /** Parsed body with its secrets; undefined if it isn't JSON or has too many values. */
  readonly json: unknown
  /** Reason why only a part was read, to follow "returned"; null for the whole. */
  readonly excess: string | null
  /** Returns the body's beginning, verbatim except for secrets. */
  shown(): string
  /** Returns a part of the body as masked JSON; null if it is too large. */
  record(part: unknown, headerValues: readonly string[]): string | null
}

/** Estimates the number of JSON values from above: characters in texts count too. */
function valuesIn(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === ',' || character === '[' || character === '{') count++
  }
  return count
}

/**
 * Reads the body of a response.
 * @param known - secrets to mask
 * @param more - further names of fields that hold secrets
 */
export function readApiBody(
  text: string,
  known: readonly string[],
  more: readonly string[] = [],
): ReadBody {
  const hasExcess = valuesIn(text) > MOST_VALUES
  const json = hasExcess ? undefined : parsedJson(text)
  const knownMask = createMask(known)
  const maskFor = (secrets: readonly string[]) =>
    secrets.reduce((sum, { length }) => sum + length, 0) > MOST_SECRETS
      ? null
      : createMask(secrets, knownMask)
  return {
    json,
    excess: hasExcess ? `more than ${MOST_VALUES.toLocaleString('en')} JSON values` : null,
    shown() {
      const mask = maskFor(secretTextsIn(json, more))
      if (mask === null) return MASK
      const hidden = JSON.stringify(maskBody(json, more))
      // Re-serializing loses whitespace and digits, so it is done only if something was hidden.
      const whole = hidden.includes(MASK) ? hidden : text
      return maskProperties(mask.text(whole, MOST_SHOWN), more)
    },
    record(part, headerValues) {
      const mask = maskFor([...headerValues, ...secretTextsIn(part, more)])
      if (mask === null || part === undefined) return null
      const record = mapTexts(part, (one) => mask.text(one), { withNames: true, ...hiding(more) })
      const written = JSON.stringify(record)
      return written.length > MOST_RECORD ? null : written
    },
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [string, string])[]
  /** Sent JSON, masked; null without a body. */
  readonly body: unknown
}

export interface ApiAnswer extends ReadBody {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly sent: ApiRequest
}

export function maskHeaders(
  headers: ApiRequest['headers'],
  secretNames: readonly string[],
): ApiRequest['headers'] {
  const secret = new Set(secretNames.map((name) => name.toLowerCase()))
  return headers.map(([name, value]) => [
    name,
    secret.has(name.toLowerCase()) ? `${value.slice(0, 3)}${MASK}` : value,
  ])
}

export function maskBody(body: unknown, more: readonly string[] = []): unknown {
  return mapTexts(body, (text) => text, hiding(more)) ?? null
}

export function refusedError({ status, shown, sent }: ApiAnswer, what: string): AppError {
  const body = shown()
  return new AppError(
    'SERVICE_REFUSED',
    `Couldn't ${what}: the service returned ${status}${body === '' ? '' : ` with ${body.trim().slice(0, 500)}`}.`,
    { details: { status, body, sent } },
  )
}

/** Failures after which the service may have processed the request. */
const uncertainKinds: readonly SendFailure['kind'][] = ['timeout', 'dropped']

/** Purpose of a call, to follow "couldn't", and the most bytes of its response. */
export interface Purpose {
  readonly what: string
  readonly changes: boolean
  readonly limit?: number
}

interface NearConnection {
  readonly proxy: string | null
  readonly timeoutMs: number
}

/** Creates the error of an unanswered call: `uncertain` if it may have changed something. */
export function unreachableError(
  failure: SendFailure,
  sent: ApiRequest,
  { what, changes }: Purpose,
  connection: NearConnection,
): AppError {
  const uncertain = changes && uncertainKinds.includes(failure.kind)
  const details = { kind: failure.kind, uncertain, sent }
  const why = reasonOf(failure, new URL(sent.url).host, connection)
  if (uncertain) {
    return new AppError(
      failure.kind === 'timeout' ? 'SERVICE_TIMEOUT' : 'SERVICE_UNREACHABLE',
      `The service got the request to ${what} but didn't respond: ${why} It may have processed the request.`,
      { details },
    )
  }
  return new AppError(
    'SERVICE_UNREACHABLE',
    `Couldn't ${what}: the service is unreachable. ${why}`,
    { details },
  )
}

/** Returns the call that an error is about, like `DELETE https://…`, or null. */
export function failedCall({ details }: AppError): string | null {
  const sent = (details as { sent?: ApiRequest } | null | undefined)?.sent
  return sent === undefined ? null : callText(sent)
}

export function callText({ method, url }: ApiRequest): string {
  return `${method} ${url}`
}

/** Explains a missing response to users of a service. */
function reasonOf(
  { kind, message, reason }: SendFailure,
  host: string,
  { proxy, timeoutMs }: NearConnection,
): string {
  // Behind a proxy, problems are in its response.
  const near = proxy === null ? host : `the proxy ${new URL(proxy).host}`
  const check =
    proxy === null ? 'Check the base URL.' : "Correct the environment's proxy, or remove it."
  switch (kind) {
    case 'refused':
      return `Connection refused at ${near}. ${check}`
    case 'unknown-host':
      return `Couldn't resolve the host name in ${near}. ${check.replace(/\.$/, '')}, or the network.`
    case 'timeout':
      return `${host} didn't respond within ${timeoutMs / 1_000} s.`
    case 'certificate':
      return `The certificate of ${host} isn't valid (${reason}). Set the CA that signed it as the environment's CA certificate.`
    default:
      return message
  }
}

export function isUncertain(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    (error.details as { uncertain?: unknown } | null | undefined)?.uncertain === true
  )
}
