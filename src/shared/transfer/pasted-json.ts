/**
 * Requests of a JSON text: HAR files, events of API Gateway, Lambda and ALB, exports of request bins, tunnels and API clients, and
 * logged requests. They differ in names and nesting, so a request is any object with headers, and its parts have several names.
 */
import type { RawHeaders } from '../model/delivery.ts'
import { type JsonValue, plainName, readJsonValue } from './json-value.ts'
import { serializedBodies, stringBodies, valueOf } from './pasted-body.ts'
import { headerOf, separateParts } from './pasted-head.ts'
import { MOST_REQUESTS, readHttp } from './pasted-http.ts'
import {
  bytesOfLatin1,
  decodeBase64,
  latin1Of,
  MOST_HEADERS,
  type Pasted,
  type PastedRequest,
  pathInUrl,
  excerpt,
  textOfLatin1,
  TOO_MANY_HEADERS,
} from './pasted-text.ts'

/** Objects around a request. */
const MOST_DEPTH = 12
/** Objects and lists that are searched for requests. */
const MOST_SEARCHED = 100_000

/** Names of a request's parts, likeliest first, without case, dashes and underscores. */
const names = {
  headers: ['multivalueheaders', 'headers', 'header', 'requestheaders', 'rawheaders'],
  method: ['method', 'httpmethod', 'requestmethod', 'verb'],
  url: ['url', 'rawurl', 'fullurl', 'requesturl', 'href', 'originalurl', 'requesturi', 'uri'],
  path: ['rawpath', 'path', 'requestpath', 'pathname'],
  query: [
    'rawquerystring',
    'querystring',
    'multivaluequerystringparameters',
    'querystringparameters',
    'query',
    'parsedquery',
    'queryparams',
  ],
  body: [
    'rawbody',
    'bodyraw',
    'body',
    'content',
    'payload',
    'requestbody',
    'postdata',
    'data',
    'text',
  ],
  base64: [
    'bodybase64',
    'rawbodybase64',
    'contentbase64',
    'requestpayloadbase64',
    'bodyb64',
    'base64body',
  ],
  /** A body beside the object that has the headers. */
  bodyBeside: ['rawbody', 'body', 'payload', 'requestbody', 'bodybase64'],
  at: ['starteddatetime', 'receivedat', 'ingestedat', 'createdat', 'timestamp', 'start', 'time'],
} as const
/** Members that have another message's headers. */
const others = new Set(['response', 'responses', 'originalrequest', 'cookies', 'environment'])
/** Members that never have a body. */
const NOT_BODY =
  /query|(?:headers?|parameters|id|url|uri|agent|output|address|version|time|at|key|name|host|path|method|resource|protocol|proto|ip|type)$|^(?:cookies|requestcontext|metadata|auth|settings|files|stagevariables)/

/** A request's object, and the one around it. */
interface Found {
  readonly record: JsonValue
  readonly around: JsonValue | null
  readonly headers: RawHeaders
}

/** The requests of a JSON text; null if it isn't JSON. */
export function readJsonText(text: string): Pasted | null {
  const json = textOfLatin1(text)
  const root = readJsonValue(json) ?? readJsonValue(json.replaceAll(/[\u201c\u201d\u201e]/g, '"'))
  if (root === null) return null
  const found = findRequests(root)
  if (typeof found === 'string') return { refused: found }
  if (found.length === 0)
    return {
      refused:
        root.get('log')?.get('entries') == null
          ? 'This is a body without headers. Paste the headers, an empty line, then the body.'
          : 'The HAR file has no requests that can be read.',
    }
  const signed = found.filter(({ headers }) => isSigned(headers))
  // A browser's file has others, whose bodies nobody needs.
  const read = found.map((one) => ({
    isNeeded: signed.length === 0 || signed.includes(one),
    request: requestOf(one),
  }))
  const refused = read.find(({ isNeeded, request }) => isNeeded && typeof request === 'string')
  return typeof refused?.request === 'string'
    ? { refused: refused.request }
    : { requests: read.flatMap(({ request }) => (typeof request === 'string' ? [] : [request])) }
}

const isSigned = (headers: RawHeaders) =>
  headers.some(([name]) => name.toLowerCase().endsWith('-signature'))

