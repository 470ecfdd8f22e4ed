/** Reader of a copied curl or PowerShell command. Runs nothing. */
import type { RawHeaders } from '../model/delivery.ts'
import {
  bytesOfLatin1,
  checkHeaderCount,
  excerpt,
  type PastedRequest,
  pathInUrl,
  refuse,
  withPlainQuotes,
  trimSpaces,
} from './pasted-text.ts'
import { splitCommand, SUBSTITUTION } from './shell-words.ts'

const MOST_COMMAND = 2 * 1_048_576

/** Options with a value, by purpose. */
const options = {
  url: 'url'.split(' '),
  method: 'X request'.split(' '),
  header: 'H header'.split(' '),
  data: 'd data data-raw data-binary data-ascii json'.split(' '),
  form: 'F form data-urlencode'.split(' '),
  unread: 'G get T upload-file K config : next url-query expand-data expand-header'.split(' '),
  ignored: [
    ...'A user-agent b cookie e o output m max-time w write-out x proxy E cert y Y z C D dump-header r t P Q h c cookie-jar u user connect-timeout key resolve retry retry-delay interface ciphers limit-rate'.split(
      ' ',
    ),
    'referer',
    'cacert',
    'capath',
  ],
}
type Purpose = keyof typeof options
const purposes = new Map(
  Object.entries(options).flatMap(([purpose, names]) =>
    names.map((name) => [`${name.length === 1 ? '-' : '--'}${name}`, purpose as Purpose]),
  ),
)

interface Option {
  readonly purpose: Purpose
  readonly name: string
  readonly value: string
}

function optionsOf(words: readonly string[]): Option[] {
  const parsedOptions: Option[] = []
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? ''
    const [, long, given] = /^--([^=]+)(?:=([^]*))?$/.exec(word) ?? []
    if (!word.startsWith('-') || word === '-') {
      parsedOptions.push({ purpose: 'url', name: 'url', value: word })
      continue
    }
    // The first short option with a value takes the rest of the word.
    const names =
      long === undefined ? Array.from(word.slice(1), (letter) => `-${letter}`) : [`--${long}`]
    const index = names.findIndex((name) => purposes.has(name))
    const name = names[index] ?? ''
    const purpose = purposes.get(name)
    if (purpose === undefined) continue
    if (purpose === 'unread')
      refuse(`Countersign doesn't read ${name}. Remove it, or paste the request as raw HTTP.`)
    const rest = long === undefined ? word.slice(index + 2) || undefined : given
    parsedOptions.push({ purpose, name, value: rest ?? words[++at] ?? '' })
  }
  return parsedOptions
}

interface CommandRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: readonly string[]
  readonly body: string | undefined
}

/** Reads the command at the start of a text. */
export function readCommand(text: string): PastedRequest {
  if (text.length > MOST_COMMAND)
    refuse('The command is larger than 2 MiB. Use a HAR file instead.')
  const words = splitCommand(plainCommand(text))
  const sent = /^\S*curl/.test(text) ? curlRequest(words) : powerShellRequest(words)
  const { headers, body, url: given } = sent
  checkHeaderCount(headers)
  if (given === undefined) refuse('The command has no URL. Copy it again.')
  const url = /^https?:\/\//i.test(given) ? given : `http://${given}`
  return {
    method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
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
  }
}

/** Replaces quotes and dashes that a mail or wiki made typographic. */
function plainCommand(text: string): string {
  if (!/[ \t=]\xe2\x80[\x93\x94\x98\x99\x9c\x9d]/.test(text)) return text
  const quotes = /[ \t]['"]/.test(text)
    ? text
    : withPlainQuotes(text).replaceAll(/\xe2\x80[\x98\x99]/g, "'")
  return quotes
    .replaceAll(/([ \t])\xe2\x80[\x93\x94](?=[a-z]{2})/g, '$1--')
    .replaceAll(/([ \t])\xe2\x80\x93(?=[A-Za-z])/g, '$1-')
}

function curlRequest(words: readonly string[]): CommandRequest {
  const parsedOptions = optionsOf(words)
  const all = (searched: Purpose) => parsedOptions.filter(({ purpose }) => purpose === searched)
  const data = all('data')
  const file = data.find(({ name, value }) => name !== '--data-raw' && value.startsWith('@'))
  if (file !== undefined)
    refuse(
      `The command reads its body from the file ${excerpt(file.value.slice(1))}, which isn't opened. Put the body into the command with --data-raw.`,
    )
  if (all('form').length > 0)
    refuse('The command sends a form, but the service sends JSON. Put the JSON in --data-raw.')
  const [url, second] = all('url')
  if (url !== undefined && second !== undefined)
    refuse(
      `The command has two URLs, ${excerpt(url.value)} and ${excerpt(second.value)}. Quote its arguments, or remove one.`,
    )
  const isJson = data.some(({ name }) => name === '--json')
  return {
    method: all('method')[0]?.value,
    url: url?.value,
    headers: all('header').map(({ value }) => value),
    body: data.length > 0 ? data.map(({ value }) => value).join(isJson ? '' : '&') : undefined,
  }
}

/** Reads the request of `Invoke-WebRequest` or `Invoke-RestMethod`. */
function powerShellRequest(words: readonly string[]): CommandRequest {
  const values = new Map<string, string>()
  const headers: string[] = []
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? ''
    const name = /^-([a-z]+)$/i.exec(word)?.[1]?.toLowerCase()
    const value = words[at + 1] ?? ''
    if (name === undefined) {
      if (!values.has('uri') && !/^[$}]/.test(word)) values.set('uri', word)
    } else if (value === '{') {
      const end = words.indexOf('}', at)
      const text = words
        .slice(at + 2, end)
        .join('\0')
        .replaceAll('\0=\0', '=')
      headers.push(...text.split('\0').map((line) => line.replace('=', ': ')))
      at = end === -1 ? words.length : end
    } else if (!value.startsWith('-')) {
      values.set(name, value)
      at++
    }
  }
  const [body, url, given] = ['body', 'uri', 'headers'].map((name) => values.get(name))
  if ([body, url, given].some((value) => value?.startsWith('$') === true)) refuse(SUBSTITUTION)
  const type = values.get('contenttype')
  return {
    method: values.get('method'),
    url,
    headers: type === undefined ? headers : [...headers, `Content-Type: ${type}`],
    body: body?.replace(/^\(\[System\.Text\.Encoding\]::UTF8\.GetBytes\(([^]*)\)\)$/i, '$1'),
  }
}
