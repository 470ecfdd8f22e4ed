/** The endpoints of section 4, as the sandbox serves them, and lists of hooks, which the spec doesn't show. */
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { syntaxErrorWords } from '../../shared/json/scan.ts'
import { headerNames } from '../../shared/service/header-rules.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import { listed } from '../../shared/text/counted.ts'
import type { Log } from '../base/deps.ts'
import { type SandboxAccount, accountOfToken, grantToken, TOKEN_PATH } from './account.ts'
import { ApiError, type ApiErrorCode, apiErrors, errorBody } from './api-error.ts'
import type { RequestedHookFields, HookRegistry } from './hook-registry.ts'
import { equalBytes } from '../signature/verify.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { LINGER_MS, watchSockets } from '../receiver/server.ts'
import { type ClientError, reasonOf, statusOf } from '../receiver/request.ts'
import { STATUS_CODES } from '../base/node-http.ts'

interface ApiDeps {
  readonly accounts: readonly SandboxAccount[]
  prefixOf(mode: Mode): string
  readonly hooks: HookRegistry
  readonly log: Log
  /** Wall clock: tokens expire by it. */
  now(): number
}

export function addRoutes(server: FastifyInstance<Server>, deps: ApiDeps): void {
  const caller = (request: FastifyRequest): SandboxAccount => {
    const token = bearerOf(request)
    if (token !== undefined) return accountOfToken(deps.accounts, token, deps.now())
    return authenticate(deps, request)
  }

  // Parsed here instead of by the framework: a DELETE may have the content type without a body, and errors share one shape.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => {
    const text = body.toString()
    try {
      done(null, text === '' ? undefined : (JSON.parse(text) as unknown))
    } catch {
      done(new ApiError('invalid-request', `The body isn't JSON: ${syntaxErrorWords(text)}.`))
    }
  })

  // Token endpoints elsewhere accept forms too.
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (request, body, done) => {
      if (request.url.startsWith(TOKEN_PATH))
        done(null, Object.fromEntries(new URLSearchParams(body.toString())))
      else done(unsupportedType())
    },
  )

  // Before the body is read: clients without a key learn nothing about its errors.
  server.addHook('onRequest', async (request) => {
    // HTTP/1.1 requires it; Node's own response would have no body.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new ApiError('invalid-request', 'Missing header Host (HTTP/1.1).')
    if (!request.is404 && request.routeOptions.url !== TOKEN_PATH) caller(request)
  })

  server.post(TOKEN_PATH, async (request) =>
    grantToken(deps.accounts, fieldsOf(request), deps.now()),
  )
  server.get('/v1/hooks', (request) => ({ hooks: deps.hooks.list(caller(request), null) }))
  server.get<{ Params: { id: string } }>('/v1/programs/:id/hooks', (request) => ({
    hooks: deps.hooks.list(caller(request), request.params.id),
  }))
  server.post('/v1/hooks', async (request, reply) => {
    reply.code(201)
    return deps.hooks.create(caller(request), null, fieldsOf(request))
  })
  server.post<{ Params: { id: string } }>('/v1/programs/:id/hooks', async (request, reply) => {
    reply.code(201)
    return deps.hooks.create(caller(request), request.params.id, fieldsOf(request))
  })
  server.put<{ Params: { id: string } }>('/v1/hooks/:id', async (request) =>
    deps.hooks.update(caller(request), request.params.id, fieldsOf(request)),
  )
  server.delete<{ Params: { id: string } }>('/v1/hooks/:id', async (request) => {
    await deps.hooks.remove(caller(request), request.params.id)
    return { id: request.params.id, deleted: true }
  })

  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    sendError(
      reply,
      new ApiError('not-found', `Unknown endpoint ${request.method} ${path} (spec 4.1).`),
    )
  })
  server.setErrorHandler((error, request, reply) => {
    const known = toApiError(error)
    if (known.code === 'internal') deps.log.bug(error, `sandbox: ${request.method} ${request.url}`)
    sendError(reply, known)
  })
}

function sendError(reply: FastifyReply, error: ApiError): void {
  void reply.code(apiErrors[error.code].status).send(errorBody(error))
}

function fieldsOf(request: FastifyRequest): RequestedHookFields {
  const { body } = request
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body }
  throw new ApiError('invalid-request', 'The body must be a JSON object.')
}

