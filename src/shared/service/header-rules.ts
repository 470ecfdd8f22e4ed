/** The service's headers, and the rules of a hook's custom headers (sections 4.3 and 8). */
import { hookFinding, type HookFinding, type HookRule } from './hook-finding.ts'
import { MAX_CUSTOM_HEADERS, MAX_HEADER_NAME_LENGTH, MAX_HEADER_VALUE_LENGTH } from './limits.ts'

// The header names that include the service's name. The spec writes the neutral word `service` instead; each environment has its
// own prefix (sections 4.3, 4.4 and 5).

export const DEFAULT_PREFIX = 'service'

/** A prefix, without the `x-` before it. It has no flag, so that JSON Schema says the same. */
export const PREFIX = /^(?![Xx]-)[A-Za-z][A-Za-z0-9-]{0,31}$/

export type HeaderNames = ReturnType<typeof namesWith>

function namesWith(prefix: string) {
  return {
    /** Headers of a delivery (section 4.4). */
    signature: `x-${prefix}-signature`,
    timestamp: `x-${prefix}-timestamp`,
    /** Carries the secret key of a request to the API (section 5.1). */
    key: `${prefix}-key`,
    /** Identifies the notification in the deliveries of some services; the spec doesn't show it, and nothing depends on it. */
    messageId: `${prefix}-message-id`,
    /** Counts the attempts of some services, which the spec doesn't show either. */
    attemptNumber: `${prefix}-attempt-number`,
  } as const
}

/** One prefix per environment, so few in all, and needed for each request. */
const namesOfPrefixes = new Map<string, HeaderNames>()

/** The names under a prefix, in lower case: header names are case-insensitive. */
export function headerNames(prefix: string): HeaderNames {
  const names = namesOfPrefixes.get(prefix) ?? namesWith(prefix.toLowerCase())
  namesOfPrefixes.set(prefix, names)
  return names
}

/**
 * The prefixes, in lower case, of complete pairs of signature and timestamp headers, in order, whatever the account: the spec's names
 * with any name in place of the service's (section 4.3).
 */
export function signedPrefixes(
  headers: readonly (readonly [name: string, value: string])[],
): string[] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  return [...names].flatMap((name) => {
    const prefix = /^x-([a-z][a-z0-9-]{0,31})-signature$/.exec(name)?.[1]
    return prefix !== undefined && names.has(headerNames(prefix).timestamp) ? [prefix] : []
  })
}

/**
 * Which header names sign a request, for everything that signs: the signing hook's environment decides; without a hook, the
 * handler's prefix; without a prefix, the current environment, for which `environmentOf` gets no name.
 */
export function signingPrefix(
  environmentOf: (name?: string) => { readonly prefix: string } | undefined,
  signer: {
    readonly hook?: { readonly environment: string } | null | undefined
    readonly handler?: { readonly prefix: string | null } | null | undefined
  },
): string {
  const { hook, handler } = signer
  const own = hook == null ? handler?.prefix : environmentOf(hook.environment)?.prefix
  return own ?? environmentOf()?.prefix ?? DEFAULT_PREFIX
}

const standard = [
  'Accept-Charset',
  'Accept-Datetime',
  'Accept-Encoding',
  'Accept-Language',
  'Accept',
  'Access-Control-Request-Headers',
  'Access-Control-Request-Method',
  'Cache-Control',
  'Connection',
  'Content-Length',
  'Content-Type',
  'Cookie',
  'Date',
  'Expect',
  'Forwarded',
  'From',
  'Host',
  'If-Match',
  'If-Modified-Since',
  'If-None-Match',
  'If-Range',
  'If-Unmodified-Since',
  'Max-Forwards',
  'Origin',
  'Pragma',
  'Proxy-Authorization',
  'Range',
  'Referer',
  'TE',
  'Transfer-Encoding',
  'Upgrade',
  'User-Agent',
  'Via',
  'Warning',
]

/** Names that contain the service's own name, without it. */
const own = ['account', 'key', 'live', 'request-id', 'user']

/** The whole list under a prefix, in lower case. */
export function blockedHeaders(prefix: string): ReadonlySet<string> {
  const { signature, timestamp } = headerNames(prefix)
  return new Set([
    ...standard.map((name) => name.toLowerCase()),
    ...own.map((name) => `${prefix.toLowerCase()}-${name}`),
    signature,
    timestamp,
  ])
}

/** Headers that the service allows but an HTTP client sets for its connection itself. */
const UNSENDABLE: ReadonlySet<string> = new Set(['keep-alive'])

/** All problems with a `headers` value; missing headers and an empty object are valid. */
export function checkHeaders(headers: unknown, prefix: string): HookFinding[] {
  if (headers === undefined) return []
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    return [hookFinding('headers-object', 'headers must be an object of header names and values.')]
  const entries = Object.entries(headers)
  const blocked = blockedHeaders(prefix)
  return [
    ...(entries.length > MAX_CUSTOM_HEADERS
      ? [
          hookFinding(
            'headers-count',
            `A hook can have at most ${MAX_CUSTOM_HEADERS} custom headers, not ${entries.length}.`,
          ),
        ]
      : []),
    ...entries.flatMap(([name, value]) =>
      Object.entries({ ...nameProblems(name, blocked), ...valueProblems(name, value) }).map(
        ([rule, message]) => hookFinding(rule as HookRule, message, name),
      ),
    ),
  ]
}

type Problems = Partial<Record<HookRule, string>>

function nameProblems(name: string, blocked: ReadonlySet<string>): Problems {
  const problems: Problems = {}
  if (name.length < 1 || name.length > MAX_HEADER_NAME_LENGTH)
    problems['header-name-length'] =
      `A header name must have 1 to ${MAX_HEADER_NAME_LENGTH} characters; \`${short(name)}\` has ${name.length}.`
  if (name !== '' && !/^[A-Za-z0-9_-]+$/.test(name))
    problems['header-name-characters'] =
      `Use only Roman letters, digits, dashes and underscores in header names; \`${short(name)}\` has other characters.`
  if (blocked.has(name.toLowerCase()))
    problems['header-name-blocked'] =
      `The header name \`${name}\` is reserved. Choose another name.`
  if (UNSENDABLE.has(name.toLowerCase()))
    problems['header-name-unsendable'] =
      `The sandbox can't send the header \`${name}\`. Remove it, or use it with a real account only.`
  return problems
}

function valueProblems(name: string, value: unknown): Problems {
  if (typeof value !== 'string')
    return { 'header-value-type': `The value of the header \`${short(name)}\` must be a string.` }
  if (value.length < 1 || value.length > MAX_HEADER_VALUE_LENGTH)
    return {
      'header-value-length': `A header value must have 1 to ${MAX_HEADER_VALUE_LENGTH} characters; the value of \`${short(name)}\` has ${value.length}.`,
    }
  // HTTP allows no others: line breaks would start another header, and other characters have no encoding.
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? {}
    : {
        'header-value-characters': `The value of the header \`${short(name)}\` has characters that HTTP doesn't allow (line breaks, control characters, or beyond Latin-1).`,
      }
}

function short(name: string): string {
  return name.length <= MAX_HEADER_NAME_LENGTH ? name : `${name.slice(0, MAX_HEADER_NAME_LENGTH)}…`
}
