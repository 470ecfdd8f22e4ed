/**
 * Requests in HAR files, events of cloud gateways, exports of tools, and logs. A request is any
 * object with headers; its parts have several names.
 */
import type { RawHeaders } from '../model/delivery.ts'
import { type JsonValue, plainName, readJsonValue } from './json-value.ts'
import { serializedBodies, stringBodies, valueOf } from './pasted-body.ts'
import { headerOf, separateParts } from './pasted-head.ts'
import { checkRequestCount, readHttp } from './pasted-http.ts'
import {
  resultOrRefusal,
  bytesOfLatin1,
  checkHeaderCount,
  checkVariables,
  decodeBase64,
  excerpt,
  isSigned,
  latin1Of,
  type PastedRequest,
  addressIn,
  refuse,
} from './pasted-text.ts'

const MOST_DEPTH = 12
const MOST_SEARCHED = 100_000

const list = (text: string) => text.split(' ').map(plainName)
const names = {
  headers: list('multi-value-headers headers header request-headers raw-headers'),
  method: list('method http-method request-method verb'),
  url: list('url raw-url full-url request-url href original-url request-uri uri'),
  path: list('raw-path path request-path path-name'),
  query: list(
    'raw-query-string query-string multi-value-query-string-parameters query-string-parameters query parsed-query query-params',
  ),
  body: list('raw-body body-raw body content payload request-body post-data data text'),
  base64: list(
    'body-base64 raw-body-base64 content-base64 request-payload-base64 body-b64 base64-body',
  ),
  /** Names of a body beside the object that has the headers. */
  bodyBeside: list('raw-body body payload request-body body-base64'),
  at: list('started-date-time received-at ingested-at created-at timestamp start time'),
}
/** Members whose headers aren't the request's. */
const skippedMembers = new Set(list('response responses original-request cookies environment'))
/** Members that never have a body. */
const NOT_BODY =
  /query|(?:headers?|parameters|id|url|uri|agent|output|address|version|time|at|key|name|host|path|method|resource|protocol|proto|ip|type)$|^(?:cookies|requestcontext|metadata|auth|settings|files|stagevariables)/

interface RequestRecord {
  readonly record: JsonValue
  readonly parent: JsonValue | null
  readonly headers: RawHeaders
}

/** Reads the requests of a JSON text; null if it isn't JSON. */
export function readJsonText(text: string): PastedRequest[] | null {
  const root = readJsonValue(text)
  if (root === null) return null
  const records = findRequests(root)
  if (records.length === 0 && root.get('log')?.get('entries') != null)
    refuse('The HAR file has no requests that can be read. Record the request, then export again.')
  const hasSigned = records.some(({ headers }) => isSigned(headers))
  return records.flatMap((record) => {
    const request = resultOrRefusal(() => requestOf(record))
    if (typeof request !== 'string') return [request]
    // Other requests of a browser's HAR may lack bodies; skip them.
    return hasSigned && !isSigned(record.headers) ? [] : refuse(request)
  })
}

function findRequests(root: JsonValue): RequestRecord[] {
  const records: RequestRecord[] = []
  let left = MOST_SEARCHED
  const search = (value: JsonValue, parent: JsonValue | null, depth: number): void => {
    if ((!value.isObject && !value.isList) || depth > MOST_DEPTH || left-- <= 0) return
    const headers = headersIn(value)
    if (headers !== null) records.push({ record: value, parent, headers })
    else
      for (const [name, member] of value.members)
        if (!skippedMembers.has(plainName(name)))
          search(member, value.isObject ? value : parent, depth + 1)
  }
  const entries = root.isList ? root : root.get('log')?.get('entries')
  checkRequestCount(entries?.count ?? 0)
  search(root, null, 0)
  checkRequestCount(records.length)
  return records
}

/** Reads headers of a member, or the object's own if one is a signature. */
function headersIn(value: JsonValue): RawHeaders | null {
  if (!value.isObject) return null
  for (const name of names.headers) {
    const headers = headersOf(value.get(name))
    checkHeaderCount(headers)
    if (headers.length > 0) return headers
  }
  const own = value.members.flatMap(([name, { scalar }]) =>
    scalar === null || names.body.includes(plainName(name)) ? [] : [pair(name, scalar)],
  )
  return own.some(([name]) => /^(?:http_)?x[-_].*[-_]signature$/i.test(name)) ? own : null
}

