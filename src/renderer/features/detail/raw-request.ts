/** The request as it stood on the wire: request line, headers in the order, case and number received, an empty line, the body. */
import type { Delivery, RawHeaders } from '../../../shared/model/delivery.ts'
import { concatenated, fromLatin1 } from '../../ui/bytes.ts'

/** The part before the body; empty where the request was malformed, so that nothing is made up. */
export function requestHead(delivery: Delivery): string {
  if (delivery.method === null) return ''
  return headOf(`${delivery.method} ${delivery.path ?? ''} HTTP/${delivery.httpVersion}`, delivery.headers)
}

/** A first line and headers, with the empty line after them. */
export function headOf(first: string, headers: RawHeaders): string {
  const lines = [first, ...headers.map(([name, value]) => `${name}: ${value}`)]
  return `${lines.join('\r\n')}\r\n\r\n`
}

export function requestBytes(delivery: Delivery, body: Uint8Array): Uint8Array<ArrayBuffer> {
  return concatenated([fromLatin1(requestHead(delivery)), body])
}
