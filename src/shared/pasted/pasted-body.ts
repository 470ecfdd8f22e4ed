/**
 * Bodies of a copied request, likeliest first. Copying changes spaces, line ends, quotes and
 * escapes, so the signature must decide which one was sent.
 */
import type { RawHeaders } from '../model/delivery.ts'
import { formatJson } from '../json/format.ts'
import { scanJson } from '../json/scan.ts'
import { bytesOfByteText, decodeByteText, encodeByteText } from '../text/byte-text.ts'
import { withPlainQuotes } from './byte-spaces.ts'

/** Bytes of the longest text that is tried in variants; each costs as much memory. */
export const MOST_VARIED_BYTES = 1_048_576
const MOST_BODIES = 8

export function headerValue(headers: RawHeaders, lowerName: string): string | null {
  return headers.find(([name]) => name.toLowerCase() === lowerName)?.[1] ?? null
}

interface Bodies {
  readonly bodies: readonly Uint8Array[]
  readonly note: string | null
}

/**
 * Returns the likely bodies of raw HTTP.
 * @param options `isUntouched`: nothing was removed, so the text may be exact
 */
export function likelyBodies(
  text: string,
  headers: RawHeaders,
  { isUntouched }: { readonly isUntouched: boolean },
): Bodies {
  const length = /^\d{1,15}$/.exec(headerValue(headers, 'content-length') ?? '')?.[0]
  const joined = /chunked/i.test(headerValue(headers, 'transfer-encoding') ?? '')
    ? joinChunks(text)
    : null
  const candidates = joined === null ? variantsOf(text, isUntouched) : [joined]
  const fitting = candidates.filter(
    (body) => length === undefined || body.length === Number(length),
  )
  const cut = text.slice(0, Number(length ?? text.length))
  return {
    bodies: distinctBytes(fitting.length > 0 ? [...fitting, ...candidates] : [...candidates, cut]),
    note:
      fitting.length > 0 || length === undefined
        ? null
        : `Content-Length is ${length}, but the copied body has ${text.length} bytes: it was cut off or changed.`,
  }
}

function distinctBytes(bodies: readonly string[]): Uint8Array[] {
  return [...new Set(bodies)].slice(0, MOST_BODIES).map(bytesOfByteText)
}

/** Title before a body: `Request body: {`. */
const TITLE =
  /^\s{0,9}(?:(?:request |raw )?(?:body|payload|data)\s{0,9}[:=][ \t]*(?:\r?\n)?)(?=\s{0,9}[[{])/i

/** Returns the text as copied, then its likely originals. */
function variantsOf(copied: string, isUntouched: boolean): string[] {
  const title = TITLE.exec(copied.slice(0, 100))?.[0] ?? ''
  const text = copied.slice(title.length)
  const trimmed = withoutLastLineEnds(text)
  if (text.length > MOST_VARIED_BYTES) return [text, trimmed]
  const json = leadingJson(text)
  const withoutProse = json === null || json.length === trimmed.length ? [] : [json]
  // U+00A0 and U+200B in UTF-8.
  const typed = withPlainQuotes(text).replaceAll(/\xc2\xa0|\xe2\x80\x8b/g, ' ')
  const withLineFeeds = text.replaceAll('\r\n', '\n')
  const wrappedLines = trimmed.split('\n').map((line) => line.trimEnd())
  return [
    ...(isUntouched ? [text, trimmed, ...withoutProse] : [...withoutProse, trimmed, text]),
    ...(typed === text ? [] : [withoutLastLineEnds(typed)]),
    withoutLastLineEnds(withLineFeeds),
    withLineFeeds.replaceAll('\n', '\r\n'),
    wrappedLines.join(''),
    wrappedLines.join(' '),
  ]
}

/** Returns the JSON object or list at the start of a text. */
export function leadingJson(text: string): string | null {
  if (!/^\s{0,99}[[{]/.test(text.slice(0, 100))) return null
  let depth = 0
  let end = 0
  scanJson(text, {
    key: () => undefined,
    scalar: () => undefined,
    open: () => depth++,
    close(at) {
      depth--
      if (depth === 0) end = at + 1
    },
  })
  return end === 0 ? null : text.slice(0, end)
}

function withoutLastLineEnds(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end--
  return text.slice(0, end)
}

/** Decodes `Transfer-Encoding: chunked`; null if the chunks were cut or changed. */
function joinChunks(text: string): string | null {
  const parts: string[] = []
  for (let at = 0; at < text.length;) {
    const [line, size = ''] =
      /^([0-9a-f]{1,8})[^\r\n]{0,200}\r?\n/i.exec(text.slice(at, at + 300)) ?? []
    if (line === undefined) return null
    const length = Number.parseInt(size, 16)
    if (length === 0) return parts.join('')
    at += line.length
    if (at + length > text.length) return null
    parts.push(text.slice(at, at + length))
    at += length + (/^\r?\n/.exec(text.slice(at + length, at + length + 2))?.[0].length ?? 0)
  }
  return null
}

/**
 * Encodes a string as UTF-8, and takes it as a byte text if it may be one.
 * @param size number of bytes, if known
 */
export function stringBodies(text: string, size: number | null): Uint8Array[] {
  const utf8 = encodeByteText(text)
  const mayBeBytes = !/[^\0-\xff]/.test(text) && decodeByteText(text) !== text
  if (!mayBeBytes) return distinctBytes([utf8])
  return distinctBytes(size === text.length ? [text, utf8] : [utf8, text])
}

/** Writes a parsed body as serializers of JavaScript and Python do. */
export function serializedBodies(json: string): Uint8Array[] {
  const compact = respaced(json, { comma: ',', colon: ':' })
  if (json.length > MOST_VARIED_BYTES) return distinctBytes([encodeByteText(compact)])
  const spaced = respaced(json, { comma: ', ', colon: ': ' })
  const ofJavaScript = JSON.stringify(JSON.parse(json))
  const escaped = [compact, spaced].map((text) =>
    text.replaceAll(
      /[\u0080-\uffff]/g,
      (unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, '0'),
    ),
  )
  const spellings = [compact, json, ofJavaScript, spaced, ...escaped, formatJson(json) ?? compact]
  return distinctBytes(spellings.map(encodeByteText))
}

/** Replaces commas and colons between JSON tokens, and the whitespace around them. */
function respaced(json: string, { comma, colon }: { comma: string; colon: string }): string {
  const parts: string[] = []
  const keep = (start: number, end = start + 1) => parts.push(json.slice(start, end))
  scanJson(json, {
    mark: () => parts.push(colon),
    key: keep,
    scalar: keep,
    open: (at) => keep(at),
    close: (at) => keep(at),
    comma: () => parts.push(comma),
  })
  return parts.join('')
}
