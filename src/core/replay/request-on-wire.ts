/** A request as it stands on the wire: with what the client adds to it at its connection. */
import type { RawHeaders } from '../../shared/model/delivery.ts'

/** Methods that announce a body also where they have none (RFC 9110, section 8.6). */
const expectsBody = new Set(['PUT', 'POST', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH'])

export function headersOnWire(
  target: URL,
  method: string,
  { headers, body }: { readonly headers: RawHeaders; readonly body: Uint8Array },
): RawHeaders {
  const length: RawHeaders = body.length > 0 || expectsBody.has(method) ? [['content-length', String(body.length)]] : []
  return [['host', target.host], ['connection', 'close'], ...headers, ...length]
}
