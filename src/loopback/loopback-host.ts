/**
 * The app in the browser: an HTTP server on loopback that serves the renderer to browsers with a one-time link, and the contract
 * over a WebSocket. All checks are here, in one order: host, token, session, route.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from '../core/base/node-http.ts'
import type { Core } from '../core/app/core.ts'
import { AppError } from '../shared/contract/errors.ts'
import { urlHost } from '../shared/http.ts'
import type { BindAddress } from './bind-address.ts'
import { type Bundle, createRoutes, isTopLevelNavigation, type Route } from './routes.ts'
import { createHostPolicy } from './host-policy.ts'
import { askAgain, refuseHost, refuseSession, refuseUnknown, SECURITY_HEADERS } from './refusals.ts'
import { createRpcSocket } from './rpc-socket.ts'
import { Sessions, type SessionSources } from './sessions.ts'

/** Milliseconds to send a request, which is only headers. Browsers are faster. */
const REQUEST_TIMEOUT_MS = 10_000

export interface LoopbackHostOptions extends SessionSources {
  readonly core: Pick<Core, 'connect' | 'keepFromSends'>
  readonly bundle: Bundle
  readonly bind: BindAddress
  /** 0 picks a free port. */
  readonly port: number
  /** Additional hosts with ports from `--allow-ui-host`. */
  readonly allowedHosts: readonly string[]
  /** Called with the token of a link that was used. */
  readonly onOpened?: (token: string) => void
}

export interface LoopbackHost {
  readonly port: number
  /** `http://127.0.0.1:PORT`, without a token. */
  readonly origin: string
  /** Creates a link that opens the app once, within `lifetimeMs`. */
  issueAddress(lifetimeMs: number): string
  /** Ends all sessions but the one with the ID `kept`. */
  signOut(kept: string | null): void
  /** All routes, for the test that requests each without a session. */
  readonly routes: readonly Pick<Route, 'method' | 'path'>[]
  close(): Promise<void>
}

function listen(
  server: ReturnType<typeof createServer>,
  address: string,
  port: number,
): Promise<number> {
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

/** The first value of a cookie. */
function cookieOf(request: IncomingMessage, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}

/** Listens until `close`. Rejects with `PORT_IN_USE`, or with `INVALID_INPUT` for an invalid allowed host. */
export async function createLoopbackHost(options: LoopbackHostOptions): Promise<LoopbackHost> {
  const { core, bundle, bind, allowedHosts } = options
  // Our own check must see a request without a Host header; Node would otherwise reject it first.
  const server = createServer({
    requireHostHeader: false,
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
  })
  // Created before the port opens, so that an invalid --allow-ui-host leaves nothing behind.
  createHostPolicy(bind, options.port, allowedHosts)
  const port = await listen(server, bind.address, options.port)
  core.keepFromSends(port)

  const policy = createHostPolicy(bind, port, allowedHosts)
  const sessions = new Sessions(options)
  const routes = createRoutes(bundle, policy, sessions)
  // Cookies ignore ports, so the name contains the port: two Countersigns don't sign each other out.
  const cookieName = `countersign-${port}`
  const sessionOf = (request: IncomingMessage) => sessions.find(cookieOf(request, cookieName))
  const socket = createRpcSocket({ core, policy, sessions, sessionOf })

  const admitByToken = (response: ServerResponse, token: string) => {
    const cookie = sessions.redeemToken(token)
    if (cookie === null) {
      refuseSession(response)
      return
    }
    options.onOpened?.(token)
    // Browsers keep the fragment, which has the key.
    response.writeHead(303, {
      ...SECURITY_HEADERS,
      Location: '/',
      'Set-Cookie': `${cookieName}=${cookie}; Path=/; HttpOnly; SameSite=Strict`,
      'Content-Length': 0,
    })
    response.end()
  }

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (!policy.allowsHost(request)) {
      refuseHost(response)
      return
    }
    const target = request.url ?? '/'
    const [path] = target.split('?', 1)
    const token = new URLSearchParams(target.slice(path?.length)).get('token')
    if (request.method === 'GET' && path === '/' && token !== null) {
      admitByToken(response, token)
      return
    }
    const session = sessionOf(request)
    if (session === null) {
      const ledHere =
        request.headers['sec-fetch-site'] === 'cross-site' && isTopLevelNavigation(request)
      if (ledHere && target === '/') askAgain(response)
      else refuseSession(response)
      return
    }
    const here = routes.filter((route) => route.path === path)
    const route = here.find(
      ({ method }) => method === request.method || (method === 'GET' && request.method === 'HEAD'),
    )
    if (route === undefined) refuseUnknown(response, here.length > 0 ? 405 : 404)
    else route.answer({ request, response, session })
  }

  server.on('request', answer)
  // Node would respond to these two itself, before any check.
  server.on('checkContinue', answer)
  server.on('checkExpectation', answer)
  server.on('upgrade', (request, stream, head) => socket.upgrade(request, stream, head))

  const origin = `http://${urlHost(bind.address)}:${port}`
  return {
    port,
    origin,
    issueAddress(lifetimeMs) {
      const { token, key } = sessions.issueLink(lifetimeMs)
      return `${origin}/?token=${token}#key=${key}`
    },
    signOut(kept) {
      sessions.signOut(kept)
      socket.closeOthers(kept)
    },
    routes: routes.map(({ method, path }) => ({ method, path })),
    async close() {
      socket.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      await options.store?.close()
    },
  }
}
