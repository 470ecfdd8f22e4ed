/** A delivery as an entry of an HTTP archive (HAR 1.2), with underscore fields for the rest. */
import { contentType, utf8Text } from '../../shared/body/encoding.ts'
import type { Delivery } from '../../shared/model/delivery.ts'

/** Returns text if possible, else Base64, which HAR has for responses only. */
function postDataOf(delivery: Delivery, body: Uint8Array) {
  const { type } = contentType(delivery.headers)
  const rest = {
    mimeType: type === '' ? 'application/octet-stream' : type,
    params: [],
    ...(delivery.truncated
      ? { comment: `Only the first ${body.length} of ${delivery.bodySize} bytes were stored.` }
      : {}),
  }
  const text = utf8Text(body, false)
  return text === null
    ? { ...rest, text: Buffer.from(body).toString('base64'), _encoding: 'base64' }
    : { ...rest, text }
}

const named = (pairs: Iterable<readonly [string, string]>) =>
  [...pairs].map(([name, value]) => ({ name, value }))

function queryOf(path: string) {
  const start = path.indexOf('?')
  return start < 0 ? [] : named(new URLSearchParams(path.slice(start)))
}

/** Returns the request's URL as far as known; always a valid one. */
export function addressOf({ headers, path }: Delivery): string {
  if (path !== null && /^https?:\/\//i.test(path) && URL.canParse(path)) return path
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? ''
  const origin = host !== '' && URL.canParse(`https://${host}/`) ? host : '127.0.0.1'
  return `https://${origin}${path?.startsWith('/') === true ? path : '/'}`
}

function responseOf({ response }: Delivery) {
  if (response === null)
    return { headers: [], content: { size: 0, mimeType: 'x-unknown' }, bodySize: -1 }
  const size = Buffer.from(response.body, 'base64').length
  const { type } = contentType(response.headers)
  return {
    headers: named(response.headers),
    content: {
      size,
      mimeType: type === '' ? 'x-unknown' : type,
      ...(size === 0 ? {} : { text: response.body, encoding: 'base64' }),
      ...(response.truncated ? { comment: `Only the first ${size} bytes were stored.` } : {}),
    },
    bodySize: response.truncated ? -1 : size,
  }
}

/** Writes an entry; null without a method, because readers would reject the file. */
export function writeHarEntry(delivery: Delivery, body: Uint8Array): string | null {
  const { receivedAt, answer, method, headers, httpVersion, malformed } = delivery
  if (method === null || method === '') return null
  const ms = answer.ms ?? 0
  const version = `HTTP/${httpVersion}`
  return JSON.stringify({
    startedDateTime: receivedAt,
    time: ms,
    request: {
      method,
      url: addressOf(delivery),
      httpVersion: version,
      cookies: [],
      headers: named(headers),
      queryString: queryOf(delivery.path ?? ''),
      ...(body.length === 0 ? {} : { postData: postDataOf(delivery, body) }),
      headersSize: -1,
      bodySize: delivery.bodySize,
    },
    response: {
      status: answer.status ?? 0,
      statusText: '',
      httpVersion: version,
      cookies: [],
      redirectURL: '',
      headersSize: -1,
      ...responseOf(delivery),
      ...(answer.status === null ? { comment: 'Connection dropped, or no response yet.' } : {}),
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
    ...(malformed === null ? {} : { comment: malformed.reason }),
    _countersign: {
      id: delivery.id,
      event: delivery.event,
      hookId: delivery.hookId,
      environment: delivery.environment,
      mode: delivery.mode,
      verdict: delivery.verdict,
      freshness: delivery.freshness,
      attempt: delivery.attempt,
      schema: delivery.schema,
      bodySha256: delivery.bodySha256,
      ...(delivery.trailers.length === 0 ? {} : { trailers: named(delivery.trailers) }),
    },
  })
}
