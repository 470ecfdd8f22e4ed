/**
 * A record of one API call: the request with its secrets masked, and the response as received. Values under names that suggest a
 * secret are kept out, and known secrets anywhere, for example in an error that repeats the rejected key. Secrets are only stored in
 * the vault.
 */
import { isJsonObject } from '../../shared/body/json-path.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { createMask, MASK } from '../../shared/text/masked.ts'
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

/** All objects in a value, topmost first. */
export function objectsIn(value: unknown): FoundObject[] {
  const found: FoundObject[] = []
  let level: { under: string; value: unknown }[] = [{ under: '', value }]
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
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

/** Values under names of secrets. */
function secretsIn(value: unknown, more: readonly string[]): unknown[] {
  return objectsIn(value).flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, inner]) => (isSecretName(name, more) ? [inner] : [])),
  )
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** All texts under names of secrets. */
export function secretTextsIn(value: unknown): string[] {
  return secretsIn(value, []).flatMap(textsIn)
}

/**
 * The same JSON value without members for which `instead` returns something else, at any depth: that value takes their place, and
 * undefined removes them. Null keeps a member. Unknown fields stay.
 */
function replaced(
  value: unknown,
  instead: (name: string, inner: unknown) => { readonly value: unknown } | null,
  depth = 0,
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return null
  if (Array.isArray(value)) return value.map((item) => replaced(item, instead, depth + 1))
  const members = Object.entries(value).map(([name, inner]: [string, unknown]) => {
    const found = instead(name, inner)
    return [name, found === null ? replaced(inner, instead, depth + 1) : found.value] as const
  })
  return Object.fromEntries(members.filter(([, inner]) => inner !== undefined))
}

/** A secret property in text that isn't complete JSON, such as a truncated response. */
const secretProperty = /"([\w-]+)"(\s*:\s*)"(?:[^"\\]|\\.)*"?/g

function maskProperties(text: string, more: readonly string[]): string {
  return text.replaceAll(secretProperty, (property, name: string, colon: string) =>
    isSecretName(name, more) ? `"${name}"${colon}"${MASK}"` : property,
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
    const shown = maskProperties(createMask(known).text(text), more)
    return { json: undefined, shown, record: undefined }
  }
  const found = secretsIn(json, more)
  const mask = createMask([...known, ...found.flatMap(textsIn)])
  const record = mapTexts(
    replaced(json, (name) => (isSecretName(name, more) ? { value: undefined } : null)),
    mask.text,
  )
  // Re-serializing loses whitespace and digits of large numbers, so it is done only if something was cut.
  const shown = found.length > 0 ? JSON.stringify(record) : maskProperties(mask.text(text), more)
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

/** Masks everything under `headers` at any depth, however short: custom header values often are the receiver's credentials. */
export function maskHeaderFields(value: unknown): unknown {
  return replaced(value, maskedHeaders)
}

const maskedHeaders = (name: string, inner: unknown) =>
  name === 'headers' && isJsonObject(inner)
    ? { value: Object.fromEntries(Object.keys(inner).map((key) => [key, MASK])) }
    : null

/** A body to show, with its secrets and custom header values masked: it shows that something was sent there. */
export function maskBody(body: unknown, more: readonly string[] = []): unknown {
  const instead = (name: string, inner: unknown) =>
    isSecretName(name, more) ? { value: MASK } : maskedHeaders(name, inner)
  return replaced(body, instead) ?? null
}

/** The error of a rejected call, with its status, body and request. */
export function refusal({ status, shown, sent }: ApiAnswer, what: string): AppError {
  return new AppError(
    'SERVICE_REFUSED',
    `Couldn't ${what}: the service returned ${status}${shown === '' ? '' : ` with ${shown.trim().slice(0, 500)}`}.`,
    { details: { status, body: shown, sent } },
  )
}

/** After these failures the service may have processed the request. */
const uncertainKinds: readonly SendFailure['kind'][] = ['timeout', 'dropped']

/** What a call does, for error messages, and whether it changes anything. */
export interface Purpose {
  readonly what: string
  readonly changes: boolean
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