/** Returns all objects with headers, in order; a sentence if there are too many. */
function findRequests(root: JsonValue): Found[] | string {
  const found: Found[] = []
  let left = MOST_SEARCHED
  let problem: string | null = null
  const search = (value: JsonValue, around: JsonValue | null, depth: number): void => {
    if (!value.isObject && !value.isList) return
    if (depth > MOST_DEPTH || left-- <= 0 || problem !== null) return
    const headers = headersIn(value)
    if (headers === 'many') problem = TOO_MANY_HEADERS
    else if (headers !== null) found.push({ record: value, around, headers })
    else {
      for (const [name, member] of value.members)
        if (!others.has(plainName(name))) search(member, value.isObject ? value : around, depth + 1)
    }
  }
  const entries = root.isObject ? root.get('log')?.get('entries') : root
  if (entries?.isList === true && entries.count > MOST_REQUESTS)
    return `The file has ${entries.count} requests; the limit is ${MOST_REQUESTS}.`
  search(root, null, 0)
  return problem ?? found.slice(0, MOST_REQUESTS)
}

/** Reads the headers of an object: those of a member, or its own members if one is a signature. */
function headersIn(value: JsonValue): RawHeaders | 'many' | null {
  if (!value.isObject) return null
  for (const name of names.headers) {
    const member = value.get(name)
    if (member === null) continue
    if (member.isList && member.count > 2 * MOST_HEADERS) return 'many'
    const headers = headersOf(member)
    if (headers.length > 0) return headers.length > MOST_HEADERS ? 'many' : headers
  }
  const { members } = value
  const isFlat = members.some(
    ([name, member]) => /^(?:http_)?x[-_].*[-_]signature$/i.test(name) && member.scalar !== null,
  )
  const own = isFlat ? members.filter(([, member]) => member.scalar !== null) : []
  const bodies: readonly string[] = names.body
  const flat = own.filter(([name]) => !bodies.includes(plainName(name)))
  return isFlat ? flat.map(([name, member]) => pair(name, member.scalar ?? '')) : null
}

/** Reads headers from a map, a list of objects or pairs, a list of names and values in turn, or text. */
function headersOf(value: JsonValue): RawHeaders {
  const text = value.string
  if (text !== null)
    return text.split(/\r?\n/).flatMap((line) => {
      const header = headerOf(latin1Of(line))
      return header === null ? [] : [header]
    })
  if (value.isObject) {
    const inner = value.get('headers')
    if (inner?.isList === true) return headersOf(inner)
    return value.members.flatMap(([name, member]) => headersWith(name, member))
  }
  const { items } = value
  const flat = items.map((item) => item.string)
  if (flat.length > 1 && flat.length % 2 === 0 && flat.every((one) => one !== null))
    return flat.flatMap((name, index) =>
      index % 2 === 0 ? [pair(name, flat[index + 1] ?? '')] : [],
    )
  return items.flatMap((item): RawHeaders => {
    const [name, given] = item.isObject
      ? [item.get('name', 'key')?.string, item.get('value')?.scalar]
      : item.items.map((one) => one.scalar)
    const isOff = item.get('disabled')?.source === 'true' || item.get('enabled')?.source === 'false'
    return name == null || isOff ? [] : [pair(name, given ?? '')]
  })
}

/** Reads a header of a map: its value, or several as texts or as objects. */
function headersWith(name: string, value: JsonValue): RawHeaders {
  const texts = value.isList ? value.items : [value]
  return texts.flatMap((one) => {
    const text = one.scalar ?? one.get('value')?.scalar
    return text == null ? [] : [pair(name, text)]
  })
}

const pair = (name: string, value: string): [string, string] => [
  latin1Of(name),
  latin1Of(value).replaceAll(/[\r\n\0]+/g, ' '),
]

/** Returns the request, or a sentence about what can't be read. */
function requestOf({ record, around, headers: given }: Found): PastedRequest | string {
  const whole = record.get('raw')?.string ?? null
  const raw = whole === null ? null : wholeRequest(whole)
  if (raw !== null) return { ...raw, at: timeOf(record) ?? timeOf(around) }
  const context = record.get('requestcontext')
  const { method: fromHeaders, target, headers } = separateParts(given, null)
  const method =
    textIn(record, names.method) ??
    textIn(context?.get('http') ?? null, names.method) ??
    fromHeaders
  const { url, path } = placeOf({ record, around, headers }, target)
  const body = bodyOf({ record, around, headers })
  if (typeof body === 'string') return body
  const variable = [url, ...headers.map(([, value]) => value)]
    .map((text) => /\{\{\s*[$\w][\w.$ -]*\}\}/.exec(text ?? '')?.[0])
    .find(Boolean)
  if (variable !== undefined)
    return `The request has the variable ${excerpt(variable)}. Replace it with its value.`
  return {
    method: (method ?? 'POST').slice(0, 100),
    url,
    path,
    headers,
    ...body,
    at: timeOf(record) ?? timeOf(around),
  }
}

