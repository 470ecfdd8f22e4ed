/**
 * What an export leaves out unless it is asked for: the values of headers that a hook may have of its own (section 4.3 of the
 * interface), and every secret that is known here, wherever it stands. What is kept stays as it is: only what goes out is masked.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { contentEncodings } from '../../shared/body/content-headers.ts'
import { createMask, MASK, type Mask } from '../../shared/text/masked.ts'
import { blockedHeaders } from '../../shared/service/blocked-headers.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import { decodeBody } from '../bodies/decode-body.ts'

/** Bytes of a body that are looked through in one go: a millisecond or two of the thread that receives. */
const PORTION = 131_072
/** Standard names that carry a secret all the same. */
const secretive = ['cookie', 'proxy-authorization']

export interface Masking {
  text(text: string): string
  headers(headers: RawHeaders): RawHeaders
  /** Of a compressed body nothing is left where a secret stands in what it decodes to. */
  body(body: Uint8Array, headers: RawHeaders): Promise<Uint8Array>
  /** Also masks the values that are masked in these headers wherever they are repeated: in the same body, or in a response. */
  withValuesOf(headers: RawHeaders): Masking
}

export const withoutMasking: Masking = {
  text: (text) => text,
  headers: (headers) => headers,
  body: (body) => Promise.resolve(body),
  withValuesOf: () => withoutMasking,
}

/** Where secrets stand in a body, from front to back. Between portions everything else gets its turn. */
async function* placesIn(body: Uint8Array, { pattern, longest }: Mask): AsyncGenerator<{ start: number; end: number }> {
  if (pattern === null) return
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

/** The body with the mark in place of each secret; the same bytes if there is none. */
async function maskedBody(body: Uint8Array, mask: Mask): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let kept = 0
  for await (const { start, end } of placesIn(body, mask)) {
    parts.push(body.subarray(kept, start), Buffer.from(MASK))
    kept = end
  }
  return parts.length === 0 ? body : Buffer.concat([...parts, body.subarray(kept)])
}

async function holdsSecret(body: Uint8Array, mask: Mask): Promise<boolean> {
  const { done } = await placesIn(body, mask).next()
  return done !== true
}

/** `secrets` in clear; `prefixes` of all environments, whose header names are known. */
export function createMasking(secrets: readonly string[], prefixes: readonly string[]): Masking {
  const shown = new Set(
    prefixes.flatMap((prefix) => [...blockedHeaders(prefix), headerNames(prefix).messageId, 'content-encoding']),
  )
  for (const name of [...secretive, ...prefixes.map((prefix) => headerNames(prefix).key)]) shown.delete(name)
  const isShown = (name: string) => shown.has(name.toLowerCase())
  const known = createMask(secrets)

  /** The masking that also knows `values`. All secrets at once cost a while to look for, so only if one of the values is there. */
  function maskingWith(values: readonly string[]): Masking {
    const own = createMask(values)
    let both: Mask | undefined
    const withOwn = () => (both ??= createMask([...secrets, ...values]))
    const maskText = (text: string) => (own.text(text) === text ? known : withOwn()).text(text)
    return {
      text: maskText,
      headers: (headers) => headers.map(([name, value]) => [name, isShown(name) ? maskText(value) : MASK]),
      async body(body, headers) {
        if (body.length === 0 || (known.pattern === null && own.pattern === null)) return body
        const decoded = await decodeBody(body, contentEncodings(headers))
        const isEncoded = decoded.encodings.length > 0
        const repeats = (await holdsSecret(body, own)) || (isEncoded && (await holdsSecret(decoded.bytes, own)))
        const mask = repeats ? withOwn() : known
        if (isEncoded && (await holdsSecret(decoded.bytes, mask))) return Buffer.from(MASK)
        return maskedBody(body, mask)
      },
      withValuesOf(headers) {
        return maskingWith([...values, ...headers.flatMap(([name, value]) => (isShown(name) ? [] : [value]))])
      },
    }
  }
  return maskingWith([])
}
