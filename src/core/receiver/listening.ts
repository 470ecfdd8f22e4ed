/** Listens on a port, and closes the connections of a server. */
import { type Server as NetServer, type AddressInfo, createServer, type Socket } from 'node:net'
import { AppError } from '../../shared/contract/errors.ts'

/** Rejects with `PORT_IN_USE`, or with `INVALID_INPUT` if the port can't be used. */
export async function checkPortFree(port: number): Promise<void> {
  const server = createServer()
  await listen(server, '127.0.0.1', port, {
    inUse: () =>
      new AppError(
        'PORT_IN_USE',
        `Port ${port} is in use. Choose another port, or stop the program that uses it.`,
        { details: { port } },
      ),
    other: ({ message }) =>
      new AppError(
        'INVALID_INPUT',
        `Couldn't open port ${port} (${message}). Choose a port from 1024 to 65535.`,
      ),
  })
  await new Promise<void>((resolve) => void server.close(() => resolve()))
}

/** Listens for the receiver; `option` names the port's command-line option in errors. */
export function listenFor(
  server: NetServer,
  host: string,
  port: number,
  option: string,
): Promise<number> {
  return listen(server, host, port, {
    inUse: () =>
      new AppError(
        'PORT_IN_USE',
        `Port ${port} is in use by another program. Stop it, or choose another port with ${option} (0 picks a free one).`,
        { details: { port, host } },
      ),
    other: (cause) =>
      new AppError(
        'RECEIVER_FAILED',
        `The receiver can't listen on ${host}:${port}: ${cause.message}.`,
        { cause },
      ),
  })
}

interface ListenErrors {
  inUse(): AppError
  other(cause: Error): AppError
}

function listen(
  server: NetServer,
  host: string,
  port: number,
  errors: ListenErrors,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? errors.inUse() : errors.other(error)),
    )
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

/**
 * Returns a function that closes all connections, because an HTTPS server waits two minutes for a
 * handshake.
 */
export function watchSockets(server: Pick<NetServer, 'on'>): () => void {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    for (const socket of open) socket.destroy()
  }
}
