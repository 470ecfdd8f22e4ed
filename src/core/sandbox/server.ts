/** The HTTPS server of the sandbox: HTTP/1.1 under this machine's certificate, and no further than it was told to listen. */
import type { Server } from 'node:https'
import { fastify, type FastifyInstance } from 'fastify'
import { AppError } from '../../shared/contract/errors.ts'
import { watchSockets } from '../receiver/open-sockets.ts'

export interface SandboxServerOptions {
  readonly host: string
  readonly port: number
  certificate(): { key: string; cert: string }
  /** Adds the routes. */
  readonly routes: (server: FastifyInstance<Server>) => void
}

export interface SandboxServer {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** How often the certificate is asked for again, in milliseconds: it is renewed weeks before its end. */
const CERTIFICATE_EVERY_MS = 3_600_000
const BODY_LIMIT = 262_144

/** Starts to listen. Rejects with `PORT_IN_USE`, or with what else the system says. */
export async function startServer(options: SandboxServerOptions): Promise<SandboxServer> {
  const server = fastify({
    https: { ...options.certificate(), ALPNProtocols: ['http/1.1'], minVersion: 'TLSv1.2' as const },
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    // A client that keeps its connection open does not hold up the end.
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: false },
  })
  options.routes(server)
  const endConnections = watchSockets(server.server)
  try {
    await server.listen({ host: options.host, port: options.port })
  } catch (error) {
    await server.close()
    throw listenError(error, options)
  }
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  const renewal = setInterval(() => {
    server.server.setSecureContext(options.certificate())
  }, CERTIFICATE_EVERY_MS)
  renewal.unref()
  return {
    url: `https://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    port,
    async close() {
      clearInterval(renewal)
      const closed = server.close()
      endConnections()
      await closed
    },
  }
}

function listenError(error: unknown, { host, port }: SandboxServerOptions): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'EADDRINUSE') return error
  return new AppError(
    'PORT_IN_USE',
    `The sandbox's port ${port} is taken by another program. Stop that program, or pick a free port with "countersign serve --sandbox-port 0".`,
    { details: { port, host }, cause: error },
  )
}
