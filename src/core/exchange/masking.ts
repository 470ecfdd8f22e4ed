/**
 * What an export leaves out unless it is asked for: the values of headers that a hook may have of its own (section 4.3 of the
 * interface), and every secret that is known here, wherever it stands. What is kept stays as it is: only what goes out is masked.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { contentEncodings } from '../../shared/body/content-headers.ts'
import { blockedHeaders } from '../../shared/service/blocked-headers.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import { decodeBody } from '../bodies/decode-body.ts'

export const MASK = '[masked]'

/** Shorter ones stand everywhere by chance. */
export const SHORTEST_SECRET = 6
/** Bytes of a body that are looked through in one go: a millisecond or two of the thread that receives. */
const PORTION = 131_072
/** Standard names that carry a secret all the same. */
const secretive = ['cookie', 'proxy-authorization']

export interface Masking {
  text(text: string): string
  headers(headers: RawHeaders): RawHeaders
  /** Of a compressed body nothing is left where a secret stands in what it decodes to. */
  body(body: Uint8Array, headers: RawHeaders): Promise<Uint8Array>
  /** Masks besides, wherever they stand, the values that are masked in these headers: an answer may well repeat its request's. */
  withValuesOf(headers: RawHeaders): Masking
}

export const withoutMasking: Masking = {
  text: (text) => text,
  headers: (headers) => headers,
  body: (body) => Promise.resolve(body),
  withValuesOf: () => withoutMasking,
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

interface Secrets {
  /** Any of them, in a text of one character a byte. */
  readonly pattern: RegExp
  /** Bytes of the longest spelling. */
  readonly longest: number
}

/** Null where there is none to look for. */
function spelled(secrets: readonly string[]): Secrets | null {
  const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET)
  const bytes = long.flatMap((secret) => [...spellings(secret).map((text) => Buffer.from(text)), Buffer.from(secret, 'utf16le')])
  const forms = [...new Set(bytes.map((form) => form.toString('latin1')))]
  // The longest first: of two that begin alike the whole is masked.
  forms.sort((one, other) => other.length - one.length)
  const [longest] = forms
  if (longest === undefined) return null
  return { pattern: new RegExp(forms.map((form) => RegExp.escape(form)).join('|'), 'g'), longest: longest.length }
}

/** Where secrets stand in a body, from front to back. Between portions everything else gets its turn. */
async function* placesIn(body: Uint8Array, { pattern, longest }: Secrets): AsyncGenerator<{ start: number; end: number }> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  let from = 0
  while (from < bytes.length) {
    if (from > 0) await nextTurn()
    const portionEnd = from + PORTION
    // As far as one that begins in this portion can reach.
    const text = bytes.toString('latin1', from, portionEnd + longest - 1)
    let next = portionEnd
    for (const match of text.matchAll(pattern)) {
      const start = from + match.index
      if (start >= portionEnd) break
      const end = start + match[0].length
      yield { start, end }
      next = Math.max(next, end)
    }
    from = next
  }
}

/** The same bytes where no secret stands in them. */
async function maskedBody(body: Uint8Array, secrets: Secrets): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let kept = 0
  for await (const { start, end } of placesIn(body, secrets)) {
    parts.push(body.subarray(kept, start), Buffer.from(MASK))
    kept = end
  }
  return parts.length === 0 ? body : Buffer.concat([...parts, body.subarray(kept)])
}

async function holdsSecret(body: Uint8Array, secrets: Secrets): Promise<boolean> {
  const { done } = await placesIn(body, secrets).next()
  return done !== true
}

/** `secrets` in clear; `prefixes` of all environments, whose header names are known. */
export function createMasking(secrets: readonly string[], prefixes: readonly string[]): Masking {
  const known = spelled(secrets)
  const shown = new Set(
    prefixes.flatMap((prefix) => [...blockedHeaders(prefix), headerNames(prefix).messageId, 'content-encoding']),
  )
  for (const name of [...secretive, ...prefixes.map((prefix) => headerNames(prefix).key)]) shown.delete(name)
  const isShown = (name: string) => shown.has(name.toLowerCase())
  const mask = (latin1: string) => (known === null ? latin1 : latin1.replaceAll(known.pattern, MASK))

  return {
    text: (text) => Buffer.from(mask(Buffer.from(text).toString('latin1')), 'latin1').toString(),
    // Their values have one character a byte already.
    headers: (headers) => headers.map(([name, value]) => [name, isShown(name) ? mask(value) : MASK]),
    async body(body, headers) {
      if (known === null || body.length === 0) return body
      const decoded = await decodeBody(body, contentEncodings(headers))
      if (decoded.encodings.length > 0 && (await holdsSecret(decoded.bytes, known))) return Buffer.from(MASK)
      return maskedBody(body, known)
    },
    withValuesOf(headers) {
      const values = headers.flatMap(([name, value]) => (isShown(name) ? [] : [value]))
      return createMasking([...secrets, ...values], prefixes)
    },
  }
}
