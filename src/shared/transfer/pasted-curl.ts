/** A curl command as browsers and people copy it, for a POSIX shell or Windows. It is read, never run. */
import type { RawHeaders } from '../model/delivery.ts'
import {
  bytesOfLatin1,
  latin1Of,
  MOST_HEADERS,
  type Pasted,
  pathInUrl,
  TOO_MANY_HEADERS,
} from './pasted-text.ts'

/** Characters of a command. */
const MOST_COMMAND = 2 * 1_048_576

/** Short options with a value that says nothing about the request. */
const ignoredShort = 'oTmwxEKyYzCDrtPQhc'
/** The same for long options. */
const ignoredLong = new Set(
  'output max-time connect-timeout write-out proxy cacert capath cert key resolve retry retry-delay interface ciphers config cookie-jar limit-rate dump-header'.split(
    ' ',
  ),
)
const dataOptions = new Set(['data', 'data-raw', 'data-binary', 'data-ascii', 'json'])
const longOf: Readonly<Record<string, string>> = {
  X: 'request',
  H: 'header',
  d: 'data',
  A: 'user-agent',
  b: 'cookie',
  e: 'referer',
  u: 'user',
  F: 'form',
}

const valueOptions = new Set([
  ...dataOptions,
  ...Object.values(longOf),
  'url',
  'data-urlencode',
  'url-query',
])

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
  0: '\0',
}

