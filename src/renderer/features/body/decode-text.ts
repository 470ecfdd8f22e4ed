/**
 * The text of a body, in the characters that its content type names. A byte that is no part of a character becomes a mark of its
 * own, so that nothing is lost or made up: U+DC80 to U+DCFF stand for the bytes 80 to FF, since no valid text holds them.
 */

export interface BodyText {
  readonly text: string
  /** Name of the encoding that it was read in, such as `utf-8`. */
  readonly charset: string
  /** The content type names a charset that is not known. */
  readonly charsetUnknown: boolean
  /** Bytes that are no characters; `byte` and `at` are where the first stands in the bytes and in the text. */
  readonly invalid: { readonly count: number; readonly byte: number; readonly at: number } | null
  /** So much of it is no text that bytes are the better view. */
  readonly binary: boolean
}

const SAMPLE = 8_192
/** Share of bytes that are no text from which on a body is taken for something else. */
const BINARY_SHARE = 0.1
/** A few odd bytes in a short text do not make it anything else. */
const FEW = 8
const MARK = 0xdc00

/** `cut`: the bytes are the beginning of more, so a character may be missing its last bytes; it is then left out. */
export function decodeText(bytes: Uint8Array, cut: boolean, charset: string | null): BodyText {
  const decoder = decoderFor(charset ?? byteOrderMark(bytes))
  const charsetUnknown = charset !== null && decoder === null
  if (decoder !== null && decoder.encoding !== 'utf-8') {
    const text = decoder.decode(bytes, { stream: cut })
    return { text, charset: decoder.encoding, charsetUnknown, invalid: null, binary: false }
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: cut })
    return { text, charset: 'utf-8', charsetUnknown, invalid: null, binary: bytes.includes(0) && isBinary(bytes) }
  } catch {
    // Not UTF-8 throughout: read run by run, with a mark for each byte that is no character.
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

/** UTF-16 tells itself by its first two bytes. */
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
    if (size < 0 && cut) return { text: parts.join(''), invalid: count === 0 ? null : { count, ...first } }
    if (count++ === 0) first = { byte: at, at: length }
    take(String.fromCharCode(MARK + (bytes[at] ?? 0)))
    from = ++at
  }
  if (bytes.length > from) take(decoder.decode(bytes.subarray(from)))
  return { text: parts.join(''), invalid: count === 0 ? null : { count, ...first } }
}

/** Bytes of the character that begins at `at`: 0 where none does, -1 where it would go on behind the end. */
function characterSize(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return 1
  const size = lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0
  for (let index = 1; index < size; index++) {
    const next = bytes[at + index]
    if (next === undefined) return -1
    // The second byte of some leads has a narrower range: no overlong forms, no surrogates, nothing beyond U+10FFFF.
    const least = index > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
    const most = index > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
    if (next < least || next > most) return 0
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
  return odd > Math.max(FEW, sample.length * BINARY_SHARE)
}
