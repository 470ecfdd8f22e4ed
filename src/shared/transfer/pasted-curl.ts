/** A curl command as browsers and people copy it, for a POSIX shell or Windows. It is read, never run. */
import type { RawHeaders } from '../model/delivery.ts'
import { bytesOfLatin1, latin1Of, type Pasted, pathInUrl } from './pasted-text.ts'

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

/** The words of the command's first line of a POSIX shell; a sentence if only a shell could tell them. */
function wordsOf(text: string): string[] | string {
  const words: string[] = []
  let word: string | null = null
  let at = 0
  const add = (more: string) => (word = (word ?? '') + more)
  while (at < text.length) {
    const character = text[at] ?? ''
    const rest = text.slice(at, at + 16)
    const newline = /^\\\r?\n/.exec(rest)?.[0]
    if (newline !== undefined) at += newline.length
    else if (/\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
      if (character === '\n' && words.length > 0) break
      at++
    } else if (character === "'" || rest.startsWith("$'")) {
      const isAnsi = character === '$'
      at += isAnsi ? 2 : 1
      const end = isAnsi ? closing(text, at, "'") : text.indexOf("'", at)
      if (end === -1) return CUT_OFF
      const inside = text.slice(at, end)
      add(isAnsi ? ansi(inside) : inside)
      at = end + 1
    } else if (character === '"') {
      const end = closing(text, at + 1, '"')
      if (end === -1) return CUT_OFF
      const inside = text.slice(at + 1, end)
      if (/(?<!\\)(?:`|\$[({\w])/.test(inside)) return SUBSTITUTION
      add(inside.replaceAll(/\\(\r?\n|["\\$`])/g, (_, one: string) => one.trim()))
      at = end + 1
    } else if (character === '\\') {
      add(text[at + 1] ?? '')
      at += 2
    } else if (/[|;&<>]/.test(character)) break
    else if (character === '`' || /^\$[({\w]/.test(rest)) return SUBSTITUTION
    else {
      add(character)
      at++
    }
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

function ansi(text: string): string {
  return text.replaceAll(
    /\\(?:u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|x([0-9a-f]{1,2})|([^]))/gi,
    (_, short?: string, long?: string, byte?: string, plain?: string) => {
      if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16))
      const code = short ?? long
      if (code === undefined) return escapes[plain ?? ''] ?? plain ?? ''
      const point = Number.parseInt(code, 16)
      return point > 0x10ffff ? '' : latin1Of(String.fromCodePoint(point))
    },
  )
}

/** The words of a command for the Windows command line: `^` escapes, and double quotes with `\\"` inside. */
function windowsWordsOf(text: string): string[] | string {
  const plain = text
    .replaceAll(/\^\r?\n\r?\n/g, '\n')
    .replaceAll(/\^(\r?\n|[^])/g, (_, one: string) => (one.trim() === '' ? ' ' : one))
  const words = plain.match(/(?:"(?:\\[^]|""|[^"\\])*"|[^\s"])+/g) ?? []
  if ((plain.replaceAll(/\\[^]/g, '').split('"').length - 1) % 2 === 1) return CUT_OFF
  return words.map((word) =>
    word.replaceAll(/"((?:\\[^]|""|[^"\\])*)"/g, (_, inside: string) =>
      inside.replaceAll(/\\(["\\])|""/g, (__, one: string | undefined) => one ?? '"'),
    ),
  )
}

interface Options {
  readonly values: [option: string, value: string][]
  readonly urls: string[]
}

function optionsOf([, ...words]: readonly string[]): Options {
  const options: Options = { values: [], urls: [] }
  while (words.length > 0) {
    const word = words.shift() ?? ''
    if (word.startsWith('--')) {
      const [name = '', ...value] = word.slice(2).split('=')
      const takes =
        dataOptions.has(name) ||
        Object.values(longOf).includes(name) ||
        ['url', 'data-urlencode', 'url-query'].includes(name)
      if (takes)
        options.values.push([name, value.length > 0 ? value.join('=') : (words.shift() ?? '')])
      else if (ignoredLong.has(name) && value.length === 0) words.shift()
      else options.values.push([name, ''])
    } else if (word.startsWith('-') && word.length > 1) {
      // Several in one word: the first with a value takes the rest of it.
      for (let index = 1; index < word.length; index++) {
        const letter = word[index] ?? ''
        const long = longOf[letter]
        if (long === undefined && !ignoredShort.includes(letter)) {
          options.values.push([letter, ''])
          continue
        }
        const value = word.slice(index + 1) || (words.shift() ?? '')
        if (long !== undefined) options.values.push([long, value])
        break
      }
    } else options.urls.push(word)
  }
  return options
}

export function readCurl(text: string): Pasted {
  if (text.length > MOST_COMMAND)
    return { refused: 'The curl command is larger than 2 MiB. Use a HAR file instead.' }
  const command = text.replace(/^\s*(?:[$>#%]\s+)?/, '')
  const words = /\^["\r\n]|curl\.exe/.test(command) ? windowsWordsOf(command) : wordsOf(command)
  if (typeof words === 'string') return { refused: words }
  const { values, urls } = optionsOf(words)
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
        method:
          all('request')[0] ??
          (values.some(([name]) => name === 'I') ? 'HEAD' : data.length > 0 ? 'POST' : 'GET'),
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
