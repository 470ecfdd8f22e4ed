/** Reader of a copied curl or PowerShell command. Runs nothing. */
import type { RawHeaders } from '../model/delivery.ts'
import { bytesOfByteText } from '../text/byte-text.ts'
import { trimSpaces, withPlainQuotes } from './byte-spaces.ts'
import {
  checkHeaderCount,
  excerpt,
  type PastedRequest,
  pathInUrl,
  refuse,
} from './pasted-result.ts'
import { splitCommand, SUBSTITUTION } from './shell-words.ts'

const MOST_COMMAND_BYTES = 2 * 1_048_576

/** curl's options with a value, by purpose. */
const options = {
  url: 'url',
  method: 'X request',
  header: 'H header',
  data: 'd data data-raw data-binary data-ascii json',
  form: 'F form data-urlencode',
  unsupported: 'G get T upload-file K config : next url-query expand-data expand-header',
  ignored: [
    'A user-agent b cookie e o output m max-time w write-out x proxy E cert y Y z C D dump-header r t P Q h c cookie-jar u user connect-timeout key resolve retry retry-delay interface ciphers limit-rate',
    'referer',
    'cacert',
    'capath',
  ].join(' '),
}
type Purpose = keyof typeof options
const purposes = new Map(
  Object.entries(options).flatMap(([purpose, names]) =>
    names
      .split(' ')
      .map((name) => [`${name.length === 1 ? '-' : '--'}${name}`, purpose as Purpose]),
  ),
)

interface Option {
  readonly purpose: Purpose
  readonly name: string
  readonly value: string
}

function parseOptions(words: readonly string[]): Option[] {
  const parsedOptions: Option[] = []
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? ''
    // `--request=POST`
    const [, long, attachedValue] = /^--([^=]+)(?:=([^]*))?$/.exec(word) ?? []
    if (!word.startsWith('-') || word === '-') {
      parsedOptions.push({ purpose: 'url', name: 'url', value: word })
      continue
    }
    // In `-sXPOST`, the first short option with a value takes the rest of the word.
    const names =
      long === undefined ? Array.from(word.slice(1), (letter) => `-${letter}`) : [`--${long}`]
    const index = names.findIndex((name) => purposes.has(name))
    const name = names[index] ?? ''
    const purpose = purposes.get(name)
    if (purpose === undefined) continue
    if (purpose === 'unsupported')
      refuse(`Countersign doesn't read ${name}. Remove it, or paste the request as raw HTTP.`)
    const attached = long === undefined ? word.slice(index + 2) || undefined : attachedValue
    parsedOptions.push({ purpose, name, value: attached ?? words[++at] ?? '' })
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
  if (text.length > MOST_COMMAND_BYTES)
    refuse('The command is larger than 2 MiB. Use a HAR file instead.')
  const words = splitCommand(plainCommand(text))
  const {
    method,
    headers,
    body,
    url: target,
  } = /^\S*curl/.test(text) ? curlRequest(words) : powerShellRequest(words)
  checkHeaderCount(headers)
  if (target === undefined) refuse('The command has no URL. Copy it again.')
  const url = /^https?:\/\//i.test(target) ? target : `http://${target}`
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    url,
    path: pathInUrl(url),
    headers: headers.flatMap(parseHeader),
    bodies: [bytesOfByteText(body ?? '')],
    at: null,
    note: null,
  }
}

/** Parses `Name: value`, or `Name;` for an empty value. */
function parseHeader(header: string): RawHeaders {
  const [, before = '', value = ''] = /^([^:;]*)[:;]([^]*)$/.exec(header) ?? []
  const name = trimSpaces(before)
  return name === '' || /\s/.test(name)
    ? []
    : [[name, trimSpaces(value.replaceAll(/[\r\n\0]+/g, ' '))]]
}

/**
 * Replaces quotes and dashes that a mail or wiki made typographic. In UTF-8, \xe2\x80 begins
 * dashes (\x93 and \x94), single quotes (\x98 and \x99) and double ones (\x9c and \x9d).
 */
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
  const parsedOptions = parseOptions(words)
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
    const parameter = /^-([a-z]+)$/i.exec(word)?.[1]?.toLowerCase()
    const value = words[at + 1] ?? ''
    if (parameter === undefined) {
      if (!values.has('uri') && !/^[$}]/.test(word)) values.set('uri', word)
    } else if (value === '{') {
      // Hash table of headers: `{ Name = value }`.
      const end = words.indexOf('}', at)
      const members = words
        .slice(at + 2, end)
        .join('\0')
        .replaceAll('\0=\0', '=')
      headers.push(...members.split('\0').map((member) => member.replace('=', ': ')))
      at = end === -1 ? words.length : end
    } else if (!value.startsWith('-')) {
      values.set(parameter, value)
      at++
    }
  }
  for (const parameter of ['body', 'uri', 'headers'])
    if (values.get(parameter)?.startsWith('$') === true) refuse(SUBSTITUTION)
  const type = values.get('contenttype')
  return {
    method: values.get('method'),
    url: values.get('uri'),
    headers: type === undefined ? headers : [...headers, `Content-Type: ${type}`],
    body: values
      .get('body')
      ?.replace(/^\(\[System\.Text\.Encoding\]::UTF8\.GetBytes\(([^]*)\)\)$/i, '$1'),
  }
}
