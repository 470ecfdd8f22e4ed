/**
 * Reads a line of an export as it arrives, in one or many pieces, and decodes its body immediately: as text, a body of megabytes
 * would be in memory several times. The rest of the line is JSON with an empty body.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { AROUND_BODY, longestLine, tooLongReason } from '../../shared/transfer/import-file.ts'
import type { Clock, Ids } from '../base/deps.ts'

export type LineReader = ReturnType<typeof createLineReader>

export interface LineContents {
  /** The line with an empty body; null if that is too long for a line without its body. */
  readonly text: string | null
  /** In its own buffer. Null if it isn't Base64. */
  readonly body: Buffer | null
}

interface LineReaderLimits {
  /** Characters of the whole line. */
  readonly line: number
  /** Characters without the body. */
  readonly text: number
}

/** Longer than the key `body`, even written with escapes. */
const KEY_LENGTH = 40

type Base64Reader = ReturnType<typeof createBase64Reader>

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
    end: (): Buffer | null =>
      isBase64 && rest === '' ? (bytes?.subarray(0, length) ?? Buffer.alloc(0)) : null,
  }
}

/** The value of a JSON string literal; null if it isn't one. */
function unescaped(literal: string): string | null {
  try {
    return JSON.parse(`"${literal}"`) as string
  } catch {
    return null
  }
}

type Place = 'nothing' | 'key' | 'body' | 'string'

export function createLineReader(limits: LineReaderLimits) {
  let kept: string[] | null = []
  let keptLength = 0
  let body: Base64Reader | null = null
  /** Depth in objects and lists. */
  let depth = 0
  /** The current string: `key` is a key of the outermost object, `body` the value of its `body`. */
  let inside: Place = 'nothing'
  const isIn = (place: Place) => inside === place
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

  /** Reads body characters; returns where the body's end or the next piece begins. */
  const addBody = (text: string, from: number): number => {
    if (escape !== '') {
      escape += text[from]
      const isWhole = escape[1] === 'u' ? escape.length === 6 : escape.length === 2
      if (isWhole) {
        // An invalid escape means that this isn't Base64.
        body?.add(unescaped(escape) ?? '?')
        escape = ''
      }
      return from + 1
    }
    const found = text.slice(from).search(/["\\]/)
    const end = found === -1 ? text.length : from + found
    if (end > from) body?.add(text.slice(from, end))
    if (text[end] === '\\') escape = '\\'
    if (text[end] !== '"') return end + 1
    inside = 'nothing'
    return end
  }

  /** The position after characters that can't end the string. */
  const skipString = (text: string, from: number): number => {
    let at = from
    for (; at < text.length; at++) {
      if (escape !== '') escape = ''
      else if (text[at] === '\\') escape = '\\'
      else if (text[at] === '"') break
    }
    if (inside === 'key' && key.length < KEY_LENGTH)
      key += text.slice(from, Math.min(at, from + KEY_LENGTH))
    return at
  }

  const endString = () => {
    isBodyNext = inside === 'key' && unescaped(key) === 'body'
    inside = 'nothing'
  }

  const beginString = () => {
    if (isBodyNext) {
      inside = 'body'
      body = createBase64Reader(limits.line)
    } else inside = isKeyNext && depth === 1 ? 'key' : 'string'
    key = ''
    isKeyNext = false
    isBodyNext = false
  }
  return {
    add(text: string) {
      let from = 0
      for (let at = 0; at < text.length;) {
        if (isIn('body')) {
          at = addBody(text, at)
          from = Math.min(at, text.length)
          // The quote that ends it is kept.
          if (isIn('nothing')) at++
          continue
        }
        if (!isIn('nothing')) {
          at = skipString(text, at)
          if (at < text.length) endString()
          at++
          continue
        }
        switch (text[at]) {
          case '"':
            beginString()
            if (isIn('body')) keep(text.slice(from, at + 1))
            break
          case '{':
          case '[':
            depth++
            isKeyNext = true
            isBodyNext = false
            break
          case '}':
          case ']':
            depth--
            isBodyNext = false
            break
          case ',':
            isKeyNext = true
            isBodyNext = false
            break
          default:
            break
        }
        at++
      }
      if (!isIn('body')) keep(text.slice(from))
    },
    end: (): LineContents => ({
      text: kept?.join('') ?? null,
      body: body === null ? Buffer.alloc(0) : body.end(),
    }),
  }
}

export type LongLines = ReturnType<typeof createLongLines>

const HELD_MS = 60_000

interface LongLinesDeps {
  readonly clock: Pick<Clock, 'sleep'>
  readonly ids: Ids
  /** Maximum bytes of a body, which limits the length of a line. */
  bodyLimit(): number
}

/**
 * Import lines that are longer than a message, read piece by piece. One line is kept at a time, for up to a minute, because its
 * client may be gone.
 */
export function createLongLines({ clock, ids, bodyLimit }: LongLinesDeps) {
  let held: {
    readonly name: string
    readonly reader: LineReader
    length: number
    expiry: AbortController
  } | null = null

  const drop = () => {
    held?.expiry.abort()
    held = null
  }
  const heldAs = (name: string) => {
    if (held?.name === name) return held
    throw new AppError(
      'INVALID_INPUT',
      'The start of this line is no longer available: another import started, or this one took too long. Import the file again.',
    )
  }

  return {
    /** Adds a piece; null starts a line. Returns the name to continue with. Throws `INVALID_INPUT` if it can't continue. */
    add(begun: string | null, text: string) {
      if (begun === null) {
        drop()
        const reader = createLineReader({ line: longestLine(bodyLimit()), text: AROUND_BODY })
        held = { name: ids.next(), reader, length: 0, expiry: new AbortController() }
      }
      const line = heldAs(begun ?? held?.name ?? '')
      line.length += text.length
      const limit = bodyLimit()
      if (line.length > longestLine(limit)) {
        drop()
        throw new AppError('INVALID_INPUT', tooLongReason(limit))
      }
      line.reader.add(text)
      line.expiry.abort()
      const expiry = new AbortController()
      line.expiry = expiry
      void clock.sleep(HELD_MS, expiry.signal).then(() => {
        if (!expiry.signal.aborted && held === line) held = null
      })
      return line.name
    },
    /** Returns the line so far and releases it. Throws `INVALID_INPUT` if there is none. */
    end(begun: string): LineReader {
      const { reader } = heldAs(begun)
      drop()
      return reader
    },
  }
}
