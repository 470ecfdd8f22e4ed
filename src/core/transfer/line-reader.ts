/**
 * Reads a line of an export as it arrives, in one piece or in many, and decodes its body at once: as text, a body of megabytes would
 * be in memory several times over. What is left of the line is JSON with an empty body.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { AROUND_BODY, longestLine, tooLongReason } from '../../shared/transfer/import-file.ts'
import type { Clock, Ids } from '../base/deps.ts'

export interface LineReader {
  add(text: string): void
  /** How the line begins: some 200 characters. */
  head(): string
  end(): LineContents
}

export interface LineContents {
  /** The line with an empty body; null if that is longer than a line can be without its body. */
  readonly text: string | null
  /** In memory of its own. Null if it isn't Base64. */
  readonly body: Buffer | null
}

interface LineReaderLimits {
  /** Characters of the whole line. */
  readonly line: number
  /** Characters without the body. */
  readonly text: number
}

const HEAD_LENGTH = 200
/** Longer than the key `body`, even if it is written in escapes. */
const KEY_LENGTH = 40

interface Base64Reader {
  add(text: string): void
  end(): Buffer | null
}

function createBase64Reader(mostCharacters: number): Base64Reader {
  let bytes: Buffer | null = null
  let length = 0
  /** Characters of a group of four that isn't complete. */
  let rest = ''
  let padding = 0
  let isBase64 = true
  return {
    add(text) {
      const end = text.search(/[^A-Za-z0-9+/]|$/)
      // Nothing follows the padding.
      isBase64 &&= (padding === 0 || end === 0) && /^={0,2}$/.test(text.slice(end, end + 3))
      padding += text.length - end
      isBase64 &&= padding <= 2
      if (!isBase64) return
      const groups = rest + text
      const whole = groups.length - (groups.length % 4)
      rest = groups.slice(whole)
      // Not filled with zeros: the system gives memory only for what is written.
      bytes ??= Buffer.allocUnsafeSlow(Math.ceil(mostCharacters / 4) * 3)
      length += bytes.write(groups.slice(0, whole), length, 'base64')
    },
    end: () => (isBase64 && rest === '' ? (bytes?.subarray(0, length) ?? Buffer.alloc(0)) : null),
  }
}

/** What a JSON string literal stands for; null if it isn't one. */
function unescaped(literal: string): string | null {
  try {
    return JSON.parse(`"${literal}"`) as string
  } catch {
    return null
  }
}

type Place = 'nothing' | 'key' | 'body' | 'string'

export function createLineReader(limits: LineReaderLimits): LineReader {
  let head = ''
  let kept: string[] | null = []
  let keptLength = 0
  let body: Base64Reader | null = null
  /** Depth in objects and lists. */
  let depth = 0
  /** The string that the reader is in: `key` is one of the outermost object, `body` the value of its `body`. */
  let inside: Place = 'nothing'
  const isIn = (place: Place) => inside === place
  let key = ''
  let isKeyNext = false
  let isBodyNext = false
  /** An escape sequence that has begun. */
  let escape = ''

  const keep = (text: string) => {
    if (text === '' || kept === null) return
    keptLength += text.length
    if (keptLength > limits.text) kept = null
    else kept.push(text)
  }

  /** Takes what is a part of the body; returns where the body's end or the next piece begins. */
  const addBody = (text: string, from: number): number => {
    if (escape !== '') {
      escape += text[from]
      const isWhole = escape[1] === 'u' ? escape.length === 6 : escape.length === 2
      if (isWhole) {
        // An escape that is none makes it no Base64.
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

  /** Where the string goes on behind what can't end it. */
  const skipString = (text: string, from: number): number => {
    let at = from
    for (; at < text.length; at++) {
      if (escape !== '') escape = ''
      else if (text[at] === '\\') escape = '\\'
      else if (text[at] === '"') break
    }
    if (inside === 'key' && key.length < KEY_LENGTH) key += text.slice(from, Math.min(at, from + KEY_LENGTH))
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
    add(text) {
      if (head.length < HEAD_LENGTH) head += text.slice(0, HEAD_LENGTH)
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
    head: () => head,
    end: () => ({ text: kept?.join('') ?? null, body: body === null ? Buffer.alloc(0) : body.end() }),
  }
}

export interface LongLines {
  /** Adds a piece; null begins a line. Gives the name that it goes on with. Throws `INVALID_INPUT` where it cannot go on. */
  add(begun: string | null, text: string): string
  /** The line so far, which is not held any more. Throws `INVALID_INPUT` if nothing is. */
  end(begun: string): LineReader
}

const HELD_MS = 60_000

interface LongLinesDeps {
  readonly clock: Pick<Clock, 'sleep'>
  readonly ids: Ids
  /** Bytes that are kept of a body: a line may be as long as such a body makes it. */
  bodyLimit(): number
}

/**
 * Lines of an import that are longer than a message, read piece by piece. One at a time is held, and for a minute: whoever began it may
 * be gone.
 */
export function createLongLines({ clock, ids, bodyLimit }: LongLinesDeps): LongLines {
  let held: { readonly name: string; readonly reader: LineReader; length: number; expiry: AbortController } | null = null

  const drop = () => {
    held?.expiry.abort()
    held = null
  }
  const heldAs = (name: string) => {
    if (held?.name === name) return held
    throw new AppError(
      'INVALID_INPUT',
      'What was begun of this line is not held any more: another import began one, or it took too long. Import the file again.',
    )
  }

  return {
    add(begun, text) {
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
    end(begun) {
      const { reader } = heldAs(begun)
      drop()
      return reader
    },
  }
}
