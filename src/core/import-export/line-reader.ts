/** Reads a line of an import as it arrives; a body as text would be in memory several times. */
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts'
import { byteSize } from '../../shared/text/english.ts'

/** Characters of a line besides its body. */
export const AROUND_BODY = 2 * 1_048_576

/** Returns the most characters of a line under a body limit in bytes. */
export function longestLine(bodyLimit: number): number {
  return Math.ceil(Math.max(bodyLimit, DEFAULT_SETTINGS.bodyLimit) / 3) * 4 + AROUND_BODY
}

export function tooLongReason(bodyLimit: number): string {
  const most = Math.max(bodyLimit, DEFAULT_SETTINGS.bodyLimit)
  return `The line is too long for the body limit of ${byteSize(most)}. Raise the limit with "countersign settings --body-limit SIZE", then import the file again.`
}

export interface LineContents {
  /** The line with an empty body; null if it is too long. */
  readonly text: string | null
  /** Body in its own buffer; null if it isn't Base64. */
  readonly body: Buffer | null
}

class Base64Reader {
  readonly #mostCharacters: number
  #bytes: Buffer | null = null
  #length = 0
  #rest = ''
  #padding = 0
  #isBase64 = true

  constructor(mostCharacters: number) {
    this.#mostCharacters = mostCharacters
  }

  add(text: string) {
    const end = text.search(/[^A-Za-z0-9+/]|$/)
    this.#isBase64 &&=
      (this.#padding === 0 || end === 0) && /^={0,2}$/.test(text.slice(end, end + 3))
    this.#padding += text.length - end
    this.#isBase64 &&= this.#padding <= 2
    if (!this.#isBase64) return
    const groups = this.#rest + text
    const whole = groups.length - (groups.length % 4)
    this.#rest = groups.slice(whole)
    // Not zero-filled, so only written bytes take memory.
    this.#bytes ??= Buffer.allocUnsafeSlow(Math.ceil(this.#mostCharacters / 4) * 3)
    this.#length += this.#bytes.write(groups.slice(0, whole), this.#length, 'base64')
  }

  end(): Buffer | null {
    if (!this.#isBase64 || this.#rest !== '') return null
    if (this.#bytes === null || this.#length > this.#bytes.length / 2)
      return this.#bytes?.subarray(0, this.#length) ?? Buffer.alloc(0)
    const own = Buffer.allocUnsafeSlow(this.#length)
    this.#bytes.copy(own)
    return own
  }
}

/** Returns an escaped character; for an invalid one, `?`. */
function unescaped(escape: string): string {
  try {
    return JSON.parse(`"${escape}"`) as string
  } catch {
    return '?'
  }
}

const STRING_END = /["\\]/g
const STRUCTURE = /["{}[\],]/g

function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

/** Place in a line: a `key` of the outermost object, its `body`, or another string. */
type Place = 'nothing' | 'key' | 'body' | 'string'

/** Characters of the whole line, and without its body. */
interface LineLimits {
  readonly line: number
  readonly text: number
}

export class LineReader {
  readonly #limits: LineLimits
  #parts: string[] | null = []
  #textLength = 0
  #body: Base64Reader | null = null
  /** Depth in objects and lists. */
  #depth = 0
  #inside: Place = 'nothing'
  #key = ''
  #isKeyNext = false
  #isBodyNext = false
  #escape = ''

  constructor(limits: LineLimits) {
    this.#limits = limits
  }

  add(text: string) {
    /** Start of the unread part. */
    let from = 0
    for (let at = 0; at < text.length;) {
      if (this.#isIn('nothing')) {
        at = this.#readStructure(text, at)
        if (this.#isIn('body')) this.#keep(text.slice(from, at))
      } else {
        const isBody = this.#isIn('body')
        at = this.#readString(text, at)
        if (isBody) from = this.#isIn('nothing') ? at - 1 : at
      }
    }
    if (!this.#isIn('body')) this.#keep(text.slice(from))
  }

  end(): LineContents {
    return {
      text: this.#parts?.join('') ?? null,
      body: this.#body === null ? Buffer.alloc(0) : this.#body.end(),
    }
  }

  #keep(text: string) {
    if (text === '' || this.#parts === null) return
    this.#textLength += text.length
    if (this.#textLength > this.#limits.text) this.#parts = null
    else this.#parts.push(text)
  }

  #addToString(text: string) {
    if (this.#inside === 'body') this.#body?.add(text)
    if (this.#inside === 'key') this.#key = (this.#key + text).slice(0, 'body'.length + 1)
  }

  #endString() {
    this.#isBodyNext = this.#inside === 'key' && this.#key === 'body'
    this.#inside = 'nothing'
  }

  /** Reads characters of a string; returns where to continue. */
  #readString(text: string, from: number): number {
    if (this.#escape !== '') {
      this.#escape += text[from]
      if (this.#escape.length === (this.#escape[1] === 'u' ? 6 : 2)) {
        this.#addToString(unescaped(this.#escape))
        this.#escape = ''
      }
      return from + 1
    }
    const end = indexOf(STRING_END, text, from)
    this.#addToString(text.slice(from, end))
    if (text[end] === '\\') this.#escape = '\\'
    else if (end < text.length) this.#endString()
    return end + 1
  }

  #readStructure(text: string, from: number): number {
    const at = indexOf(STRUCTURE, text, from)
    switch (text[at]) {
      case '"':
        this.#inside = this.#isBodyNext
          ? 'body'
          : this.#isKeyNext && this.#depth === 1
            ? 'key'
            : 'string'
        if (this.#isBodyNext) this.#body = new Base64Reader(this.#limits.line)
        this.#key = ''
        this.#isKeyNext = false
        break
      case '{':
      case '[':
        this.#depth++
        this.#isKeyNext = true
        break
      case '}':
      case ']':
        this.#depth--
        break
      case ',':
        this.#isKeyNext = true
        break
      default:
        return at
    }
    this.#isBodyNext = false
    return at + 1
  }

  #isIn(place: Place) {
    return this.#inside === place
  }
}
