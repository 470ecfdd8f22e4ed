/** Encodes UTF-16, for code that hashes text in it instead of UTF-8. */

const littleEndian = (text: string) => Buffer.from(text, 'utf16le')
const bigEndian = (text: string) => littleEndian(text).swap16()

/** Encoders with their description, likeliest first. */
export const utf16Encoders: readonly (readonly [how: string, encode: (text: string) => Buffer])[] =
  [
    ['in UTF-16', littleEndian],
    ['in UTF-16 with a byte order mark, like Python', (text) => littleEndian(`\ufeff${text}`)],
    ['in UTF-16 with the high byte first, like Java', (text) => bigEndian(`\ufeff${text}`)],
  ]
