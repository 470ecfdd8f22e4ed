/**
 * Explains a signature that does not match: which one mistake of the signer would make exactly this signature. Every mistake
 * is one departure from the recipe of section 5.2, tried in order of likelihood; the first that gives the signature received
 * is the explanation. Nothing is guessed: where none does, there is no diagnosis.
 */
import { createHmac, type KeyObject } from 'node:crypto'
import type { Diagnosis } from '../../shared/model/signature.ts'
import { hmacBase64, secretKey } from './sign.ts'
import { equalBytes } from './verify.ts'

/** Another secret that is known, and whose it is, in words: `the hook for card.linked`. */
export interface KnownSecret {
  readonly owner: string
  readonly key: KeyObject
}

export interface DiagnosisInput {
  readonly body: Uint8Array
  /** The registered URL. */
  readonly url: string
  readonly timestamp: string
  readonly received: string
  readonly key: KeyObject
  readonly otherSecrets: readonly KnownSecret[]
  /** Other addresses under which the receiver is known: its own, where a public one is registered. */
  readonly otherUrls: readonly string[]
}

/** What is signed, and how: the recipe, or one departure from it. */
interface Recipe {
  readonly key: KeyObject
  readonly parts: readonly (Uint8Array | string)[]
  readonly finish: (key: KeyObject, parts: readonly (Uint8Array | string)[]) => string
}

interface Mistake {
  readonly diagnosis: Diagnosis
  readonly recipe: () => Recipe
}

