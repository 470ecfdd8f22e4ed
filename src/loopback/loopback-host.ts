/**
 * Serves the renderer to browsers with a one-time link, and the contract over a WebSocket. All
 * checks are here, in one order: host, token, session, route.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from '../core/base/node-http.ts'
import type { Core } from '../core/app/core.ts'
import { AppError } from '../shared/contract/errors.ts'
import { urlHost } from '../shared/http.ts'
import type { BindAddress } from './bind-address.ts'
import { createRoutes, isTopLevelNavigation, type Route } from './routes.ts'
import type { Bundle } from './bundle.ts'
import { createHostPolicy, type HostPolicy } from './host-policy.ts'
import {
  sendReopenPage,
  refuseHost,
  refuseSession,
  refuseUnknown,
  SECURITY_HEADERS,
} from './refusals.ts'
import { createRpcSocket } from './rpc-socket.ts'
import { Sessions, type SessionSources } from './sessions.ts'

type Server = ReturnType<typeof createServer>

/** Milliseconds to send a request, which is only headers. */
const REQUEST_TIMEOUT_MS = 10_000

export interface LoopbackHostOptions extends SessionSources {
  readonly core: Pick<Core, 'connect' | 'blockPort'>
  readonly bundle: Bundle
  readonly bind: BindAddress
  /** Port to listen on; 0 picks a free one. */
  readonly port: number
  /** Additional hosts with ports from `--allow-ui-host`. */
  readonly allowedHosts: readonly string[]
  /** Called with the token of a link that was used. */
  readonly onOpened?: (token: string) => void
}

function listen(server: Server, address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = `${urlHost(address)}:${port}`
      if (error.code === 'EADDRINUSE') {
        const message = `Couldn't start the app on ${where}: the port is in use. Choose another with --ui-port (0 picks a free one).`
        reject(
          new AppError('PORT_IN_USE', message, {
            details: { address, port, option: '--ui-port' },
            cause: error,
          }),
        )
      } else {
        const message = `Couldn't start the app on ${where} (${error.message}). Choose another IP address or port with --host and --ui-port.`
        reject(new AppError('PORT_IN_USE', message, { details: { address }, cause: error }))
      }
    })
    server.listen({ host: address, port, exclusive: true }, () => {
      const bound = server.address()
      resolve(bound !== null && typeof bound === 'object' ? bound.port : port)
    })
  })
}

function cookieOf(request: IncomingMessage, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}

/** Running host, whose server listens until `close`. */
export class LoopbackHost {
  readonly port: number
  /** `http://127.0.0.1:PORT`, without a token. */
  readonly origin: string
  readonly #server: Server
  readonly #policy: HostPolicy
  readonly #sessions: Sessions
  readonly #routes: readonly Route[]
  readonly #socket: ReturnType<typeof createRpcSocket>
  readonly #options: LoopbackHostOptions

  constructor(options: LoopbackHostOptions, server: Server, port: number) {
    const { core, bundle, bind, allowedHosts } = options
    this.#options = options
    this.#server = server
    this.port = port
    this.origin = `http://${urlHost(bind.address)}:${port}`
    const policy = createHostPolicy(bind, port, allowedHosts)
    const sessions = new Sessions(options)
    this.#policy = policy
    this.#sessions = sessions
    this.#routes = createRoutes(bundle, policy, sessions)
    this.#socket = createRpcSocket({ core, policy, sessions, sessionOf: this.#sessionOf })
    server.on('request', this.#answer)
    // Node would respond to these two before any check.
    server.on('checkContinue', this.#answer)
    server.on('checkExpectation', this.#answer)
    server.on('upgrade', (request, stream, head) => this.#socket.upgrade(request, stream, head))
  }

  readonly #answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (!this.#policy.allowsHost(request)) {
      refuseHost(response)
      return
    }
    const target = request.url ?? '/'
    const [path] = target.split('?', 1)
    const token = new URLSearchParams(target.slice(path?.length)).get('token')
    if (request.method === 'GET' && path === '/' && token !== null) {
      this.#admitByToken(response, token)
      return
    }
    const session = this.#sessionOf(request)
    if (session === null) {
      const isForeignLink =
        request.headers['sec-fetch-site'] === 'cross-site' && isTopLevelNavigation(request)
      if (isForeignLink && target === '/') sendReopenPage(response)
      else refuseSession(response)
      return
    }
    const pathRoutes = this.#routes.filter((route) => route.path === path)
    const route = pathRoutes.find(
      ({ method }) => method === request.method || (method === 'GET' && request.method === 'HEAD'),
    )
    if (route === undefined) refuseUnknown(response, pathRoutes.length > 0 ? 405 : 404)
    else route.answer({ request, response, session })
  }

  readonly #sessionOf = (request: IncomingMessage) =>
    this.#sessions.find(cookieOf(request, this.#cookieName))

  /** Name with the port, because cookies ignore ports: two Countersigns must not share one. */
  get #cookieName(): string {
    return `countersign-${this.port}`
  }

  #admitByToken(response: ServerResponse, token: string): void {
    const cookie = this.#sessions.redeemToken(token)
    if (cookie === null) {
      refuseSession(response)
      return
    }
    this.#options.onOpened?.(token)
    // Browsers keep the fragment, which has the key.
    response.writeHead(303, {
      ...SECURITY_HEADERS,
      Location: '/',
      'Set-Cookie': `${this.#cookieName}=${cookie}; Path=/; HttpOnly; SameSite=Strict`,
      'Content-Length': 0,
    })
    response.end()
  }

  issueAddress(lifetimeMs: number): string {
    const { token, key } = this.#sessions.issueLink(lifetimeMs)
    return `${this.origin}/?token=${token}#key=${key}`
  }

  signOut(kept: string | null): void {
    this.#sessions.signOut(kept)
    this.#socket.closeOthers(kept)
  }

  /** Routes for the test that requests each without a session. */
  get routes(): readonly Pick<Route, 'method' | 'path'>[] {
    return this.#routes.map(({ method, path }) => ({ method, path }))
  }

  async close(): Promise<void> {
    this.#socket.close()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
    await this.#options.store?.close()
  }
}

/** Starts a host. Rejects with `PORT_IN_USE`, or `INVALID_INPUT` for an invalid host. */
export async function createLoopbackHost(options: LoopbackHostOptions): Promise<LoopbackHost> {
  const { core, bind, allowedHosts } = options
  // Node must not reject a request without a Host header before our own check.
  const server = createServer({
    requireHostHeader: false,
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
  })
  // Created before the port opens, so that an invalid --allow-ui-host leaves nothing behind.
  createHostPolicy(bind, options.port, allowedHosts)
  const port = await listen(server, bind.address, options.port)
  core.blockPort(port)
  return new LoopbackHost(options, server, port)
}
