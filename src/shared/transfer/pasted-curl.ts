/** Reads the request of a copied command: curl, or PowerShell's own. Runs nothing. */
import type { RawHeaders } from '../model/delivery.ts'
import {
  bytesOfLatin1,
  MOST_HEADERS,
  type Pasted,
  pathInUrl,
  excerpt,
  TOO_MANY_HEADERS,
  trimSpaces,
} from './pasted-text.ts'
import { SUBSTITUTION, splitCommand } from './shell-words.ts'

/** Characters of a command. */
const MOST_COMMAND = 2 * 1_048_576

/** Short options with a value that says nothing about the request. */
const ignoredShort = 'omwxEyYzCDrtPQhc'
/** The same for long options. */
const ignoredLong = new Set(
  'output max-time connect-timeout write-out proxy cacert capath cert key resolve retry retry-delay interface ciphers cookie-jar limit-rate dump-header'.split(
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

const valueOptions = new Set([...dataOptions, ...Object.values(longOf), 'url', 'data-urlencode'])

interface Options {
  readonly values: readonly (readonly [option: string, value: string])[]
  readonly urls: readonly string[]
  readonly isHead: boolean
  /** An option that changes the request in a way that isn't read; null if there is none. */
  readonly unread: string | null
}

const unreadOptions = new Set(
  'get upload-file next config expand-data expand-header url-query G T K :'.split(' '),
)

function optionsOf(words: readonly string[]): Options {
  const values: [string, string][] = []
  const urls: string[] = []
  let isHead = false
  let unread: string | null = null
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word.startsWith('--')) {
      const [name = ''] = /^[^=]+/.exec(word.slice(2)) ?? []
      const given = word.slice(name.length + 2)
      if (unreadOptions.has(name)) unread ??= `--${name}`
      if (valueOptions.has(name))
        values.push([name, given === '' ? (words[++at] ?? '') : given.slice(1)])
      else if (ignoredLong.has(name) && given === '') at++
    } else if (word.startsWith('-') && word.length > 1) {
      // Several in one word: the first with a value takes the rest of it.
      for (let index = 1; index < word.length; index++) {
        const letter = word[index] ?? ''
        const long = longOf[letter]
        isHead ||= letter === 'I'
        if (unreadOptions.has(letter)) unread ??= `-${letter}`
        if (long === undefined && !ignoredShort.includes(letter)) continue
        const value = word.slice(index + 1) || (words[++at] ?? '')
        if (long !== undefined) values.push([long, value])
        break
      }
    } else urls.push(word)
  }
  return { values, urls, isHead, unread }
}

interface Sent {
  readonly method: string | null
  readonly url: string | undefined
  readonly headers: readonly string[]
  readonly body: string | null
}

/** Reads the command at the start of a text. What follows its line is ignored. */
export function readCommand(text: string): Pasted {
  if (text.length > MOST_COMMAND)
    return { refused: 'The command is larger than 2 MiB. Use a HAR file instead.' }
  const words = splitCommand(straightened(text))
  if (typeof words === 'string') return { refused: words }
  const sent = /^\S*curl/.test(text) ? curlRequest(words) : powerShellRequest(words)
  if ('refused' in sent) return sent
  const { headers, body, url: given } = sent
  if (headers.length > MOST_HEADERS) return { refused: TOO_MANY_HEADERS }
  if (given === undefined) return { refused: 'The command has no URL. Copy it again.' }
  const url = /^https?:\/\//i.test(given) ? given : `http://${given}`
  return {
    requests: [
      {
        method: sent.method ?? (body === null ? 'GET' : 'POST'),
        url,
        path: pathInUrl(url),
        headers: headers.flatMap((header): RawHeaders => {
          const [, before = '', value = ''] = /^([^:;]*)[:;]([^]*)$/.exec(header) ?? []
          const name = trimSpaces(before)
          return name === '' || /\s/.test(name)
            ? []
            : [[name, trimSpaces(value.replaceAll(/[\r\n\0]+/g, ' '))]]
        }),
        bodies: [bytesOfLatin1(body ?? '')],
        at: null,
        note: null,
      },
    ],
  }
}

