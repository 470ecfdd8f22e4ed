/** Rules of a hook's custom headers (sections 4.3 and 8). */
import { headerNames } from './header-names.ts'
import { hookFinding, type HookFinding, type HookRule } from './hook-finding.ts'
import { MAX_CUSTOM_HEADERS, MAX_HEADER_NAME_LENGTH, MAX_HEADER_VALUE_LENGTH } from './limits.ts'

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

const own = ['account', 'key', 'live', 'request-id', 'user']

export function blockedHeaders(prefix: string): ReadonlySet<string> {
  const { signature, timestamp } = headerNames(prefix)
  return new Set([
    ...standard.map((name) => name.toLowerCase()),
    ...own.map((name) => `${prefix.toLowerCase()}-${name}`),
    signature,
    timestamp,
  ])
}

/** Headers that the sandbox's HTTP client can't send. */
const UNSENDABLE: ReadonlySet<string> = new Set(['keep-alive'])

/** Finds all problems with a `headers` value. */
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
  // HTTP allows no others: a line break would start another header.
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? {}
    : {
        'header-value-characters': `The value of the header \`${short(name)}\` has characters that HTTP doesn't allow (line breaks, control characters, or beyond Latin-1).`,
      }
}

function short(name: string): string {
  return name.length <= MAX_HEADER_NAME_LENGTH ? name : `${name.slice(0, MAX_HEADER_NAME_LENGTH)}…`
}