/** Reads headers from a map, objects, pairs, alternating texts, or a text. */
function headersOf(value: JsonValue | null): RawHeaders {
  if (value === null) return []
  if (value.string !== null)
    return value.string.split(/\r?\n/).flatMap((line) => {
      const header = headerOf(latin1Of(line))
      return header === null ? [] : [header]
    })
  const inner = value.get('headers')
  if (inner?.isList === true) return headersOf(inner)
  if (value.isObject)
    return value.members.flatMap(([name, member]) =>
      (member.isList ? member.items : [member]).flatMap((one) => {
        const text = one.scalar ?? one.text('value')
        return text === null ? [] : [pair(name, text)]
      }),
    )
  const { items } = value
  const isFlat = items.length % 2 === 0 && items.every(({ string }) => string !== null)
  return items.flatMap((item, index): RawHeaders => {
    const isOff = item.get('disabled')?.isTrue === true || item.get('enabled')?.source === 'false'
    const [name, text] = item.isObject
      ? [item.text(['name', 'key']), item.text('value')]
      : isFlat
        ? [index % 2 === 0 ? item.string : null, items[index + 1]?.string]
        : item.items.map(({ scalar }) => scalar)
    return name == null || isOff ? [] : [pair(name, text ?? '')]
  })
}

const pair = (name: string, value: string): [string, string] => [
  latin1Of(name),
  latin1Of(value).replaceAll(/[\r\n\0]+/g, ' '),
]

function requestOf({ record, parent, headers: given }: RequestRecord): PastedRequest {
  const at = timeOf(record) ?? timeOf(parent)
  const whole = wholeRequest(record.get('raw')?.string ?? '')
  if (whole !== null) return { ...whole, at }
  const context = record.get('requestcontext')
  const { method, target, headers } = separateParts(given, null)
  const parts = { record, parent, headers }
  const request = {
    method: (
      record.text(names.method) ??
      context?.get('http')?.text(names.method) ??
      method ??
      'POST'
    ).slice(0, 100),
    ...targetOf(parts, target),
    headers,
    ...bodyOf(parts),
    at,
  }
  checkVariables([request.url, ...headers.map(([, value]) => value)].join('\n'))
  return request
}

/** Reads a complete request from text or Base64, as ngrok exports it. */
function wholeRequest(text: string): PastedRequest | null {
  const isRequest = (plain: string) => /^[A-Z]+ \S+ HTTP\//.test(plain)
  const plain = isRequest(text) ? latin1Of(text) : (decodeBase64(text) ?? '')
  return isRequest(plain) ? readHttp(plain, true) : null
}

/** Returns the URL, if known, and the path with its query. */
function targetOf({ record, parent, headers }: RequestRecord, target: string | null) {
  const value = record.get(names.url)
  const given = target ?? value?.scalar ?? value?.text('raw') ?? parent?.text('url') ?? null
  const context = record.get('requestcontext')
  const isComplete = given !== null && /^https?:\/\//i.test(given)
  const path = isComplete ? given : (context?.text('path') ?? record.text(names.path) ?? given)
  return addressIn(
    latin1Of(withQuery((isComplete ? path?.split('#', 1)[0] : path) ?? '/', record)),
    valueOf(headers, 'host') ?? context?.text('domainname') ?? null,
  )
}

function withQuery(path: string, record: JsonValue): string {
  const query = record.get(names.query, ({ isEmpty }) => !isEmpty)
  if (path.includes('?') || query === null) return path
  if (query.string !== null) return `${path}?${query.string.replace(/^\?/, '')}`
  const parts = query.members.flatMap(([name, value]) =>
    (value.isList ? value.items : [value]).map((one) =>
      one.isObject
        ? [one.text(['name', 'key']) ?? '', one.text('value') ?? '']
        : [name, one.scalar ?? ''],
    ),
  )
  const written = (value: string) =>
    /%[\da-f]{2}/i.test(value) ? value : encodeURIComponent(value)
  return `${path}?${parts.map((part) => part.map(written).join('=')).join('&')}`
}

/** Returns a time with its zone, or Unix time in milliseconds. */
function timeOf(value: JsonValue | null): string | null {
  const isTime = (text: string) =>
    /^(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)|1\d{12})$/.test(text)
  const text = value?.get(names.at, ({ scalar }) => isTime(scalar ?? ''))?.scalar ?? ''
  const date = new Date(text.includes('T') ? text : Number(text || Number.NaN))
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

type Body = Pick<PastedRequest, 'bodies' | 'note'>

const PARSED =
  'Its body was parsed, so the bytes are lost. Countersign tried common JSON spellings; if the signature is invalid, use the bytes that were received.'

