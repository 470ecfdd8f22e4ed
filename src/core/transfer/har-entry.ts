/**
 * A delivery as an entry of an HTTP archive (HAR 1.2): the request as received, headers in order including duplicates, and the
 * response. Data that HAR has no field for uses underscore fields, which the format allows.
 */
import { contentType } from '../../shared/body/encoding.ts'
import type { Delivery } from '../../shared/model/delivery.ts'

/** The body as text if possible; else Base64, which the format defines for responses only. */
function postDataOf(delivery: Delivery, body: Uint8Array) {
  const { type } = contentType(delivery.headers)
  const rest = {
    mimeType: type === '' ? 'application/octet-stream' : type,
    params: [],
    ...(delivery.truncated
      ? { comment: `Only the first ${body.length} of ${delivery.bodySize} bytes were stored.` }
      : {}),
  }
  try {
    return {
      ...rest,
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body),
    }
  } catch {
    return { ...rest, text: Buffer.from(body).toString('base64'), _encoding: 'base64' }
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function queryOf(path: string) {
  const start = path.indexOf('?')
  if (start < 0) return []
  const pairs = path.slice(start + 1).split('&')
  return pairs
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return { name: decoded(name), value: decoded(value.join('=')) }
    })
}

/** The request URL, as far as the request shows it; always one that URL parsers accept. */
export function addressOf({ headers, path }: Delivery): string {
  if (path !== null && /^https?:\/\//i.test(path) && URL.canParse(path)) return path
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? ''
  const origin = host !== '' && URL.canParse(`https://${host}/`) ? host : '127.0.0.1'
  return `https://${origin}${path?.startsWith('/') === true ? path : '/'}`
}

/** The response's headers and body; without them if they aren't recorded. */
function responseOf({ response }: Delivery) {
  if (response === null)
    return { headers: [], content: { size: 0, mimeType: 'x-unknown' }, bodySize: -1 }
  const size = Buffer.from(response.body, 'base64').length
  const { type } = contentType(response.headers)
  return {
    headers: response.headers.map(([name, value]) => ({ name, value })),
    content: {
      size,
      mimeType: type === '' ? 'x-unknown' : type,
      ...(size === 0 ? {} : { text: response.body, encoding: 'base64' }),
      ...(response.truncated ? { comment: `Only the first ${size} bytes were stored.` } : {}),
    },
    bodySize: response.truncated ? -1 : size,
  }
}

/** Null for a request without a method, which readers of the format reject together with the rest of the file. */
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
      headers: headers.map(([name, value]) => ({ name, value })),
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
      ...(delivery.trailers.length === 0
        ? {}
        : { trailers: delivery.trailers.map(([name, value]) => ({ name, value })) }),
    },
  })
}
