/** Body of a copied request, as copied and as it may have been. */
import type { RawHeaders } from '../model/delivery.ts'
import { formatJson } from '../json/format.ts'
import { scanJson } from '../json/scan.ts'
import { bytesOfLatin1, latin1Of, withPlainQuotes, textOfLatin1 } from './pasted-text.ts'

/** Longest text for which variants are tried; each costs as much memory. */
export const MOST_COPIED = 1_048_576
const MOST_BODIES = 8

export function valueOf(headers: RawHeaders, lowerName: string): string | null {
  return headers.find(([name]) => name.toLowerCase() === lowerName)?.[1] ?? null
}

interface Bodies {
  readonly bodies: readonly Uint8Array[]
  readonly note: string | null
}

/**
 * Returns the likely bodies of raw HTTP.
 * @param isPlain nothing was removed, so the text may be exact
 */
export function bodiesOf(text: string, headers: RawHeaders, isPlain: boolean): Bodies {
  const length = /^\d{1,15}$/.exec(valueOf(headers, 'content-length') ?? '')?.[0]
  const chunks = /chunked/i.test(valueOf(headers, 'transfer-encoding') ?? '')
    ? unchunked(text)
    : null
  const candidates = chunks === null ? copiesOf(text, isPlain) : [chunks]
  const whole = candidates.filter((body) => length === undefined || body.length === Number(length))
  const cut = text.slice(0, Number(length ?? text.length))
  const bodies = whole.length > 0 ? [...whole, ...candidates] : [...candidates, cut]
  return {
    bodies: bytesOf(bodies),
    note:
      whole.length > 0 || length === undefined
        ? null
        : `Content-Length is ${length}, but the copied body has ${text.length} bytes: it was cut off or changed.`,
  }
}

function bytesOf(bodies: readonly string[]): Uint8Array[] {
  return [...new Set(bodies)].slice(0, MOST_BODIES).map(bytesOfLatin1)
}

const LABEL =
  /^\s{0,9}(?:(?:request |raw )?(?:body|payload|data)\s{0,9}[:=][ \t]*(?:\r?\n)?)(?=\s{0,9}[[{])/i

/** Returns the text as copied, then its likely originals. */
function copiesOf(copied: string, isPlain: boolean): string[] {
  const label = LABEL.exec(copied.slice(0, 100))?.[0] ?? ''
  const text = copied.slice(label.length)
  const bare = withoutEnd(text)
  if (text.length > MOST_COPIED) return [text, bare]
  const lines = text.replaceAll('\r\n', '\n')
  const wrapped = bare.split('\n').map((line) => line.trimEnd())
  const value = leadingJson(text)
  // Prose behind the body, as in a mail.
  const ofMail = value === null || value.length === bare.length ? [] : [value]
  const straight = withPlainQuotes(text).replaceAll(/\xc2\xa0|\xe2\x80\x8b/g, ' ')
  return [
    ...(isPlain ? [text, bare, ...ofMail] : [...ofMail, bare, text]),
    ...(straight === text ? [] : [withoutEnd(straight)]),
    withoutEnd(lines),
    lines.replaceAll('\n', '\r\n'),
    wrapped.join(''),
    wrapped.join(' '),
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

function withoutEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end--
  return text.slice(0, end)
}

function unchunked(text: string): string | null {
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
 * Encodes a string: as UTF-8, or one character per byte.
 * @param size number of bytes, if known
 */
export function stringBodies(text: string, size: number | null): Uint8Array[] {
  const utf8 = latin1Of(text)
  // UTF-8 if each character is a byte.
  const isBytes = !/[^\0-\xff]/.test(text) && textOfLatin1(text) !== text
  return bytesOf(!isBytes ? [utf8] : size === text.length ? [text, utf8] : [utf8, text])
}

/** Writes a parsed body as serializers of JavaScript and Python do. */
export function serializedBodies(json: string): Uint8Array[] {
  const compact = respaced(json, ',', ':')
  if (json.length > MOST_COPIED) return bytesOf([latin1Of(compact)])
  const spaced = respaced(json, ', ', ': ')
  const written = JSON.stringify(JSON.parse(json))
  const escaped = [compact, spaced].map((text) =>
    text.replaceAll(
      /[\u0080-\uffff]/g,
      (one) => String.raw`\u` + one.charCodeAt(0).toString(16).padStart(4, '0'),
    ),
  )
  const forms = [compact, json, written, spaced, ...escaped, formatJson(json) ?? compact]
  return bytesOf(forms.map(latin1Of))
}

/** Replaces the characters between JSON tokens. */
function respaced(json: string, comma: string, colon: string): string {
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