function bodyOf({ record, parent, headers }: RequestRecord): Body {
  const length = record.text(['bodysize', 'size']) ?? valueOf(headers, 'content-length')
  const size = length === null ? null : Number(length)
  const encoded = record.get(names.base64)?.string
  if (encoded != null) return base64Body(encoded)
  const body =
    record.get(names.body, ({ isEmpty }) => !isEmpty) ??
    parent?.get(names.bodyBeside, (one) => one !== record && !one.isEmpty)
  if (body == null) return noBody(record, headers, size)
  const isBase64 = [record, parent].some(
    (one) =>
      one?.get('isbase64encoded')?.isTrue === true ||
      one?.text(['bodyencoding', 'encoding', 'contentencoding']) === 'base64',
  )
  return isBase64 && body.string !== null ? base64Body(body.string) : readBody(body, size)
}

function base64Body(text: string): Body {
  const bytes =
    decodeBase64(text) ??
    refuse('The body is marked as Base64, but has other characters. Copy it again.')
  return { bodies: [bytesOfLatin1(bytes)], note: null }
}

/** Returns an empty body; throws for a signed request, since the service never sends one. */
function noBody(record: JsonValue, headers: RawHeaders, size: number | null): Body {
  if (size !== null && size > 0)
    refuse(`The file has no body for this request, which had ${size} bytes. Copy its body too.`)
  const unread = record.members.flatMap(([name, value]) => {
    const hasContent = (value.string ?? '').length > 1 || value.count > 0
    return hasContent && !NOT_BODY.test(plainName(name)) ? [excerpt(name)] : []
  })
  const isEmpty = record.get(names.body, ({ string }) => string === '') !== null
  if (isSigned(headers) && unread.length > 0)
    refuse(
      `The request is signed, but its body wasn't found. If it is one of ${unread.slice(0, 5).join(', ')}, rename that to "body".`,
    )
  if (isSigned(headers) && !isEmpty)
    refuse('The request is signed, but has no body. Copy its body too.')
  return { bodies: [new Uint8Array()], note: null }
}

/** Reads a text, bytes, a wrapped or a parsed body. */
function readBody(body: JsonValue, size: number | null): Body {
  const text = body.scalar
  if (text !== null) return textBody(text, size)
  const isWrapped =
    body.get(['mimetype', 'mode', 'encoding', 'inputtruncated']) !== null ||
    body.text('type') === 'Buffer' ||
    (body.count === 1 && body.get(['text', 'raw']) !== null)
  if (isWrapped) return wrappedBody(body, size)
  const bytes: unknown = body.isList ? JSON.parse(body.source) : []
  const isByte = (one: unknown) => Number.isInteger(one) && Number(one) >= 0 && Number(one) < 256
  return Array.isArray(bytes) && bytes.length > 1 && bytes.every(isByte)
    ? { bodies: [Uint8Array.from(bytes as number[])], note: null }
    : { bodies: serializedBodies(body.source), note: PARSED }
}

/** Reads a text, which may be unmarked Base64. */
function textBody(text: string, size: number | null): Body {
  const decoded = /^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(text) ? decodeBase64(text) : null
  return decoded !== null && /^\s*[[{]/.test(decoded)
    ? { bodies: [decoded, text].map(bytesOfLatin1), note: 'Its body was in Base64.' }
    : { bodies: stringBodies(text, size), note: null }
}

/** Reads the body of a HAR file, Postman, Insomnia, CloudFront or a Node.js buffer. */
function wrappedBody(body: JsonValue, size: number | null): Body {
  const mode = body.text('mode') ?? 'raw'
  if (mode !== 'raw')
    refuse(`Countersign can't read a body of mode ${excerpt(mode)}. Paste the body as text.`)
  if (body.get('inputtruncated')?.isTrue === true)
    refuse('The log cut off the body. Use the bytes that were received.')
  const inner = body.get(['text', 'raw', 'data'])
  if (inner !== null && !inner.isEmpty)
    return body.text('encoding') === 'base64'
      ? base64Body(inner.string ?? '')
      : readBody(inner, size)
  // A tool may read JSON as a form.
  const params = body.get('params')?.items ?? []
  const joined = params
    .map((item) => [item.text('name') ?? '', item.text('value') ?? ''])
    .map(([name, value], index) =>
      value === '' && index === params.length - 1 ? name : `${name}=${value}`,
    )
    .join('&')
  if (joined === '') return noBody(body, [], size)
  const plain = joined.replaceAll('+', ' ').replaceAll(/(?:%[\da-f]{2})+/gi, percentDecoded)
  return {
    bodies: [joined, plain, `${joined}=`].flatMap((one) => stringBodies(one, size)),
    note: null,
  }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
