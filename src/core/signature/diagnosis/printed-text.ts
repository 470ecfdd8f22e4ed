/** Texts as languages print a value that code forgot to convert: quoted with escapes, as a list of bytes, or in a wrapper. */

const NAMED: Readonly<Record<string, string>> = {
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\u0007': 'a',
  '\b': 'b',
  '\u001b': 'e',
  '\f': 'f',
  '\v': 'v',
}

const hexOf = (text: string, digits: number) =>
  text.codePointAt(0)!.toString(16).padStart(digits, '0')

/** Returns the escape that Python prints for a character: `\xe9`, `\u6771`, `\U0001f600`. */
export const pythonEscape = (character: string): string =>
  character <= '\u00ff'
    ? String.raw`\x${hexOf(character, 2)}`
    : character.length === 1
      ? String.raw`\u${hexOf(character, 4)}`
      : String.raw`\U${hexOf(character, 8)}`

/** What Python's `repr` escapes in a string; in bytes, everything beyond ASCII too. */
const UNPRINTABLE = /(?! )[\p{C}\p{Z}]/gu
const NOT_ASCII = /[^ -~]/g

function repr(text: string, unprintable: RegExp): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const inner = text
    .replaceAll(/[\\\n\r\t]/g, (one) => `\\${NAMED[one] ?? one}`)
    .replaceAll(quote, `\\${quote}`)
    .replaceAll(unprintable, pythonEscape)
  return quote + inner + quote
}

/** Returns the text as Python's `repr` prints a string. */
export const pythonString = (text: string): string => repr(text, UNPRINTABLE)

/** Returns the bytes as Python's `repr` prints them. */
export const pythonBytes = (bytes: Buffer): string =>
  `b${repr(bytes.toString('latin1'), NOT_ASCII)}`

/** As Ruby's `inspect`: a string from a request is binary, with its bytes beyond ASCII escaped. */
function inspect(text: string): string {
  const inner = text
    .replaceAll(/["\\]|#(?=[{$@])/g, String.raw`\$&`)
    .replaceAll(/[\u0007-\r\u001b]/g, (one) => `\\${NAMED[one]}`)
    .replaceAll(/[\0-\u001f\u007f-\u00ff]/g, (one) => String.raw`\x${hexOf(one, 2).toUpperCase()}`)
  return `"${inner}"`
}

const varExport = (text: string) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`

/** Writes each byte in decimal, as `bytes.join` does, but in half the time. */
function decimals(bytes: Buffer, separator: ' ' | ','): string {
  const all = Buffer.allocUnsafe(bytes.length * 4)
  const between = separator.charCodeAt(0)
  let end = 0
  for (const byte of bytes) {
    if (end > 0) all[end++] = between
    if (byte > 99) all[end++] = 48 + Math.trunc(byte / 100)
    if (byte > 9) all[end++] = 48 + (Math.trunc(byte / 10) % 10)
    all[end++] = 48 + (byte % 10)
  }
  return all.toString('latin1', 0, end)
}

type Printer = readonly [how: string, print: (text: string, bytes: Buffer) => string]

/** How languages print a text or its bytes, likeliest first. `how` completes "printed". */
export const printedBytes: readonly Printer[] = [
  ['as Python bytes', (_, bytes) => pythonBytes(bytes)],
  ['as a Go byte slice', (_, bytes) => `[${decimals(bytes, ' ')}]`],
  ['as a JavaScript byte array', (_, bytes) => decimals(bytes, ',')],
  ['as a Node buffer', (_, bytes) => `{"type":"Buffer","data":[${decimals(bytes, ',')}]}`],
  ['as a Python string', pythonString],
  ["like PHP's var_export", varExport],
  ["like Ruby's inspect", (_, bytes) => inspect(bytes.toString('latin1'))],
]

/** How languages print a header's value or a setting, likeliest first. */
export const printedTexts: readonly Printer[] = [
  ...printedBytes,
  ['as a list of bytes', (_, bytes) => `[${bytes.join(', ')}]`],
  ['in double quotes', (text) => `"${text}"`],
  ['as a Python list', (text) => `['${text}']`],
  ['as a JSON list', (text) => `["${text}"]`],
  ['as a Go or Java list', (text) => `[${text}]`],
  ['as a Python tuple', (text) => `('${text}',)`],
  ['as a Swift optional', (text) => `Optional("${text}")`],
  ['as a Java optional', (text) => `Optional[${text}]`],
  ['as a Rust option', (text) => `Some("${text}")`],
]

/** What languages print for an object that isn't a text: a body or digest that wasn't read or awaited. */
export const printedObjects: readonly string[] = [
  '[object Promise]',
  '[object ArrayBuffer]',
  '[object ReadableStream]',
  '[object Blob]',
  'System.Byte[]',
  'System.IO.MemoryStream',
  'Array',
]
