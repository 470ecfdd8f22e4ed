/** Sends requests byte by byte, as no HTTP client would. */
import { readFileSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'

export interface RawConnection {
  readonly socket: Socket
  write(bytes: string | Uint8Array): void
  received(): string
  /** Resolves with the first final status (not 1xx); null if the connection closed without one. */
  status(): Promise<number | null>
  closed: Promise<void>
}

export function statusIn(text: string): number | null {
  const statuses = [...text.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) =>
    Number(status),
  )
  return statuses.find((status) => status >= 200) ?? null
}

function watch(socket: Socket): RawConnection {
  let text = ''
  let ended = false
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  socket.on('error', () => {
    // A reset also closes the connection.
  })
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      ended = true
      resolve()
    })
  })
  return {
    socket,
    write: (bytes) => {
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    },
    received: () => text,
    async status() {
      while (statusIn(text) === null && !ended)
        await Promise.race([closed, new Promise((resolve) => socket.once('data', resolve))])
      return statusIn(text)
    },
    closed,
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

/** Connects with TLS, trusting the CA certificate in `caFile`, or that in `options`. */
export async function connectRaw(
  url: string,
  caFile: string | null,
  options: ConnectionOptions = {},
): Promise<RawConnection> {
  const socket = connectTls({
    host: '127.0.0.1',
    port: portOf(url),
    ca: caFile === null ? [] : readFileSync(caFile),
    ...options,
  })
  const connection = watch(socket)
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve)
    socket.once('error', reject)
  })
  return connection
}

export async function connectPlain(url: string): Promise<RawConnection> {
  const socket = connectTcp({ host: '127.0.0.1', port: portOf(url) })
  const connection = watch(socket)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return connection
}