/** Reads a complete request from text or Base64, as ngrok exports it; null for another value. */
function wholeRequest(text: string): PastedRequest | null {
  const plain = /^[A-Z]+ \S+ HTTP\//.test(text) ? latin1Of(text) : decodeBase64(text)
  if (plain === null || !/^[A-Z]+ \S+ HTTP\//.test(plain)) return null
  const read = readHttp(plain, true)
  return 'requests' in read ? (read.requests[0] ?? null) : null
}

const textIn = (value: JsonValue | null, keys: readonly string[]): string | null =>
  value?.get(...keys)?.scalar ?? null

/** Returns the URL, if the object has it or a host, and the path with its query. */
function placeOf({ record, around, headers }: Found, target: string | null) {
  const urlValue = record.get(...names.url)
  const given = target ?? urlValue?.scalar ?? textIn(urlValue, ['raw']) ?? textIn(around, ['url'])
  const context = record.get('requestcontext')
  const isComplete = given !== null && /^https?:\/\//i.test(given)
  const own = isComplete
    ? pathInUrl(given)
    : (textIn(context, ['path']) ?? textIn(record, names.path) ?? given ?? '/')
  const path = latin1Of(withQuery(own.startsWith('/') ? own : `/${own}`, record))
  const host = valueOf(headers, 'host') ?? textIn(context, ['domainname'])
  const complete = isComplete ? latin1Of(given.split('#', 1)[0] ?? '') : null
  return {
    path,
    url:
      complete === null
        ? host === null
          ? null
          : `https://${host}${path}`
        : complete.includes('?')
          ? complete
          : complete + path.slice(pathInUrl(complete).length),
  }
}

/** Adds the query that tools list beside a path. */
function withQuery(path: string, record: JsonValue): string {
  const query = names.query.map((name) => record.get(name)).find((one) => one?.isEmpty === false)
  if (path.includes('?') || query == null) return path
  const text = query.string
  if (text !== null) return `${path}?${text.replace(/^\?/, '')}`
  const written = (value: string) =>
    /%[\da-f]{2}/i.test(value) ? value : encodeURIComponent(value)
  const listed = query.isObject
    ? query.members.flatMap(([name, value]) =>
        (value.isList ? value.items : [value]).map((one) => [name, one.scalar ?? '']),
      )
    : query.items.map((item) => [
        textIn(item, ['name', 'key']) ?? '',
        textIn(item, ['value']) ?? '',
      ])
  const parts = listed.map(([name = '', value = '']) => `${written(name)}=${written(value)}`)
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`
}

/** Returns a time with its zone, or Unix time in milliseconds. Another time's zone is unknown. */
function timeOf(value: JsonValue | null): string | null {
  for (const name of names.at) {
    const text = value?.get(name)?.scalar ?? ''
    const isTime =
      /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/.test(text) || /^1\d{12}$/.test(text)
    const date = new Date(isTime ? (text.includes('T') ? text : Number(text)) : Number.NaN)
    if (!Number.isNaN(date.getTime())) return date.toISOString()
  }
  return null
}

type Body = Pick<PastedRequest, 'bodies' | 'note'>

const PARSED =
  "Its body was parsed, so the bytes are lost. It was verified as serializers write it: if it isn't valid, use the bytes that were received."

/** Returns the body, or a sentence about why it can't be read. */
function bodyOf({ record, around, headers }: Found): Body | string {
  const length = valueOf(headers, 'content-length')
  const size = record.get('bodysize', 'size')?.scalar ?? length
  const encoded = record.get(...names.base64)?.string
  if (encoded != null) return base64Body(encoded)
  const own = names.body.map((name) => record.get(name)).find((one) => one?.isEmpty === false)
  const beside = names.bodyBeside
    .map((name) => around?.get(name) ?? null)
    .find((one) => one !== null && one !== record && !one.isEmpty)
  const body = own ?? beside
  if (body == null) return noBody(record, headers, Number(size ?? 0))
  const flags = [record, around].flatMap((one) => [
    one?.get('isbase64encoded')?.source === 'true',
    one?.get('bodyencoding', 'encoding', 'contentencoding')?.scalar === 'base64',
  ])
  if (flags.includes(true) && body.string !== null) return base64Body(body.string)
  return readBody(body, size === null ? null : Number(size))
}

function base64Body(text: string): Body | string {
  const bytes = decodeBase64(text)
  return bytes === null
    ? 'The body is marked as Base64, but has other characters. Copy it again.'
    : { bodies: [bytesOfLatin1(bytes)], note: null }
}

/** Returns an empty body. The service never sends one, so a signed request without any was misread. */
function noBody(record: JsonValue, headers: RawHeaders, size: number): Body | string {
  if (size > 0) return withoutBody(size)
  const unread = record.members.flatMap(([name, value]) => {
    const hasContent = (value.string ?? '').length > 1 || value.count > 0
    return hasContent && !NOT_BODY.test(plainName(name)) ? [excerpt(name)] : []
  })
  const isEmpty = names.body.some((name) => record.get(name)?.string === '')
  if (!isSigned(headers) || (isEmpty && unread.length === 0))
    return { bodies: [new Uint8Array()], note: null }
  return unread.length === 0
    ? 'The request is signed, but has no body. Copy its body too.'
    : `The request is signed, but its body wasn't found. If it is one of ${unread.slice(0, 5).join(', ')}, rename that to "body".`
}

const withoutBody = (size: number) =>
  `The file has no body for this request, which had ${size} bytes. Copy its body too.`

function readBody(body: JsonValue, size: number | null): Body | string {
  const text = body.string
  if (text !== null) return textBody(text, size)
  const isDescribed =
    body.get('mimetype', 'mode', 'encoding', 'inputtruncated') !== null ||
    body.get('type')?.string === 'Buffer' ||
    (body.count === 1 && body.get('text', 'raw') !== null)
  if (isDescribed) return describedBody(body, size)
  if (!body.isList && !body.isObject) return textBody(body.source, size)
  const bytes: unknown = body.isList ? JSON.parse(body.source) : []
  const isByte = (one: unknown) => Number.isInteger(one) && Number(one) >= 0 && Number(one) < 256
  return Array.isArray(bytes) && bytes.length > 1 && bytes.every(isByte)
    ? { bodies: [Uint8Array.from(bytes as number[])], note: null }
    : { bodies: serializedBodies(body.source), note: PARSED }
}

/** Reads a text. It may be Base64 although nothing says so: no JSON is. */
function textBody(text: string, size: number | null): Body {
  const decoded = /^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(text) ? decodeBase64(text) : null
  return decoded !== null && /^\s*[[{]/.test(decoded)
    ? { bodies: [bytesOfLatin1(decoded), bytesOfLatin1(text)], note: 'Its body was in Base64.' }
    : { bodies: stringBodies(text, size), note: null }
}

/** Reads the body of a HAR file, Postman, Insomnia, CloudFront or Node.js's buffers. */
function describedBody(body: JsonValue, size: number | null): Body | string {
  const mode = body.get('mode')?.string ?? 'raw'
  if (mode !== 'raw')
    return `The body is of the kind ${excerpt(mode)}, which isn't read. Paste it as text.`
  if (body.get('inputtruncated')?.source === 'true')
    return 'The body was cut off where it was logged. Use the bytes that were received.'
  const text = body.get('text', 'raw', 'data')
  if (text?.isList === true || text?.isObject === true) return readBody(text, size)
  if (text?.string != null && text.string !== '')
    return body.get('encoding')?.string === 'base64'
      ? base64Body(text.string)
      : textBody(text.string, size)
  const params = body.get('params')?.items ?? []
  if (params.length === 0)
    return (size ?? 0) > 0 ? withoutBody(size ?? 0) : { bodies: [new Uint8Array()], note: null }
  // The tool read JSON as a form.
  const joined = params
    .map((item) => [textIn(item, ['name']) ?? '', textIn(item, ['value']) ?? ''])
    .map(([name, value], index) =>
      value === '' && index === params.length - 1 ? name : `${name}=${value}`,
    )
    .join('&')
  const decoded = decodedForm(joined)
  return {
    bodies: [joined, decoded, `${joined}=`].flatMap((one) => stringBodies(one, size)).slice(0, 8),
    note: null,
  }
}

function decodedForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
