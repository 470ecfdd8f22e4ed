/**
 * Requests in HAR files, events of cloud gateways, exports of tools, and logs. A request is any
 * object with headers; its parts have several names.
 */
import { AppError } from '../contract/errors.ts'
import type { RawHeaders } from '../model/delivery.ts'
import { byteTextOfBase64, bytesOfByteText, encodeByteText } from '../text/byte-text.ts'
import { type LooseJson, lookupName, readLooseJson } from './loose-json.ts'
import { headerValue, serializedBodies, stringBodies } from './pasted-body.ts'
import { headerOf, separateParts } from './pasted-head.ts'
import { checkRequestCount, readHttp } from './pasted-http.ts'
import {
  checkHeaderCount,
  checkVariables,
  excerpt,
  isSigned,
  type PastedRequest,
  addressIn,
  refuse,
  RequestRefusal,
} from './pasted-result.ts'

const MOST_DEPTH = 12
const MOST_SEARCHED_VALUES = 100_000
const MOST_METHOD_CHARACTERS = 100

const lookupNames = (text: string) => text.split(' ').map(lookupName)
const names = {
  headers: lookupNames('multi-value-headers headers header request-headers raw-headers'),
  method: lookupNames('method http-method request-method verb'),
  url: lookupNames('url raw-url full-url request-url href original-url request-uri uri'),
  path: lookupNames('raw-path path request-path path-name'),
  query: lookupNames(
    'raw-query-string query-string multi-value-query-string-parameters query-string-parameters query parsed-query query-params',
  ),
  body: lookupNames('raw-body body-raw body content payload request-body post-data data text'),
  base64: lookupNames(
    'body-base64 raw-body-base64 content-base64 request-payload-base64 body-b64 base64-body',
  ),
  /** Body beside the object that has the headers. */
  siblingBody: lookupNames('raw-body body payload request-body body-base64'),
  time: lookupNames('started-date-time received-at ingested-at created-at timestamp start time'),
}
/** Members whose headers aren't the request's. */
const skippedMembers = new Set(
  lookupNames('response responses original-request cookies environment'),
)
/** Lookup names of members that never have a body: `querystring`, `messageid`. */
const NO_BODY_NAME =
  /query|(?:headers?|parameters|id|url|uri|agent|output|address|version|time|at|key|name|host|path|method|resource|protocol|proto|ip|type)$|^(?:cookies|requestcontext|metadata|auth|settings|files|stagevariables)/

interface RequestRecord {
  readonly record: LooseJson
  readonly parent: LooseJson | null
  readonly headers: RawHeaders
}

/** Reads the requests of a JSON text; null if it isn't JSON. */
export function readJsonText(text: string): PastedRequest[] | null {
  const root = readLooseJson(text)
  if (root === null) return null
  const records = findRequests(root)
  if (records.length === 0 && root.get('log')?.get('entries') != null)
    refuse('The HAR file has no requests that can be read. Record the request, then export again.')
  const hasSigned = records.some(({ headers }) => isSigned(headers))
  return records.flatMap((record) => {
    try {
      return [requestOf(record)]
    } catch (error) {
      // Other requests of a browser's HAR may lack bodies; skip them.
      if (error instanceof AppError && hasSigned && !isSigned(record.headers)) return []
      throw error
    }
  })
}

function findRequests(root: LooseJson): RequestRecord[] {
  const records: RequestRecord[] = []
  let left = MOST_SEARCHED_VALUES
  const search = (value: LooseJson, parent: LooseJson | null, depth: number): void => {
    if ((!value.isObject && !value.isList) || depth > MOST_DEPTH || left-- <= 0) return
    const headers = headersIn(value)
    if (headers !== null) records.push({ record: value, parent, headers })
    else
      for (const { name, value: member } of value.members)
        if (!skippedMembers.has(lookupName(name)))
          search(member, value.isObject ? value : parent, depth + 1)
  }
  const entries = root.isList ? root : root.get('log')?.get('entries')
  checkRequestCount(entries?.count ?? 0)
  search(root, null, 0)
  checkRequestCount(records.length)
  return records
}

/** Reads headers of a member, or the object's own if one is a signature. */
function headersIn(value: LooseJson): RawHeaders | null {
  if (!value.isObject) return null
  for (const name of names.headers) {
    const headers = headersOf(value.get(name))
    checkHeaderCount(headers)
    if (headers.length > 0) return headers
  }
  const ownHeaders = value.members.flatMap(({ name, value: { scalar } }) =>
    scalar === null || names.body.includes(lookupName(name)) ? [] : [toHeader(name, scalar)],
  )
  // `X-Service-Signature`, or CGI's `HTTP_X_SERVICE_SIGNATURE`.
  return ownHeaders.some(([name]) => /^(?:http_)?x[-_].*[-_]signature$/i.test(name))
    ? ownHeaders
    : null
}

