/** Prints values as languages do if code forgets to convert them. */

const NAMED_ESCAPES: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't' }

/** Escapes a character as `\xe9` or `\u2028`. */
const escaped = (letter: 'x' | 'u', character: string, digits: number) =>
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

export const pythonString = (text: string): string => pythonRepr(text, /(?! )[\p{C}\p{Z}]/gu)

export const pythonBytes = (bytes: Buffer): string =>
  `b${pythonRepr(bytes.toString('latin1'), /[^ -~]/g)}`

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

interface PrintedForm {
  /** Words that complete "printed": `as a Go byte slice`. */
  readonly how: string
  /** Prints a text or, in languages that hash bytes, its bytes. */
  readonly print: (text: string, bytes: Buffer) => string
}

/** Forms of a body or digest. */
export const printedBytes: readonly PrintedForm[] = [
  { how: 'as Python bytes', print: (_, bytes) => pythonBytes(bytes) },
  { how: 'as a Python string', print: pythonString },
  {
    how: "like PHP's var_export",
    print: (text) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`,
  },
  { how: "like Ruby's inspect", print: (_, bytes) => rubyInspect(bytes) },
  { how: 'as a Go byte slice', print: (_, bytes) => `[${bytes.join(' ')}]` },
  { how: 'as a JavaScript byte array', print: (_, bytes) => bytes.join(',') },
  { how: 'as a Node buffer', print: (_, bytes) => JSON.stringify(bytes) },
]

/** Texts that languages print around an element or an optional value. */
const WRAPPERS = ['""', "['']", '[""]', '[]', "('',)", 'Optional("")', 'Optional[]', 'Some("")']

/** Place between quotes, or between the brackets of `[]`. */
const WRAPPED_PLACE = /(?<=["'])(?=["'])|(?<=\[)(?=\])/

/** Forms of a header's value or a setting. */
export const printedTexts: readonly PrintedForm[] = [
  ...printedBytes,
  ...WRAPPERS.map((wrapper): PrintedForm => ({
    how: `as ${wrapper}`,
    print: (text) => wrapper.replace(WRAPPED_PLACE, () => text),
  })),
]

/** Texts printed for a body or digest that wasn't awaited or converted. */
export const printedObjects = [
  '[object Promise]',
  '[object ArrayBuffer]',
  '[object ReadableStream]',
  'System.Byte[]',
  'Array',
]
