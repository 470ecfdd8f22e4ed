/** Prints values as languages do if code forgets to convert them. */

const NAMED_ESCAPES: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't' }

const escaped = (letter: string, character: string, digits: number) =>
  `\\${letter}${character.codePointAt(0)!.toString(16).padStart(digits, '0')}`

/** Prints a text like Python's `repr`, with `unprintable` escaped. */
function pythonRepr(text: string, unprintable: RegExp): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const inner = text
    .replaceAll(/[\\\n\r\t]/g, (one) => `\\${NAMED_ESCAPES[one] ?? one}`)
    .replaceAll(quote, `\\${quote}`)
    .replaceAll(unprintable, (one) =>
      one <= '\u00ff' ? escaped('x', one, 2) : escaped('u', one, 4),
    )
  return quote + inner + quote
}

/** Prints a string like Python's `repr`. */
export const pythonString = (text: string): string => pythonRepr(text, /(?! )[\p{C}\p{Z}]/gu)

/** Prints bytes like Python's `repr`. */
export const pythonBytes = (bytes: Buffer): string =>
  `b${pythonRepr(bytes.toString('latin1'), /[^ -~]/g)}`

/** Prints bytes like Ruby's `inspect`. */
function rubyInspect(bytes: Buffer): string {
  const inner = bytes
    .toString('latin1')
    .replaceAll(/["\\]|#(?=[{$@])/g, String.raw`\$&`)
    .replaceAll(/[^ -~]/g, (one) =>
      one in NAMED_ESCAPES
        ? `\\${NAMED_ESCAPES[one]}`
        : escaped('x', one, 2).replace(/..$/, (digits) => digits.toUpperCase()),
    )
  return `"${inner}"`
}

type Printer = readonly [how: string, print: (text: string, bytes: Buffer) => string]

/** Printed forms of text or bytes; the words complete "printed". */
export const printedBytes: readonly Printer[] = [
  ['as Python bytes', (_, bytes) => pythonBytes(bytes)],
  ['as a Python string', pythonString],
  ["like PHP's var_export", (text) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`],
  ["like Ruby's inspect", (_, bytes) => rubyInspect(bytes)],
  ['as a Go byte slice', (_, bytes) => `[${bytes.join(' ')}]`],
  ['as a JavaScript byte array', (_, bytes) => bytes.join(',')],
  ['as a Node buffer', (_, bytes) => JSON.stringify(bytes)],
]

/** Texts around an element or an optional value. */
const WRAPPERS = ['""', "['']", '[""]', '[]', "('',)", 'Optional("")', 'Optional[]', 'Some("")']

/** Printed forms of a header's value or a setting. */
export const printedTexts: readonly Printer[] = [
  ...printedBytes,
  ...WRAPPERS.map((wrapper): Printer => [
    `as ${wrapper}`,
    (text) => wrapper.replace(/(?<=["'])(?=["'])|(?<=\[)(?=\])/, () => text),
  ]),
]

/** Printed forms of a body or digest that wasn't awaited. */
export const printedObjects = [
  '[object Promise]',
  '[object ArrayBuffer]',
  '[object ReadableStream]',
  'System.Byte[]',
  'Array',
]