/** The command with plain quotes and dashes, if a mail or wiki made them typographic: no word is in plain quotes then. */
function straightened(text: string): string {
  if (!/[ \t=]\xe2\x80[\x98\x99\x9c\x9d]|[ \t]\xe2\x80[\x93\x94]/.test(text)) return text
  const hasPlain = /[ \t]['"]/.test(text)
  const quotes = hasPlain
    ? text
    : text.replaceAll(/\xe2\x80[\x98\x99]/g, "'").replaceAll(/\xe2\x80[\x9c\x9d]/g, '"')
  return quotes
    .replaceAll(/([ \t])\xe2\x80[\x93\x94](?=[a-z]{2})/g, '$1--')
    .replaceAll(/([ \t])\xe2\x80\x93(?=[A-Za-z])/g, '$1-')
}

function curlRequest(words: readonly string[]): Sent | { readonly refused: string } {
  const { values, urls, isHead, unread } = optionsOf(words)
  const all = (name: string) =>
    values.flatMap(([option, value]) => (option === name ? [value] : []))
  if (unread !== null)
    return {
      refused: `The command has ${unread}, which isn't read. Put the body into it with --data-raw.`,
    }
  const data = values.filter(([name]) => dataOptions.has(name))
  const file = data.find(([name, value]) => name !== 'data-raw' && value.startsWith('@'))
  if (file !== undefined)
    return {
      refused: `The command reads its body from the file ${excerpt(file[1].slice(1))}, which isn't opened. Put the body into the command with --data-raw.`,
    }
  if (values.some(([name]) => name === 'form' || name === 'data-urlencode'))
    return { refused: "The command sends a form, which the service doesn't. Use --data-raw." }
  const given = [...all('url'), ...urls]
  if (given.length > 1)
    return {
      refused: `The command has two URLs, ${excerpt(given[0] ?? '')} and ${excerpt(given[1] ?? '')}. Quote its arguments, or remove one.`,
    }
  const isJson = data.some(([name]) => name === 'json')
  const body = data.map(([, value]) => value).join(isJson ? '' : '&')
  const added = [
    ...all('user-agent').map((value) => `User-Agent: ${value}`),
    ...all('cookie').map((value) => `Cookie: ${value}`),
    ...all('referer').map((value) => `Referer: ${value}`),
  ]
  return {
    method: all('request')[0] ?? (isHead ? 'HEAD' : null),
    url: given[0],
    headers: [...all('header'), ...added],
    body: data.length > 0 ? body : null,
  }
}

/** A body that Chrome copies as bytes. */
const GET_BYTES = /^\(\[System\.Text\.Encoding\]::UTF8\.GetBytes\(([^]*)\)\)$/i

/** The request of `Invoke-WebRequest` or `Invoke-RestMethod`. */
function powerShellRequest(words: readonly string[]): Sent | { readonly refused: string } {
  const values = new Map<string, string>()
  const headers: string[] = []
  for (let at = 1; at < words.length; at++) {
    const name = /^-([a-z]+)$/i.exec(words[at] ?? '')?.[1]?.toLowerCase()
    const value = words[at + 1] ?? ''
    if (name === undefined) {
      if (!values.has('uri') && !/^[$}]/.test(words[at] ?? '')) values.set('uri', words[at] ?? '')
    } else if (value === '{') {
      for (at += 2; at < words.length && words[at] !== '}'; at++) {
        const [, header, text = ''] = /^([^=]+)=?([^]*)$/.exec(words[at] ?? '') ?? []
        if (header === undefined) continue
        // Spaces may be around the equals sign.
        const parts = text === '' ? words.slice(at + 1, at + 3) : []
        const isApart = parts[0] === '='
        headers.push(`${header}: ${isApart ? (parts[1] ?? '') : text}`)
        if (isApart) at += 2
      }
    } else if (!value.startsWith('-')) {
      values.set(name, value)
      at++
    }
  }
  const body = values.get('body')
  const used = [body, values.get('uri'), values.get('headers')]
  if (used.some((value) => value?.startsWith('$') === true)) return { refused: SUBSTITUTION }
  const type = values.get('contenttype')
  return {
    method: values.get('method') ?? null,
    url: values.get('uri'),
    headers: type === undefined ? headers : [...headers, `Content-Type: ${type}`],
    body: body === undefined ? null : (GET_BYTES.exec(body)?.[1] ?? body),
  }
}