function digest(key: KeyObject, parts: readonly (Uint8Array | string)[]): Buffer {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

const twice: Recipe['finish'] = (key, parts) => hmacBase64(key, [hmacBase64(key, parts)])

function mistake(cause: string, message: string, fix: string, recipe: () => Recipe): Mistake {
  return { diagnosis: { cause, message, fix }, recipe }
}

function secretMistakes({ otherSecrets, body, url, timestamp, key }: DiagnosisInput): Mistake[] {
  const parts = [body, url, timestamp]
  const known = otherSecrets.map((secret) =>
    mistake(
      'secret:other-hook',
      `Signed with the secret of ${secret.owner}.`,
      'Each hook has a secret of its own: sign with the one that was returned when this hook was made.',
      () => ({ key: secret.key, parts, finish: twice }),
    ),
  )
  const text = key.export().toString('utf8')
  const changed: [string, string, string][] = [
    ['secret:newline', 'a line feed at its end', `${text}\n`],
    ['secret:trimmed', 'the white space around it removed', text.trim()],
    ['secret:quoted', 'quotation marks around it', `"${text}"`],
  ]
  const variants = changed
    .filter(([, , secret]) => secret !== text)
    .map(([cause, how, secret]) =>
      mistake(cause, `Signed with this hook's secret, but with ${how}.`, 'Read the secret exactly as it was returned.', () => ({
        key: secretKey(secret),
        parts,
        finish: twice,
      })),
    )
  return [...known, ...variants]
}

function passMistakes({ body, url, timestamp, key }: DiagnosisInput): Mistake[] {
  const parts = [body, url, timestamp]
  const of = (cause: string, message: string, fix: string, finish: Recipe['finish']) =>
    mistake(cause, message, fix, () => ({ key, parts, finish }))
  const again = 'Compute the HMAC a second time, over the Base-64 text of the first, and send that in Base-64.'
  const text = 'The second pass is over the Base-64 text of the first, not over another form of it.'
  const base64 = 'Send the result in ordinary Base-64, with its padding.'
  return [
    of('passes:once', 'The hash was applied once; the signature is the result of the first pass.', again, hmacBase64),
    of('passes:once-hex', 'The hash was applied once, and sent in hexadecimal.', again, (k, p) => digest(k, p).toString('hex')),
    of('encoding:inner-bytes', 'The second pass was over the raw bytes of the first.', text, (k, p) =>
      hmacBase64(k, [digest(k, p)]),
    ),
    of('encoding:inner-hex', 'The second pass was over the first in hexadecimal.', text, (k, p) =>
      hmacBase64(k, [digest(k, p).toString('hex')]),
    ),
    of('encoding:hex', 'The signature was sent in hexadecimal.', base64, (k, p) => digest(k, [hmacBase64(k, p)]).toString('hex')),
    of('encoding:base64url', 'The signature was sent in URL-safe Base-64.', base64, (k, p) =>
      digest(k, [hmacBase64(k, p)]).toString('base64url'),
    ),
    of('passes:three', 'The hash was applied three times.', 'Two passes are enough.', (k, p) => hmacBase64(k, [twice(k, p)])),
  ]
}

/** Other spellings of a URL, each with how it differs from the registered one. */
function urlVariants(url: string, otherUrls: readonly string[]): [string, string, string][] {
  const variants: [string, string, string][] = []
  const [, base = url, query = ''] = /^([^?#]*)(.*)$/s.exec(url) ?? []
  if (base.endsWith('/')) variants.push(['url:no-trailing-slash', 'without the slash at its end', base.slice(0, -1) + query])
  else variants.push(['url:trailing-slash', 'with a slash at its end', `${base}/${query}`])
  if (query !== '') variants.push(['url:no-query', 'without its query', base])
  variants.push(['url:http', 'with http instead of https', url.replace(/^https:/i, 'http:')])
  for (const other of otherUrls) variants.push(['url:local', 'as the receiver sees it, not as it is registered', other])
  if (URL.canParse(url)) {
    const { href, host, pathname, search } = new URL(url)
    variants.push(['url:path-only', 'by its path alone', pathname + search])
    variants.push(['url:host-only', 'without the scheme', host + pathname + search])
    variants.push(['url:normalised', 'in the form that a URL library gives it', href])
    if (!/:\d+$/.test(host))
      variants.push(['url:default-port', 'with the port 443 written out', href.replace(host, `${host}:443`)])
    else variants.push(['url:no-port', 'without its port', href.replace(host, host.replace(/:\d+$/, ''))])
  }
  variants.push(['url:lower-case', 'in lower case', url.toLowerCase()])
  variants.push(['url:missing', 'not at all', ''])
  return variants.filter(([, , text]) => text !== url)
}

function urlMistakes({ body, url, timestamp, key, otherUrls }: DiagnosisInput): Mistake[] {
  return urlVariants(url, otherUrls).map(([cause, how, text]) =>
    mistake(
      cause,
      text === '' ? 'The URL was not signed.' : `Signed over ${text} (the URL ${how}).`,
      `The URL is part of what is signed, exactly as it is registered: ${url}`,
      () => ({ key, parts: [body, text, timestamp], finish: twice }),
    ),
  )
}

function timestampVariants(timestamp: string): [string, string, string][] {
  const number = /^\d{1,17}$/.test(timestamp) ? Number(timestamp) : null
  const variants: [string, string, string][] = [['timestamp:missing', 'not at all', '']]
  if (number === null) return variants
  const date = new Date(number)
  variants.unshift(
    ['timestamp:seconds', 'in seconds', String(Math.floor(number / 1_000))],
    ['timestamp:milliseconds', 'in milliseconds while the header is in seconds', String(number * 1_000)],
  )
  if (!Number.isNaN(date.getTime())) variants.push(['timestamp:iso', 'as an ISO 8601 text', date.toISOString()])
  return variants.filter(([, , text]) => text !== timestamp)
}

function timestampMistakes({ body, url, timestamp, key }: DiagnosisInput): Mistake[] {
  return timestampVariants(timestamp).map(([cause, how, text]) =>
    mistake(
      cause,
      text === '' ? 'The timestamp was not signed.' : `The timestamp was signed ${how} (${text}), the header says ${timestamp}.`,
      'Sign the very text of the timestamp header: milliseconds since the epoch, in decimal.',
      () => ({ key, parts: [body, url, text], finish: twice }),
    ),
  )
}

/** Keys in the order of their code points at every depth, as a canonical form has them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}

/** A space after each comma and colon, none elsewhere: what `json.dumps` of Python writes. Line feeds in texts are escaped, so every one is structure. */
function spaced(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replaceAll(/,\n */g, ', ')
    .replaceAll(/([[{])\n */g, '$1')
    .replaceAll(/\n *([\]}])/g, '$1')
}

/** Everything beyond ASCII as `\uXXXX`. */
function escaped(text: string): string {
  return text.replaceAll(
    /[\u0080-\uffff]/g,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The body as other programs would write it again, where it is JSON. */
function rewritten(text: string): [string, string, string][] {
  let value: unknown
  try {
    value = JSON.parse(text)
    const compact = JSON.stringify(value)
    return [
      ['body:compact', 'parsed and written again without white space', compact],
      ['body:pretty', 'parsed and written again with an indent of 2', JSON.stringify(value, null, 2)],
      ['body:pretty-4', 'parsed and written again with an indent of 4', JSON.stringify(value, null, 4)],
      ['body:spaced', 'parsed and written again with a space after each comma and colon, as Python does', spaced(value)],
      ['body:spaced-escaped', 'parsed and written again as Python does by default, with \\u escapes', escaped(spaced(value))],
      ['body:escaped', 'parsed and written again with \\u escapes', escaped(compact)],
      [
        'body:slashes',
        'parsed and written again with escaped slashes, as PHP does',
        escaped(compact.replaceAll('/', String.raw`\/`)),
      ],
      ['body:sorted', 'parsed and written again with its keys sorted', JSON.stringify(sorted(value))],
    ]
  } catch {
    // Not JSON, or nested too deep to be written again: nobody re-serialised it.
    return []
  }
}

/** Other bodies that may have been signed in place of the one received, each with how it differs. */
function bodyVariants(body: Uint8Array): [string, string, Uint8Array | string][] {
  const bytes = Buffer.from(body)
  const text = bytes.toString('utf8')
  const variants: [string, string, Uint8Array | string][] = [
    ['body:trimmed', 'without the white space around it', text.trim()],
    ['body:newline', 'with a line feed at its end', `${text}\n`],
    ...rewritten(text),
    ['body:latin1', 'in Latin-1 where UTF-8 was sent', Buffer.from(text, 'latin1')],
    ['body:decoded-twice', 'taken for Latin-1 and encoded as UTF-8 again', bytes.toString('latin1')],
    ['body:empty', 'not at all', ''],
  ]
  return variants.filter(([, , variant]) => !bytes.equals(Buffer.from(variant)))
}

function bodyMistakes({ body, url, timestamp, key }: DiagnosisInput): Mistake[] {
  return bodyVariants(body).map(([cause, how, variant]) =>
    mistake(
      cause,
      cause === 'body:empty' ? 'The body was not signed.' : `Signed over the body ${how}.`,
      'Sign the very bytes that are sent; never parse and write them again in between.',
      () => ({ key, parts: [variant, url, timestamp], finish: twice }),
    ),
  )
}

function orderMistakes({ body, url, timestamp, key }: DiagnosisInput): Mistake[] {
  const orders: [string, (Uint8Array | string)[]][] = [
    ['timestamp, body, URL', [timestamp, body, url]],
    ['body, timestamp, URL', [body, timestamp, url]],
    ['URL, body, timestamp', [url, body, timestamp]],
    ['timestamp, URL, body', [timestamp, url, body]],
    ['URL, timestamp, body', [url, timestamp, body]],
  ]
  return orders.map(([order, parts]) =>
    mistake(
      `order:${order.toLowerCase().replaceAll(', ', '-')}`,
      `The parts were signed in the order ${order}.`,
      'The order is body, URL, timestamp.',
      () => ({
        key,
        parts,
        finish: twice,
      }),
    ),
  )
}

/** The shortest explanation, or null where no known mistake makes the signature received. Never throws. */
export function diagnose(input: DiagnosisInput): Diagnosis | null {
  const mistakes = [
    ...secretMistakes(input),
    ...passMistakes(input),
    ...urlMistakes(input),
    ...timestampMistakes(input),
    ...bodyMistakes(input),
    ...orderMistakes(input),
  ]
  for (const { diagnosis, recipe } of mistakes) {
    const { key, parts, finish } = recipe()
    if (equalBytes(finish(key, parts), input.received)) return diagnosis
  }
  return whitespaceDiagnosis(input)
}

/** A right signature with something around it: quotes, white space, a prefix. */
function whitespaceDiagnosis({ body, url, timestamp, key, received }: DiagnosisInput): Diagnosis | null {
  const expected = twice(key, [body, url, timestamp])
  if (!received.includes(expected) || received === expected) return null
  return {
    cause: 'encoding:decorated',
    message: `The header holds the right signature, with something around it: "${received}".`,
    fix: 'Send the Base-64 text alone, without prefix, quotes or white space.',
  }
}