/** The next part of a command: text, whitespace, an escape, or the beginning of a quote or substitution. */
const PART = /([^\s'"\\$`|;&<>]+)|\s+|\\(?:\r?\n|[^])|\$['({\w]|[^]/y

/** The words of the command's first line of a POSIX shell; a sentence if only a shell could tell them. */
function wordsOf(text: string): string[] | string {
  const words: string[] = []
  let word: string | null = null
  let at = 0
  const add = (more: string) => (word = (word ?? '') + more)
  while (at < text.length) {
    PART.lastIndex = at
    const [part = '', plain] = PART.exec(text) ?? []
    at += part.length
    if (plain !== undefined) add(plain)
    else if (part.trim() === '') {
      if (word !== null) words.push(word)
      word = null
      if (words.length > 0 && part.includes('\n')) break
    } else if (part === "'" || part === "$'" || part === '"') {
      const mark = part.at(-1) ?? ''
      const end = part === "'" ? text.indexOf(mark, at) : closing(text, at, mark)
      if (end === -1) return CUT_OFF
      const inside = text.slice(at, end)
      at = end + 1
      if (mark === '"' && /(?<!\\)(?:`|\$[({\w])/.test(inside)) return SUBSTITUTION
      if (part === "'") add(inside)
      else if (part === '"')
        add(inside.replaceAll(/\\(\r?\n|["\\$`])/g, (_, one: string) => one.trim()))
      else add(ansi(inside))
    } else if (part.startsWith('\\')) {
      if (!part.endsWith('\n')) add(part.slice(1))
    } else if (part === '$') add(part)
    else if (/^[`$]/.test(part)) return SUBSTITUTION
    else break
  }
  return word === null ? words : [...words, word]
}

const CUT_OFF = 'The curl command is cut off: a quotation mark is missing. Copy it again.'
const SUBSTITUTION =
  "The curl command has a variable or substitution, which isn't run. Replace it with its value."

/** Where quotes with escapes end; -1 if they don't. */
function closing(text: string, from: number, mark: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === mark) return at
  }
  return -1
}

const ESCAPES = /((?:\\u[\da-fA-F]{1,4}|\\U[\da-fA-F]{1,8})+)|\\(?:x([\da-fA-F]{1,2})|([^]))/g

function ansi(text: string): string {
  return text.replaceAll(ESCAPES, (_, units?: string, byte?: string, plain?: string) => {
    if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16))
    if (units === undefined) return escapes[plain ?? ''] ?? plain ?? ''
    // Together, because two may be one character.
    const codes = units.split(/\\u/i).slice(1)
    return latin1Of(codes.map((code) => characterOf(Number.parseInt(code, 16))).join(''))
  })
}

const characterOf = (point: number) => (point > 0x10ffff ? '' : String.fromCodePoint(point))

/** The words of a command for the Windows command line: `^` escapes, and double quotes with `\\"` inside. */
function windowsWordsOf(text: string): string[] | string {
  const plain = text
    .replaceAll(/\^\r?\n\r?\n/g, '\n')
    .replaceAll(/\^(\r?\n|[^])/g, (_, one: string) => (one.trim() === '' ? ' ' : one))
  const words: string[] = []
  let word: string | null = null
  let isQuoted = false
  for (const [part] of plain.matchAll(/\\["\\]|""|"|\s+|[^\s"\\]+|\\/g)) {
    if (part === '"') isQuoted = !isQuoted
    if (!isQuoted && part.trim() === '') {
      if (word !== null) words.push(word)
      word = null
    } else if (part === '"' || (part === '""' && !isQuoted)) word ??= ''
    else {
      const isEscaped = part === '\\"' || (isQuoted && (part === '""' || part === '\\\\'))
      word = (word ?? '') + (isEscaped ? part.slice(1) : part)
    }
  }
  if (isQuoted) return CUT_OFF
  return word === null ? words : [...words, word]
}

interface Options {
  readonly values: readonly (readonly [option: string, value: string])[]
  readonly urls: readonly string[]
  readonly isHead: boolean
}

function optionsOf(words: readonly string[]): Options {
  const values: [string, string][] = []
  const urls: string[] = []
  let isHead = false
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word.startsWith('--')) {
      const [name = ''] = /^[^=]+/.exec(word.slice(2)) ?? []
      const given = word.slice(name.length + 2)
      if (valueOptions.has(name))
        values.push([name, given === '' ? (words[++at] ?? '') : given.slice(1)])
      else if (ignoredLong.has(name) && given === '') at++
    } else if (word.startsWith('-') && word.length > 1) {
      // Several in one word: the first with a value takes the rest of it.
      for (let index = 1; index < word.length; index++) {
        const letter = word[index] ?? ''
        const long = longOf[letter]
        isHead ||= letter === 'I'
        if (long === undefined && !ignoredShort.includes(letter)) continue
        const value = word.slice(index + 1) || (words[++at] ?? '')
        if (long !== undefined) values.push([long, value])
        break
      }
    } else urls.push(word)
  }
  return { values, urls, isHead }
}

export function readCurl(text: string): Pasted {
  if (text.length > MOST_COMMAND)
    return { refused: 'The curl command is larger than 2 MiB. Use a HAR file instead.' }
  const command = text.replace(/^\s*(?:[$>#%]\s+)?/, '')
  const words = /\^["\r\n]|curl\.exe/.test(command) ? windowsWordsOf(command) : wordsOf(command)
  if (typeof words === 'string') return { refused: words }
  const { values, urls, isHead } = optionsOf(words)
  const all = (name: string) =>
    values.flatMap(([option, value]) => (option === name ? [value] : []))
  const data = values.filter(([name]) => dataOptions.has(name))
  const file = data.find(([name, value]) => name !== 'data-raw' && value.startsWith('@'))
  if (file !== undefined)
    return {
      refused: `The command reads its body from the file ${file[1].slice(1, 200)}, which isn't opened. Put the body into the command with --data-raw.`,
    }
  if (values.some(([name]) => name === 'form' || name === 'data-urlencode'))
    return { refused: "The command sends a form, which the service doesn't. Use --data-raw." }
  if (all('header').length > MOST_HEADERS) return { refused: TOO_MANY_HEADERS }
  const given = all('url')[0] ?? urls[0]
  if (given === undefined) return { refused: 'The curl command has no URL.' }
  const url = /^https?:\/\//i.test(given) ? given : `http://${given}`
  const body = data.map(([, value]) => value).join('&')
  const added: RawHeaders = [
    ...all('user-agent').map((value): [string, string] => ['User-Agent', value]),
    ...all('cookie').map((value): [string, string] => ['Cookie', value]),
    ...all('referer').map((value): [string, string] => ['Referer', value]),
  ]
  const headers = all('header').flatMap((header): RawHeaders => {
    const [, name, value] = /^([^:;\s]+)\s*[:;]\s*([^]*)$/.exec(header) ?? []
    return name === undefined ? [] : [[name, (value ?? '').replaceAll(/[\r\n\0]+/g, ' ')]]
  })
  return {
    requests: [
      {
        method: all('request')[0] ?? (isHead ? 'HEAD' : data.length > 0 ? 'POST' : 'GET'),
        url,
        path: pathInUrl(url),
        headers: [...headers, ...added],
        bodies: [bytesOfLatin1(body)],
        at: null,
        note: null,
      },
    ],
  }
}
