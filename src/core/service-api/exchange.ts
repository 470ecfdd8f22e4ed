/**
 * A record of one API call: the request with its secrets masked, and the response as received. Values under names that suggest a
 * secret are kept out, and known secrets anywhere, for example in an error that repeats the rejected key. Secrets are only stored in
 * the vault.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { createMask, mapTexts, MASK } from '../../shared/text/masked.ts'
import type { SendFailure } from '../outgoing/wire/send-failure.ts'

/** Names of secret properties, in lower case without underscores and dashes. */
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

/** Whether a property's name says that its value is a secret. `more`: the account's own names of secrets. */
export function isSecretName(name: string, more: readonly string[] = []): boolean {
  return namesOfSecrets.has(name.replaceAll(/[_-]/g, '').toLowerCase()) || more.includes(name)
}

/** Anything nested deeper is omitted. No service nests a hook's data this deep. */
const DEEPEST = 32

/** An object in a response, with the name of the property (or list) that contains it; empty at the top. */
export interface FoundObject {
  readonly under: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Returns all objects in a value, topmost first. */
export function objectsIn(value: unknown): FoundObject[] {
  const found: FoundObject[] = []
  let level: { under: string; value: unknown }[] = [{ under: '', value }]
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const below: typeof level = []
    for (const { under, value: inner } of level) {
      if (Array.isArray(inner)) for (const item of inner) below.push({ under, value: item })
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

function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth >= DEEPEST) return []
  return Object.values(value).flatMap((inner) => textsIn(inner, depth + 1))
}

/** All texts under names of secrets. `more`: the account's own names of secrets. */
export function secretTextsIn(value: unknown, more: readonly string[] = []): string[] {
  return objectsIn(value).flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, inner]) =>
      isSecretName(name, more) ? textsIn(inner) : [],
    ),
  )
}

/**
 * Hides secrets, and everything under `headers`: custom header values often are the receiver's
 * credentials.
 */
const hiding = (more: readonly string[]) => ({
  isHidden: (name: string, parent: string) => parent === 'headers' || isSecretName(name, more),
})

/** A secret property in text that isn't complete JSON, such as a truncated response. */
const secretProperty = /"([\w-]+)"(\s*:\s*)"(?:[^"\\]|\\.)*"?/g

function maskProperties(text: string, more: readonly string[]): string {
  return text.replaceAll(secretProperty, (property, name: string, colon: string) =>
    isSecretName(name, more) ? `"${name}"${colon}"${MASK}"` : property,
  )
}

/** Characters of a response to show. */
const MOST_SHOWN = 10_000
/** Characters of a record to store. */
const MOST_RECORD = 65_536
/** Values of a response: a parser may take a microsecond for each. A thousand hooks have half as many. */
const MOST_VALUES = 65_536
/** Characters of all secrets that a text is searched for, because each is searched for in many spellings. */
const MOST_SECRETS = 4_096

export interface ReadBody {
  /** As received, including secrets; undefined if it isn't JSON, or has too many values. */
  readonly json: unknown
  /** The reason why the response wasn't read as a whole, to follow "returned"; null if it was. */
  readonly excess: string | null
  /** Returns the text to show: verbatim except for secrets, and its beginning if it is long. */
  shown(): string
  /** Returns a part of `json` to store: without secrets and header values. Null if it is too large, or has too many secrets. */
  record(part: unknown, headerValues: readonly string[]): string | null
}

/** Counts what may be values: characters in texts may look like them. */
function valuesIn(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === ',' || character === '[' || character === '{') count++
  }
  return count
}

/** Reads a response body. `known` are the secrets of this account and its calls, `more` other names of secrets. */
export function readApiBody(
  text: string,
  known: readonly string[],
  more: readonly string[] = [],
): ReadBody {
  const hasExcess = valuesIn(text) > MOST_VALUES
  const json = hasExcess ? undefined : parsedJson(text)
  const knownMask = createMask(known)
  /** Returns how to mask these secrets and the known ones; null if they are too long to search for. */
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
      // Re-serializing loses whitespace and digits of large numbers, so it is done only if
      // something was hidden.
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
  /** The JSON sent, with secrets and custom header values masked; null without a body. */
  readonly body: unknown
}

export interface ApiAnswer extends ReadBody {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly sent: ApiRequest
}

/** Headers to show, with authentication values masked. */
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

/** A body to show, with its secrets and custom header values masked: it shows that something was sent there. */
export function maskBody(body: unknown, more: readonly string[] = []): unknown {
  return mapTexts(body, (text) => text, hiding(more)) ?? null
}

/** The error of a rejected call, with its status, body and request. */
export function refusal({ status, shown, sent }: ApiAnswer, what: string): AppError {
  const body = shown()
  return new AppError(
    'SERVICE_REFUSED',
    `Couldn't ${what}: the service returned ${status}${body === '' ? '' : ` with ${body.trim().slice(0, 500)}`}.`,
    { details: { status, body, sent } },
  )
}

/** After these failures the service may have processed the request. */
const uncertainKinds: readonly SendFailure['kind'][] = ['timeout', 'dropped']

/** What a call does, for error messages, whether it changes anything, and the most bytes of its response. */
export interface Purpose {
  readonly what: string
  readonly changes: boolean
  readonly limit?: number
}

/** The settings that may explain why a call got no response. */
interface NearConnection {
  readonly proxy: string | null
  readonly timeoutMs: number
}

/**
 * The error of a call without a response. If the call may have changed something, its details say `uncertain`, and a timeout has
 * its own code.
 */
export function unreachable(
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

/** `DELETE https://…`: the call that an error of this client is about; null for other errors. */
export function failedCall({ details }: AppError): string | null {
  const sent = (details as { sent?: ApiRequest } | null | undefined)?.sent
  return sent === undefined ? null : callText(sent)
}

export function callText({ method, url }: ApiRequest): string {
  return `${method} ${url}`
}

/** Why there was no response and what to do. Unlike a send's messages, these are for users of a service. */
function reasonOf(
  { kind, message, reason }: SendFailure,
  host: string,
  { proxy, timeoutMs }: NearConnection,
): string {
  // With a proxy, our only connection is to the proxy. It reports problems behind it in its response.
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

/** Whether the failed call may have been processed. */
export function isUncertain(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    (error.details as { uncertain?: unknown } | null | undefined)?.uncertain === true
  )
}
