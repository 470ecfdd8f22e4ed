/**
 * Reads a line of an import as it arrives, in one or many pieces, and decodes its body immediately:
 * as text, a body of megabytes would be in memory several times. The rest of the line is JSON with
 * an empty body.
 */
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts'
import { byteSize } from '../../shared/text/counted.ts'

/** Characters of a line besides its body: headers that JSON escapes, and a note. */
export const AROUND_BODY = 2 * 1_048_576

/**
 * Longest line, in characters, that can be imported under a body limit in bytes: its body in Base64
 * plus the rest.
 */
export function longestLine(bodyLimit: number): number {
  return Math.ceil(Math.max(bodyLimit, DEFAULT_SETTINGS.bodyLimit) / 3) * 4 + AROUND_BODY
}

export function tooLongReason(bodyLimit: number): string {
  const most = Math.max(bodyLimit, DEFAULT_SETTINGS.bodyLimit)
  return `The line is too long for the body limit of ${byteSize(most)}. Raise the limit with "countersign settings --body-limit SIZE", then import the file again.`
}

export type LineReader = ReturnType<typeof createLineReader>

export interface LineContents {
  /** The line with an empty body; null if that is too long for a line without its body. */
  readonly text: string | null
  /** In its own buffer. Null if it isn't Base64. */
  readonly body: Buffer | null
}

function createBase64Reader(mostCharacters: number) {
  let bytes: Buffer | null = null
  let length = 0
  /** Characters of a group of four that isn't complete. */
  let rest = ''
  let padding = 0
  let isBase64 = true
  return {
    add(text: string) {
      const end = text.search(/[^A-Za-z0-9+/]|$/)
      // Nothing follows the padding.
      isBase64 &&= (padding === 0 || end === 0) && /^={0,2}$/.test(text.slice(end, end + 3))
      padding += text.length - end
      isBase64 &&= padding <= 2
      if (!isBase64) return
      const groups = rest + text
      const whole = groups.length - (groups.length % 4)
      rest = groups.slice(whole)
      // Not zero-filled: the system allocates memory only for bytes that are written.
      bytes ??= Buffer.allocUnsafeSlow(Math.ceil(mostCharacters / 4) * 3)
      length += bytes.write(groups.slice(0, whole), length, 'base64')
    },
    end(): Buffer | null {
      if (!isBase64 || rest !== '') return null
      if (bytes === null || length > bytes.length / 2)
        return bytes?.subarray(0, length) ?? Buffer.alloc(0)
      const own = Buffer.allocUnsafeSlow(length)
      bytes.copy(own)
      return own
    },
  }
}

/**
 * Returns what a JSON escape sequence stands for; for an invalid one, a character that no key and
 * no Base64 has.
 */
function unescaped(escape: string): string {
  try {
    return JSON.parse(`"${escape}"`) as string
  } catch {
    return '?'
  }
}

const STRING_END = /["\\]/g
const STRUCTURE = /["{}[\],]/g

/** Returns the first match from a position on; the text's length without one. */
function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

/**
 * Creates a reader of one line. Limits in characters: of the whole line, and of it without its
 * body.
 */
export function createLineReader(limits: { readonly line: number; readonly text: number }) {
  let kept: string[] | null = []
  let keptLength = 0
  let body: ReturnType<typeof createBase64Reader> | null = null
  /** Depth in objects and lists. */
  let depth = 0
  /** The current string: `key` is a key of the outermost object, `body` the value of its `body`. */
  let inside: 'nothing' | 'key' | 'body' | 'string' = 'nothing'
  let key = ''
  let isKeyNext = false
  let isBodyNext = false
  /** An incomplete escape sequence. */
  let escape = ''

  const keep = (text: string) => {
    if (text === '' || kept === null) return
    keptLength += text.length
    if (keptLength > limits.text) kept = null
    else kept.push(text)
  }

  const addToString = (text: string) => {
    if (inside === 'body') body?.add(text)
    // No more than tells it from `body`.
    if (inside === 'key') key = (key + text).slice(0, 'body'.length + 1)
  }

  const endString = () => {
    isBodyNext = inside === 'key' && key === 'body'
    inside = 'nothing'
  }

  /** Reads characters of a string. Returns where reading continues. */
  const readString = (text: string, from: number): number => {
    if (escape !== '') {
      escape += text[from]
      if (escape.length === (escape[1] === 'u' ? 6 : 2)) {
        addToString(unescaped(escape))
        escape = ''
      }
      return from + 1
    }
    const end = indexOf(STRING_END, text, from)
    addToString(text.slice(from, end))
    if (text[end] === '\\') escape = '\\'
    else if (end < text.length) endString()
    return end + 1
  }

  /** Reads up to the next string or its absence. Returns where reading continues. */
  const readStructure = (text: string, from: number): number => {
    const at = indexOf(STRUCTURE, text, from)
    switch (text[at]) {
      case '"':
        inside = isBodyNext ? 'body' : isKeyNext && depth === 1 ? 'key' : 'string'
        if (isBodyNext) body = createBase64Reader(limits.line)
        key = ''
        isKeyNext = false
        break
      case '{':
      case '[':
        depth++
        isKeyNext = true
        break
      case '}':
      case ']':
        depth--
        break
      case ',':
        isKeyNext = true
        break
      default:
        return at
    }
    isBodyNext = false
    return at + 1
  }
  const isIn = (place: typeof inside) => inside === place

  return {
    add(text: string) {
      /** The start of the part that isn't kept yet. */
      let from = 0
      for (let at = 0; at < text.length;) {
        if (isIn('nothing')) {
          at = readStructure(text, at)
          if (isIn('body')) keep(text.slice(from, at))
        } else {
          const isBody = isIn('body')
          at = readString(text, at)
          // The quote that ends it is kept.
          if (isBody) from = isIn('nothing') ? at - 1 : at
        }
      }
      if (!isIn('body')) keep(text.slice(from))
    },
    end: (): LineContents => ({
      text: kept?.join('') ?? null,
      body: body === null ? Buffer.alloc(0) : body.end(),
    }),
  }
}
