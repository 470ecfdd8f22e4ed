/** Encodes UTF-16, for code that hashes text in it instead of UTF-8. */

const littleEndian = (text: string) => Buffer.from(text, 'utf16le')
const bigEndian = (text: string) => littleEndian(text).swap16()

interface Utf16Encoder {
  readonly how: string
  readonly encode: (text: string) => Buffer
}

/** Encoders, likeliest first. */
export const utf16Encoders: readonly Utf16Encoder[] = [
  { how: 'in UTF-16', encode: littleEndian },
  {
    how: 'in UTF-16 with a byte order mark, like Python',
    encode: (text) => littleEndian(`\ufeff${text}`),
  },
  {
    how: 'in UTF-16 with the high byte first, like Java',
    encode: (text) => bigEndian(`\ufeff${text}`),
  },
]