/** Reads headers from a map, objects, pairs, alternating texts, or a text. */
function headersOf(value: LooseJson | null): RawHeaders {
  if (value === null) return []
  if (value.string !== null)
    return value.string.split(/\r?\n/).flatMap((line) => {
      const header = headerOf(encodeByteText(line))
      return header === null ? [] : [header]
    })
  const inner = value.get('headers')
  if (inner?.isList === true) return headersOf(inner)
  if (value.isObject)
    return value.members.flatMap(({ name, value: member }) =>
      (member.isList ? member.items : [member]).flatMap((item) => {
        const text = item.scalar ?? item.text('value')
        return text === null ? [] : [toHeader(name, text)]
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
    return name == null || isOff ? [] : [toHeader(name, text ?? '')]
  })
}

const toHeader = (name: string, value: string): [string, string] => [
  encodeByteText(name),
  encodeByteText(value).replaceAll(/[\r\n\0]+/g, ' '),
]

function requestOf({ record, parent, headers: listed }: RequestRecord): PastedRequest {
  const at = timeOf(record) ?? timeOf(parent)
  const rawRequest = readRawRequest(record.get('raw')?.string ?? '')
  if (rawRequest !== null) return { ...rawRequest, at }
  const context = record.get('requestcontext')
  const { method, target, headers } = separateParts(listed, null)
  const parts = { record, parent, headers }
  const request = {
    method: (
      record.text(names.method) ??
      context?.get('http')?.text(names.method) ??
      method ??
      'POST'
    ).slice(0, MOST_METHOD_CHARACTERS),
    ...targetOf(parts, target),
    headers,
    ...bodyOf(parts),
    at,
  }
  checkVariables([request.url, ...headers.map(([, value]) => value)].join('\n'))
  return request
}

/** Reads raw HTTP as text or Base64, as ngrok exports it. */
function readRawRequest(text: string): PastedRequest | null {
  const isHttp = (plain: string) => /^[A-Z]+ \S+ HTTP\//.test(plain)
  const plain = isHttp(text) ? encodeByteText(text) : (byteTextOfBase64(text) ?? '')
  return isHttp(plain) ? readHttp(plain, { isUntouched: true }) : null
}

function targetOf({ record, parent, headers }: RequestRecord, target: string | null) {
  const value = record.get(names.url)
  const url = target ?? value?.scalar ?? value?.text('raw') ?? parent?.text('url') ?? null
  const context = record.get('requestcontext')
  const isComplete = url !== null && /^https?:\/\//i.test(url)
  const address = isComplete
    ? url.split('#', 1)[0]
    : (context?.text('path') ?? record.text(names.path) ?? url)
  return addressIn(
    encodeByteText(withQuery(address ?? '/', record)),
    headerValue(headers, 'host') ?? context?.text('domainname') ?? null,
  )
}

function withQuery(path: string, record: LooseJson): string {
  const query = record.get(names.query, ({ isEmpty }) => !isEmpty)
  if (path.includes('?') || query === null) return path
  if (query.string !== null) return `${path}?${query.string.replace(/^\?/, '')}`
  const parameters = query.members.flatMap(({ name, value }) =>
    (value.isList ? value.items : [value]).map((item) =>
      item.isObject
        ? [item.text(['name', 'key']) ?? '', item.text('value') ?? '']
        : [name, item.scalar ?? ''],
    ),
  )
  const encoded = (text: string) => (/%[\da-f]{2}/i.test(text) ? text : encodeURIComponent(text))
  return `${path}?${parameters.map((parameter) => parameter.map(encoded).join('=')).join('&')}`
}

/** Returns a time that has a zone, or is in milliseconds since the epoch. */
function timeOf(value: LooseJson | null): string | null {
  // `2026-11-21T09:30:00.5+01:00` or `1795253400000`
  const isTime = (text: string) =>
    /^(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)|1\d{12})$/.test(text)
  const text = value?.get(names.time, ({ scalar }) => isTime(scalar ?? ''))?.scalar ?? ''
  const date = new Date(text.includes('T') ? text : Number(text || Number.NaN))
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

type Body = Pick<PastedRequest, 'bodies' | 'note'>

const PARSED_BODY_NOTE =
  'Its body was parsed, so the bytes are lost. Countersign tried common JSON spellings; if the signature is invalid, use the bytes that were received.'

function bodyOf({ record, parent, headers }: RequestRecord): Body {
  const length = record.text(['bodysize', 'size']) ?? headerValue(headers, 'content-length')
  const size = length === null ? null : Number(length)
  const encoded = record.get(names.base64)?.string
  if (encoded != null) return base64Body(encoded)
  const body =
    record.get(names.body, ({ isEmpty }) => !isEmpty) ??
    parent?.get(names.siblingBody, (value) => value !== record && !value.isEmpty)
  if (body == null) return noBody(record, headers, size)
  const isBase64 = [record, parent].some(
    (value) =>
      value?.get('isbase64encoded')?.isTrue === true ||
      value?.text(['bodyencoding', 'encoding', 'contentencoding']) === 'base64',
  )
  return isBase64 && body.string !== null ? base64Body(body.string) : readBody(body, size)
}

function base64Body(text: string): Body {
  const bytes =
    byteTextOfBase64(text) ??
    refuse('The body is marked as Base64, but has other characters. Copy it again.')
  return { bodies: [bytesOfByteText(bytes)], note: null }
}

/** Returns an empty body; throws for a signed request, since the service never sends one. */
function noBody(record: LooseJson, headers: RawHeaders, size: number | null): Body {
  if (size !== null && size > 0)
    refuse(`The file has no body for this request, which had ${size} bytes. Copy its body too.`)
  const candidates = record.members.flatMap(({ name, value }) => {
    const hasContent = (value.string ?? '').length > 1 || value.count > 0
    return hasContent && !NO_BODY_NAME.test(lookupName(name)) ? [excerpt(name)] : []
  })
  const isEmpty = record.get(names.body, ({ string }) => string === '') !== null
  if (isSigned(headers) && candidates.length > 0)
    refuse(
      `The request is signed, but its body wasn't found. If it is one of ${candidates.slice(0, 5).join(', ')}, rename that to "body".`,
      RequestRefusal,
    )
  if (isSigned(headers) && !isEmpty)
    refuse('The request is signed, but has no body. Copy its body too.', RequestRefusal)
  return { bodies: [new Uint8Array()], note: null }
}

/** Reads a body that is text, a list of bytes, wrapped in an object, or parsed JSON. */
function readBody(body: LooseJson, size: number | null): Body {
  const text = body.scalar
  if (text !== null) return textBody(text, size)
  const isWrapped =
    body.get(['mimetype', 'mode', 'encoding', 'inputtruncated']) !== null ||
    body.text('type') === 'Buffer' ||
    (body.count === 1 && body.get(['text', 'raw']) !== null)
  if (isWrapped) return wrappedBody(body, size)
  const bytes: unknown = body.isList ? JSON.parse(body.source) : []
  const isByte = (item: unknown) =>
    Number.isInteger(item) && Number(item) >= 0 && Number(item) < 256
  return Array.isArray(bytes) && bytes.length > 1 && bytes.every(isByte)
    ? { bodies: [Uint8Array.from(bytes as number[])], note: null }
    : { bodies: serializedBodies(body.source), note: PARSED_BODY_NOTE }
}

function textBody(text: string, size: number | null): Body {
  const decoded = /^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(text) ? byteTextOfBase64(text) : null
  return decoded !== null && /^\s*[[{]/.test(decoded)
    ? { bodies: [decoded, text].map(bytesOfByteText), note: 'Its body was in Base64.' }
    : { bodies: stringBodies(text, size), note: null }
}

/** Reads the body of a HAR file, Postman, Insomnia, CloudFront or a Node.js buffer. */
function wrappedBody(body: LooseJson, size: number | null): Body {
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
  // A tool may have parsed JSON as a form, at each `&` and `=`.
  const params = body.get('params')?.items ?? []
  const form = params
    .map((item, index) => {
      const name = item.text('name') ?? ''
      const value = item.text('value') ?? ''
      return value === '' && index === params.length - 1 ? name : `${name}=${value}`
    })
    .join('&')
  if (form === '') return noBody(body, [], size)
  const decoded = form.replaceAll('+', ' ').replaceAll(/(?:%[\da-f]{2})+/gi, percentDecoded)
  return {
    bodies: [form, decoded, `${form}=`].flatMap((text) => stringBodies(text, size)),
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
