/**
 * `countersign/signature`: signs deliveries as the service does, verifies them, and explains
 * invalid signatures.
 *
 * A signature is HMAC-SHA-256 in Base64 over body, registered URL and timestamp, then the same over
 * the result (spec 5.2).
 */
import { isAnyArrayBuffer } from 'node:util/types'
import { signDelivery, secretKey } from '../core/signature/sign.ts'
import { deliveryHeaders, readSignatureHeaders } from '../core/signature/signature-headers.ts'
import { judgeFreshness, isSignedBy } from '../core/signature/verify.ts'
import { verifyOffline } from '../core/signature/verify-offline.ts'
import { DEFAULT_PREFIX } from '../shared/service/header-names.ts'
import { REPLAY_WINDOW_MS } from '../shared/service/limits.ts'
import { timestampUnit } from '../shared/service/timestamp-unit.ts'
import { checkArguments, isObject, isText, prefixRule, type Rule, type Rules } from './arguments.ts'

/**
 * The raw body of a request: its bytes (a `Buffer`, an `ArrayBuffer`, or any view of one), or a
 * string, which is read as UTF-8.
 */
export type Body = ArrayBufferLike | ArrayBufferView | string

/**
 * Headers of a request: Node's `request.headers`, the `Headers` of a fetch-style request, or pairs
 * of name and value.
 */
export type RequestHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [name: string, value: string]>

export interface PrefixOption {
  /**
   * The service's name in the header names, `service` by default: `acme` for `x-acme-signature`.
   */
  readonly prefix?: string | undefined
}

export interface SignatureHeaders {
  /** Value of `x-service-signature`; null if missing. */
  readonly signature: string | null
  /** Value of `x-service-timestamp`; null if missing. */
  readonly timestamp: string | null
}

interface SignedParts {
  readonly body: Body
  /** The hook's URL exactly as registered. */
  readonly url: string
}

export interface SignInput extends SignedParts, PrefixOption {
  /** The hook's `secretKey`. */
  readonly secret: string
  /** Milliseconds since the epoch, or the timestamp header's text. Now by default. */
  readonly timestamp?: number | string | undefined
}

export interface Signed {
  /** Value of the signature header: Base64 of the second pass. */
  readonly signature: string
  /** Value of the timestamp header. */
  readonly timestamp: string
  /** Base64 of the first pass. */
  readonly inner: string
  /** Headers of a delivery: content type, signature and timestamp. */
  readonly headers: Readonly<Record<string, string>>
}

export interface VerifyInput extends SignedParts, SignatureHeaders {
  /**
   * The hook's `secretKey`. Pass several if several hooks share the URL, or while you rotate a
   * secret.
   */
  readonly secret: string | readonly string[]
  /**
   * Largest difference between timestamp and `now`, in milliseconds, in either direction. Five
   * minutes by default.
   */
  readonly maxAgeMs?: number | undefined
  /** Time of receipt, in milliseconds since the epoch. Now by default. */
  readonly now?: number | undefined
}

export interface Verification {
  /** Whether to accept the request: its signature is valid and its timestamp is fresh. */
  readonly accepted: boolean
  /** The reason for a rejection, as text for your log; null if accepted. */
  readonly reason: string | null
  readonly verdict: 'valid' | 'invalid' | 'unsigned'
  /** `missing`: the timestamp is missing, or isn't in milliseconds. */
  readonly freshness: 'fresh' | 'stale' | 'future' | 'missing'
  /** Index of the secret that matches, from 0; null if none does. */
  readonly secretIndex: number | null
}

export type DiagnoseInput = Omit<VerifyInput, 'secret' | 'maxAgeMs'> & {
  /** The hook's `secretKey`. */
  readonly secret: string
}

export interface SignatureDiagnosis {
  /**
   * Mistakes that produce exactly this signature, as `family:detail` (docs/diagnosis.md). Empty if
   * no known mistake does.
   */
  readonly causes: readonly string[]
  /** The problem, in a sentence. */
  readonly message: string
  /** The remedy, in a sentence. */
  readonly fix: string
}

const partRules: Rules = {
  secret: {
    accepts: isText,
    fix: "Pass the hook's secretKey as a string, exactly as returned.",
  },
  url: { accepts: isText, fix: "Pass the hook's URL as a string, exactly as registered." },
  body: {
    accepts: (value) =>
      typeof value === 'string' || ArrayBuffer.isView(value) || isAnyArrayBuffer(value),
    fix: 'Pass the raw body, before anything parses it: express.raw(), await request.arrayBuffer().',
  },
}
const headerRule: Rule = {
  accepts: (value) => value === null || typeof value === 'string',
  fix: 'Pass the value of the header unchanged, or null if it is missing.',
}
const millisecondsRule: Rule = {
  accepts: (value = 0) => typeof value === 'number' && !Number.isNaN(value),
  fix: 'Pass a number of milliseconds.',
}
const timestampRule: Rule = {
  accepts: (value = 0) => typeof value === 'string' || Number.isFinite(value),
  fix: "Pass milliseconds, or the timestamp header's text.",
}
const signedRules: Rules = {
  ...partRules,
  signature: headerRule,
  timestamp: headerRule,
  now: millisecondsRule,
}
const verifyRules: Rules = {
  ...signedRules,
  secret: {
    accepts: (value) => (Array.isArray(value) && value.length > 0 ? value : [value]).every(isText),
    fix: "Pass the hook's secretKey as a string, or several in an array.",
  },
  maxAgeMs: millisecondsRule,
}

function bytesOf(body: Body): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body)
  return ArrayBuffer.isView(body)
    ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    : new Uint8Array(body)
}