/** Requests that the framework rejects itself, in this API's words. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode
  if (status === apiErrors['unsupported-type'].status) return unsupportedType()
  if (typeof status === 'number' && status >= 400 && status < 500)
    return rejection(status, `Can't read the request: ${(error as Error).message}.`)
  return new ApiError('internal', apiErrors.internal.meaning)
}

/** The error for a rejection's status; by default `invalid-request` with the message. */
function rejection(status: number, message: string): ApiError {
  const code = (Object.keys(apiErrors) as ApiErrorCode[]).find(
    (each) => apiErrors[each].status === status,
  )
  return code === undefined || code === 'invalid-request'
    ? new ApiError('invalid-request', message)
    : new ApiError(code, apiErrors[code].meaning)
}

/** Responds to a request that Node's parser rejects: it never reaches a route. */
function rejectUnreadable(error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const known = rejection(statusOf(error), reasonOf(error))
  const { status } = apiErrors[known.code]
  const body = JSON.stringify(errorBody(known))
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function unsupportedType(): ApiError {
  return new ApiError('unsupported-type', 'Set the header content-type: application/json (spec 4).')
}

/** The token of a request. Section 5.3 names the header `Authentication`; the usual `Authorization` works too. */
function bearerOf({ headers }: FastifyRequest): string | undefined {
  const value = textOf(headers['authentication']) ?? textOf(headers.authorization)
  return /^Bearer +(\S+)$/i.exec(value ?? '')?.[1]
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The account for a key in its own header. Throws `not-authenticated` with the reason. */
function authenticate(
  { accounts, prefixOf }: Pick<ApiDeps, 'accounts' | 'prefixOf'>,
  { headers }: FastifyRequest,
): SandboxAccount {
  const given = accounts.map((account) => {
    const name = headerNames(prefixOf(account.mode)).key
    return { account, name, value: textOf(headers[name]) ?? '' }
  })
  if (given.every(({ value }) => value === '')) {
    const names = listed([...new Set(given.map(({ name }) => name))], 'or')
    throw new ApiError(
      'not-authenticated',
      `Missing header ${names}. Send it with the environment's secret key (spec 5.1).`,
    )
  }
  const known = given.find(
    ({ account: { secretKey }, value }) => secretKey !== '' && equalBytes(secretKey, value),
  )
  if (known !== undefined) return known.account
  if (given.some(({ value }) => value.startsWith('pk'))) {
    throw new ApiError(
      'not-authenticated',
      'This is a public key (pk…). Use the secret key (sk…) to authenticate requests (spec 5.1).',
    )
  }
  throw new ApiError('not-authenticated', "Unknown key. Copy the environment's secret key (sk…).")
}

// The HTTPS server of the sandbox: HTTP/1.1 with this computer's certificate, reachable only as configured.

interface SandboxServerOptions {
  readonly host: string
  readonly port: number
  certificate(): { key: string; cert: string }
  /** Adds the routes. */
  readonly routes: (server: FastifyInstance<Server>) => void
}

/** How often the certificate is requested again, in milliseconds: it is renewed weeks before it expires. */
const CERTIFICATE_EVERY_MS = 3_600_000
const BODY_LIMIT = 262_144
const HEADER_LIMIT = 16_384

/** Starts listening. Rejects with `PORT_IN_USE`, or with the system's error. */
export async function startServer(options: SandboxServerOptions) {
  const server = fastify({
    https: {
      ...options.certificate(),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2' as const,
      maxHeaderSize: HEADER_LIMIT,
      requireHostHeader: false,
    },
    bodyLimit: BODY_LIMIT,
    // The framework's 503 while closing would have another body.
    return503OnClosing: false,
    // Called outside of the routes, for URLs that can't be routed.
    frameworkErrors: (error, _, reply) => sendError(reply, toApiError(error)),
    clientErrorHandler: (error: Error, socket) => rejectUnreadable(error, socket),
    requestTimeout: 30_000,
    // A client that keeps its connection open doesn't delay closing.
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: false },
  })
  // Node would respond 417 without a body; the server may ignore an expectation that it doesn't know.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
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
  const renewal = setInterval(
    () => server.server.setSecureContext(options.certificate()),
    CERTIFICATE_EVERY_MS,
  )
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
    `Port ${port} is in use by another program. Stop it, or pick a free port with "countersign serve --sandbox-port 0".`,
    { details: { port, host }, cause: error },
  )
}
