/**
 * Skips interim responses (100, 102, 103) that the request didn't ask for. A client must be able to read them (RFC 9110, section
 * 15.2), and undici closes the connection at a 100. A 101 isn't skipped: after it, the connection speaks something else.
 */
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/
/** An interim response longer than this is left to the client, which rejects it. */
const MOST_BYTES = 16_384

/** The number of bytes of interim responses at the start; null if more bytes are needed to tell. */
function interimBytes(bytes: Buffer): number | null {
  let length = 0
  for (;;) {
    const text = bytes.toString('latin1', length, length + MOST_BYTES)
    if (!INTERIM.test(text))
      return text !== '' && INTERIM.test(text + 'HTTP/1.1 100'.slice(text.length)) ? null : length
    const end = /\r?\n\r?\n/.exec(text)
    if (end === null) return text.length < MOST_BYTES ? null : length
    length += end.index + end[0].length
  }
}

/** Removes interim responses from what the socket reads between a write and the head of the final response. */
export function skipInterim<Kind extends Socket>(socket: Kind): Kind {
  const read = socket.read.bind(socket) as () => Buffer | null
  const write = socket.write.bind(socket)
  let isAwaitingHead = false
  let held: Buffer = Buffer.alloc(0)
  return Object.assign(socket, {
    write(...parameters: Parameters<Socket['write']>) {
      isAwaitingHead = true
      return write(...parameters)
    },
    read(): Buffer | null {
      for (;;) {
        const chunk = read()
        if (chunk === null || !isAwaitingHead) return chunk
        held = Buffer.concat([held, chunk])
        const length = interimBytes(held)
        if (length === null) continue
        const rest = held.subarray(length)
        held = Buffer.alloc(0)
        if (rest.length === 0) continue
        isAwaitingHead = false
        return rest
      }
    },
  })
}

/** A connector whose sockets skip interim responses. */
export function skippingInterim(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result: Parameters<buildConnector.Callback>) => {
      const [error, socket] = result
      if (error === null) callback(null, skipInterim(socket))
      else callback(error, null)
    })
}