/**
 * Signs a body as the service does.
 *
 * @throws `TypeError` if an argument is wrong.
 */
export function sign(input: SignInput): Signed {
  checkArguments({ ...partRules, timestamp: timestampRule, prefix: prefixRule }, input)
  const { secret, url, prefix = DEFAULT_PREFIX } = input
  const timestamp = String(input.timestamp ?? Date.now())
  const body = bytesOf(input.body)
  const { signature, inner } = signDelivery({ body, url, timestamp, key: secretKey(secret) })
  const headers = deliveryHeaders(prefix, { body, timestamp, signature }, {})
  return { signature, timestamp, inner, headers: Object.fromEntries(headers) }
}

/**
 * Reads signature and timestamp from the headers of a request, in any case. If a header occurs
 * twice with different values, both count as missing.
 *
 * @throws `TypeError` if an argument is wrong.
 */
export function headersOf(headers: RequestHeaders, options: PrefixOption = {}): SignatureHeaders {
  checkArguments(
    { headers: { accepts: isObject, fix: 'Pass the headers of the request: request.headers.' } },
    { headers },
  )
  checkArguments({ prefix: prefixRule }, options, [])
  const { prefix = DEFAULT_PREFIX } = options
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers)
  const pairs = entries.flatMap(([name, value = []]) =>
    [value].flat().map((text): [string, string] => [name, text]),
  )
  const [read] = readSignatureHeaders(pairs, [prefix])
  if (read === undefined || read.conflict !== null) return { signature: null, timestamp: null }
  return { signature: read.signature, timestamp: read.timestamp }
}

const missingOf = (headers: SignatureHeaders) =>
  (['signature', 'timestamp'] as const).filter((name) => !headers[name]).join(' and ')

/** Explains why a timestamp isn't fresh; null if it is. */
function staleReason(
  timestamp: string,
  freshness: Verification['freshness'],
  now: number,
  maxAgeMs: number,
): string | null {
  if (freshness === 'fresh') return null
  const unit = timestampUnit(timestamp)
  if (unit !== null) return `Timestamp is ${unit.text}; the service sends ${unit.expected}.`
  if (freshness === 'missing') return "Timestamp isn't in milliseconds since the epoch."
  const age = Math.round(Math.abs(now - Number(timestamp)) / 1_000)
  const direction = freshness === 'stale' ? 'old' : 'in the future'
  return `Timestamp is ${age} s ${direction}; the limit is ${maxAgeMs / 1_000} s.`
}

/**
 * Verifies a request: its signature, then the age of its timestamp. Compares in constant time.
 * Accept the request only if `accepted` is true.
 *
 * @throws `TypeError` if an argument is wrong. No request causes this if `body` is the raw body:
 * the mistake is in your code.
 */
export function verify(input: VerifyInput): Verification {
  checkArguments(verifyRules, input)
  const { url, signature, timestamp, maxAgeMs = REPLAY_WINDOW_MS, now = Date.now() } = input
  const body = bytesOf(input.body)
  const freshness = judgeFreshness(timestamp, now, maxAgeMs)
  const rejected = { accepted: false, freshness, secretIndex: null }
  const missing = missingOf(input)
  if (missing !== '' || signature === null || timestamp === null)
    return { ...rejected, reason: `No ${missing} header.`, verdict: 'unsigned' }
  const secretIndex = [input.secret]
    .flat()
    .findIndex((secret) => isSignedBy({ url, key: secretKey(secret) }, body, timestamp, signature))
  if (secretIndex === -1)
    return {
      ...rejected,
      reason: "Signature doesn't match this secret, URL and body. Call diagnose() to find out why.",
      verdict: 'invalid',
    }
  const reason = staleReason(timestamp, freshness, now, maxAgeMs)
  return { accepted: reason === null, reason, verdict: 'valid', freshness, secretIndex }
}

/**
 * Returns what to pass if wrong arguments can cause all these mistakes, whose families are then the
 * arguments' names; null if only another signer can.
 */
function fixOf(causes: readonly string[]): string | null {
  const families = [...new Set(causes.map((cause) => cause.replace(/:.*/, '')))]
  const fixes = families.map((family) => signedRules[family]?.fix)
  if (fixes.includes(undefined)) return null
  const wrong = families.map((family) => `\`${family}\` is wrong`).join(' and ')
  return `If the service sent this, ${wrong}. ${fixes.join(' ')}`
}

/**
 * Explains why a signature is invalid: names the mistake, of the sender or in your configuration,
 * that produces exactly this one. Also explains a signature that your own code computed. It takes
 * about 50 ms, so call it in development only.
 *
 * @returns null if the signature is valid and its timestamp is in milliseconds.
 * @throws `TypeError` if an argument is wrong.
 */
export function diagnose(input: DiagnoseInput): SignatureDiagnosis | null {
  checkArguments(signedRules, input)
  const { secret, url, signature, timestamp, now: at = Date.now() } = input
  const body = bytesOf(input.body)
  const { report } = verifyOffline({ body, secret, url, signature, timestamp, at })
  if (report.diagnosis !== null) {
    const { causes, message, fix } = report.diagnosis
    return { causes, message, fix: (report.verdict === 'invalid' && fixOf(causes)) || fix }
  }
  if (report.verdict === 'valid') return null
  const missing = missingOf(input)
  const [message, fix] =
    missing === ''
      ? [
          'No known mistake explains this signature.',
          "Check `url` and `secret` first: wrong scheme, path only, another hook's secret. Then check that `body` is raw.",
        ]
      : [
          `No ${missing} header, so it can't be verified.`,
          'Check the header prefix, and that no proxy drops the headers.',
        ]
  return { causes: [], message, fix }
}
