/** Decoding with the charset of the content type. */

export interface BodyText {
  readonly text: string
  /** Name of the encoding used, such as `utf-8`. */
  readonly charset: string
  readonly charsetUnknown: boolean
  /** Number of invalid bytes, and the first one's position in the bytes and in the text. */
  readonly invalid: { readonly count: number; readonly byte: number; readonly at: number } | null
  /** Whether so little is text that hex is the better view. */
  readonly binary: boolean
}

/** Bytes at the start of a body that decide whether it is binary. */
const SAMPLE = 8_192

/** Share of invalid bytes above which a body counts as binary. */
const BINARY_SHARE = 0.1

/** Invalid bytes that don't make a short text binary. */
const MAX_TEXT_ERRORS = 8

/** Base of the marks U+DC80 to U+DCFF for invalid bytes, which no valid text contains. */
const MARK = 0xdc00

/** Decodes a body; if `cut`, omits an unfinished last character. */
export function decodeText(bytes: Uint8Array, cut: boolean, charset: string | null): BodyText {
  const decoder = decoderFor(charset ?? byteOrderMark(bytes))
  const charsetUnknown = charset !== null && decoder === null
  if (decoder !== null && decoder.encoding !== 'utf-8') {
    const text = decoder.decode(bytes, { stream: cut })
    return { text, charset: decoder.encoding, charsetUnknown, invalid: null, binary: false }
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: cut,
    })
    return {
      text,
      charset: 'utf-8',
      charsetUnknown,
      invalid: null,
      binary: bytes.includes(0) && isBinary(bytes),
    }
  } catch {
    // Partly invalid UTF-8: decoded run by run, with a mark for each invalid byte.
    return { ...withMarks(bytes, cut), charset: 'utf-8', charsetUnknown, binary: isBinary(bytes) }
  }
}

function decoderFor(label: string | null): TextDecoder | null {
  try {
    return label === null ? null : new TextDecoder(label, { ignoreBOM: true })
  } catch {
    return null
  }
}

function byteOrderMark([first, second]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

function withMarks(bytes: Uint8Array, cut: boolean): Pick<BodyText, 'text' | 'invalid'> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const parts: string[] = []
  let length = 0
  let count = 0
  let first = { byte: -1, at: -1 }
  let from = 0
  const take = (part: string) => {
    parts.push(part)
    length += part.length
  }
  for (let at = 0; at < bytes.length;) {
    const size = characterSize(bytes, at)
    if (size > 0) {
      at += size
      continue
    }
    if (at > from) take(decoder.decode(bytes.subarray(from, at)))
    if (size < 0 && cut)
      return { text: parts.join(''), invalid: count === 0 ? null : { count, ...first } }
    if (count++ === 0) first = { byte: at, at: length }
    take(String.fromCharCode(MARK + (bytes[at] ?? 0)))
    from = ++at
  }
  if (bytes.length > from) take(decoder.decode(bytes.subarray(from)))
  return { text: parts.join(''), invalid: count === 0 ? null : { count, ...first } }
}

/** Returns the length of the character at `at`: 0 if there is none, -1 if it is unfinished. */
function characterSize(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return 1
  const size =
    lead >= 0xc2 && lead <= 0xdf
      ? 2
      : lead >= 0xe0 && lead <= 0xef
        ? 3
        : lead >= 0xf0 && lead <= 0xf4
          ? 4
          : 0
  for (let index = 1; index < size; index++) {
    const next = bytes[at + index]
    if (next === undefined) return -1
    // The second byte excludes overlong forms, surrogates, and characters beyond U+10FFFF.
    const minimum = index > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
    const maximum = index > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
    if (next < minimum || next > maximum) return 0
  }
  return size
}

function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE)
  let odd = 0
  for (let at = 0; at < sample.length;) {
    const size = characterSize(sample, at)
    const byte = sample[at] ?? 0
    if (size === 0 || (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13)) odd++
    at += Math.max(1, size)
  }
  return odd > Math.max(MAX_TEXT_ERRORS, sample.length * BINARY_SHARE)
}
