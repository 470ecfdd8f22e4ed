/**
 * Skips interim responses (RFC 9110, section 15.2), because undici closes the connection at a 100.
 * Removes them from what the socket reads after each request, until the final response.
 */
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { maxHeaderSize } from '../../base/node-http.ts'
import { MAX_INTERIM, TOO_MANY_INTERIM } from './send-failure.ts'

/** Beginning of an interim response, such as `HTTP/1.1 103`; undici explains a 101. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/

/** Bytes above which an interim response is left to the client. */
const MAX_INTERIM_BYTES = 16_384

/** Maximum bytes of a response's head, even if names and values have one character each. */
const MAX_HEAD_BYTES = 4 * maxHeaderSize
const HEAD_END = '\r\n\r\n'

/** Returns the length of an interim response at the start, or 0; null if more bytes are needed. */
function interimLength(bytes: Buffer): number | null {
  const text = bytes.toString('latin1', 0, MAX_INTERIM_BYTES)
  if (!INTERIM.test(text)) return INTERIM.test(text + 'HTTP/1.1 100'.slice(text.length)) ? null : 0
  const end = /\r?\n\r?\n/.exec(text)
  if (end === null) return text.length < MAX_INTERIM_BYTES ? null : 0
  return end.index + end[0].length
}

function skipInterim<Kind extends Socket>(socket: Kind): Kind {
  const read = socket.read.bind(socket) as () => Buffer | null
  const write = socket.write.bind(socket)
  let reading: 'interim responses' | 'head' | 'body' = 'body'
  let held: Buffer = Buffer.alloc(0)
  let skipped = 0
  let headBytes = 0

  const giveUp = (code: string) => {
    socket.destroy(Object.assign(new Error('The response has no end.'), { code }))
    return null
  }

  function afterInterim(chunk: Buffer): Buffer | null {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    for (;;) {
      const length = held.length === 0 ? null : interimLength(held)
      if (length === null) return null
      if (length === 0) break
      held = held.subarray(length)
      if (++skipped > MAX_INTERIM) return giveUp(TOO_MANY_INTERIM)
    }
    const rest = held
    held = Buffer.alloc(0)
    reading = 'head'
    return rest
  }

  function inHead(chunk: Buffer): Buffer | null {
    headBytes += chunk.length
    const end = Buffer.concat([held, chunk]).indexOf(HEAD_END)
    held = end === -1 ? Buffer.concat([held, chunk]).subarray(1 - HEAD_END.length) : Buffer.alloc(0)
    if (end !== -1) reading = 'body'
    else if (headBytes > MAX_HEAD_BYTES) return giveUp('UND_ERR_HEADERS_OVERFLOW')
    return chunk
  }

  return Object.assign(socket, {
    write(...parameters: Parameters<Socket['write']>) {
      // The client writes a request's head as text.
      if (typeof parameters[0] === 'string' && parameters[0].includes(' HTTP/1.1\r\n')) {
        reading = 'interim responses'
        held = Buffer.alloc(0)
        skipped = 0
        headBytes = 0
      }
      return write(...parameters)
    },
    read(): Buffer | null {
      for (;;) {
        const chunk = read()
        if (chunk === null || reading === 'body') return chunk
        const rest = reading === 'head' ? chunk : afterInterim(chunk)
        if (rest !== null) return inHead(rest)
        if (socket.destroyed) return null
      }
    },
  })
}

export function skippingInterim(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result: Parameters<buildConnector.Callback>) => {
      const [error, socket] = result
      if (error === null) callback(null, skipInterim(socket))
      else callback(error, null)
    })
}
