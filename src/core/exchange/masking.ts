/**
 * What an export leaves out unless it is asked for: the values of headers that a hook may have of its own (section 4.3 of the
 * interface), and every secret that is known here, wherever it stands. What is kept stays as it is: only what goes out is masked.
 */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { contentEncodings } from '../../shared/body/content-headers.ts'
import { blockedHeaders } from '../../shared/service/blocked-headers.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import { decodeBody } from '../bodies/decode-body.ts'

export const MASK = '[masked]'

/** Shorter ones stand everywhere by chance. */
const SHORTEST_SECRET = 6
/** Standard names that carry a secret all the same. */
const secretive = ['cookie', 'proxy-authorization']

export interface Masking {
  text(text: string): string
  headers(headers: RawHeaders): RawHeaders
  /** Of a compressed body nothing is left where a secret stands in what it decodes to. */
  body(body: Uint8Array, headers: RawHeaders): Promise<Uint8Array>
}

export const withoutMasking: Masking = {
  text: (text) => text,
  headers: (headers) => headers,
  body: (body) => Promise.resolve(body),
}

/** The spellings in which a secret gets into a text: as it is, in JSON (once and twice), in a URL or a form, in Base-64 and hexadecimal. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const escaped = JSON.stringify(secret).slice(1, -1)
  const plain = [
    secret,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    escaped.replaceAll('/', String.raw`\/`),
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll('%20', '+'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ]
  return [...plain, ...inBase64(bytes), ...inBase64(Buffer.from(escaped))]
}

/** What a text becomes in Base-64 at each place where it can begin; the characters that it shares with its neighbours cut off. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    const own = whole.slice([0, 2, 3][shift], Math.floor(((shift + bytes.length) * 8) / 6))
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Any of the secrets, in a text of one character a byte; null where there is none to look for. */
function patternOf(secrets: readonly string[]): RegExp | null {
  const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET)
  const bytes = long.flatMap((secret) => [...spellings(secret).map((text) => Buffer.from(text)), Buffer.from(secret, 'utf16le')])
  const forms = [...new Set(bytes.map((form) => form.toString('latin1')))]
  // The longest first: of two that begin alike the whole is masked.
  forms.sort((one, other) => other.length - one.length)
  return forms.length === 0 ? null : new RegExp(forms.map((form) => RegExp.escape(form)).join('|'), 'g')
}

/** `secrets` in clear; `prefixes` of all environments, whose header names are known. */
export function createMasking(secrets: readonly string[], prefixes: readonly string[]): Masking {
  const pattern = patternOf(secrets)
  const shown = new Set(
    prefixes.flatMap((prefix) => [...blockedHeaders(prefix), headerNames(prefix).messageId, 'content-encoding']),
  )
  for (const name of [...secretive, ...prefixes.map((prefix) => headerNames(prefix).key)]) shown.delete(name)
  const mask = (latin1: string) => (pattern === null ? latin1 : latin1.replaceAll(pattern, MASK))
  const holdsSecret = (bytes: Uint8Array) => pattern !== null && Buffer.from(bytes).toString('latin1').search(pattern) >= 0

  return {
    text: (text) => Buffer.from(mask(Buffer.from(text).toString('latin1')), 'latin1').toString(),
    // Their values have one character a byte already.
    headers: (headers) => headers.map(([name, value]) => [name, shown.has(name.toLowerCase()) ? mask(value) : MASK]),
    async body(body, headers) {
      if (pattern === null || body.length === 0) return body
      const encodings = contentEncodings(headers)
      if (encodings.length > 0 && holdsSecret((await decodeBody(body, encodings)).bytes)) return Buffer.from(MASK)
      const text = Buffer.from(body).toString('latin1')
      const masked = mask(text)
      return masked === text ? body : Buffer.from(masked, 'latin1')
    },
  }
}
