/** Serves the sandbox's API over HTTPS: section 4, and lists of hooks (see `docs/sandbox.md`). */
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { AppError } from '../../shared/contract/errors.ts'
import { syntaxErrorWords } from '../../shared/json/scan.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import { listed } from '../../shared/text/english.ts'
import { STATUS_CODES } from '../base/node-http.ts'
import { LINGER_MS } from '../receiver/connection-handler.ts'
import { watchSockets } from '../receiver/listening.ts'
import { type ClientError, reasonOf, statusOf } from '../receiver/malformed-reasons.ts'
import { equalBytes } from '../signature/verify.ts'
import type { SandboxAccount, SandboxService } from './service.ts'
import { ApiError, apiErrors, errorBody, apiErrorOfStatus } from './api-errors.ts'
import type { Fields, HookRegistry } from './hook-registry.ts'

const notAuthenticated = (message: string) => new ApiError('not-authenticated', message)

/** Returns the account of a key (section 5.1). Throws `not-authenticated`. */
function authenticate(service: SandboxService, { headers }: FastifyRequest): SandboxAccount {
  const keys = service.accounts.map((account) => {
    const name = headerNames(service.prefixOf(account.mode)).key
    const value = headers[name]
    return { account, name, value: typeof value === 'string' ? value : '' }
  })
  if (keys.every(({ value }) => value === '')) {
    const names = listed([...new Set(keys.map(({ name }) => name))], 'or')
    throw notAuthenticated(
      `Missing header ${names}. Send it with the environment's secret key (spec 5.1).`,
    )
  }
  const match = keys.find(
    ({ account: { secretKey }, value }) => secretKey !== '' && equalBytes(secretKey, value),
  )
  if (match !== undefined) return match.account
  if (keys.some(({ value }) => value.startsWith('pk'))) {
    throw notAuthenticated(
      'This is a public key (pk…). Use the secret key (sk…) to authenticate requests (spec 5.1).',
    )
  }
  throw notAuthenticated("Unknown key. Copy the environment's secret key (sk…).")
}

function addRoutes(
  server: FastifyInstance<Server>,
  service: SandboxService,
  hooks: HookRegistry,
): void {
  // A DELETE may have the content type without a body.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => {
    const text = body.toString()
    try {
      done(null, text === '' ? undefined : (JSON.parse(text) as unknown))
    } catch {
      done(new ApiError('invalid-request', `The body isn't JSON: ${syntaxErrorWords(text)}.`))
    }
  })

  // Before the body is read: clients without a key learn nothing about its errors.
  server.addHook('onRequest', async (request) => {
    // HTTP/1.1 requires a Host header, and Node's own rejection has no body.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new ApiError('invalid-request', 'Missing header Host (HTTP/1.1).')
    if (!request.is404) authenticate(service, request)
  })

  const route = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    work: (account: SandboxAccount, id: string, request: FastifyRequest) => unknown,
    status = 200,
  ) =>
    server.route<{ Params: { id: string } }>({
      method,
      url,
      handler(request, reply) {
        reply.code(status)
        return work(authenticate(service, request), request.params.id, request)
      },
    })
  route('GET', '/v1/hooks', (account) => ({ hooks: hooks.list(account, null) }))
  route('GET', '/v1/programs/:id/hooks', (account, id) => ({ hooks: hooks.list(account, id) }))
  route(
    'POST',
    '/v1/hooks',
    (account, _, request) => hooks.create(account, null, fieldsOf(request)),
    201,
  )
  route(
    'POST',
    '/v1/programs/:id/hooks',
    (account, id, request) => hooks.create(account, id, fieldsOf(request)),
    201,
  )
  route('PUT', '/v1/hooks/:id', (account, id, request) =>
    hooks.update(account, id, fieldsOf(request)),
  )
  route('DELETE', '/v1/hooks/:id', async (account, id) => {
    await hooks.remove(account, id)
    return { id, deleted: true }
  })

  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    sendError(
      reply,
      new ApiError('not-found', `Unknown endpoint ${request.method} ${path} (spec 4.1).`),
    )
  })
  server.setErrorHandler((error, request, reply) => {
    const apiError = toApiError(error)
    if (apiError.code === 'internal')
      service.log.bug(error, `sandbox: ${request.method} ${request.url}`)
    sendError(reply, apiError)
  })
}

function sendError(reply: FastifyReply, error: ApiError): void {
  void reply.code(apiErrors[error.code].status).send(errorBody(error))
}

function fieldsOf({ body }: FastifyRequest): Fields {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body }
  throw new ApiError('invalid-request', 'The body must be a JSON object.')
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode
  if (status === apiErrors['unsupported-type'].status) return unsupportedType()
  if (typeof status === 'number' && status >= 400 && status < 500)
    return apiErrorOfStatus(status, `Can't read the request: ${(error as Error).message}.`)
  return new ApiError('internal', apiErrors.internal.meaning)
}

/** Responds to a request that Node's parser rejects. */
function rejectUnreadable(error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const apiError = apiErrorOfStatus(statusOf(error), reasonOf(error))
  const { status } = apiErrors[apiError.code]
  const body = JSON.stringify(errorBody(apiError))
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

/** Interval in milliseconds in which the certificate is loaded again, because it may be renewed. */
const CERTIFICATE_INTERVAL_MS = 3_600_000
const MAX_BODY_BYTES = 262_144
const MAX_HEADER_BYTES = 16_384
const REQUEST_TIMEOUT_MS = 30_000

/** Starts listening. Rejects with `PORT_IN_USE`, or with the system's error. */
export async function startApi(service: SandboxService, hooks: HookRegistry) {
  const { tls, host } = service
  const server = fastify({
    https: {
      ...tls.certificate(),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2' as const,
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
    },
    bodyLimit: MAX_BODY_BYTES,
    // The framework's 503 while closing has another body.
    return503OnClosing: false,
    // Called for URLs that can't be routed.
    frameworkErrors: (error, _, reply) => sendError(reply, toApiError(error)),
    clientErrorHandler: (error: Error, socket) => rejectUnreadable(error, socket),
    requestTimeout: REQUEST_TIMEOUT_MS,
    // An open connection must not delay closing.
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: false },
  })
  // Node's response 417 has no body, and servers may ignore expectations.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
  addRoutes(server, service, hooks)
  const endConnections = watchSockets(server.server)
  try {
    await server.listen({ host, port: service.port })
  } catch (error) {
    await server.close()
    throw listenError(error, service)
  }
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : service.port
  const renewal = setInterval(
    () => server.server.setSecureContext(tls.certificate()),
    CERTIFICATE_INTERVAL_MS,
  )
  renewal.unref()
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    async close() {
      clearInterval(renewal)
      const closing = server.close()
      endConnections()
      await closing
    },
  }
}

function listenError(error: unknown, { host, port }: SandboxService): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'EADDRINUSE') return error
  return new AppError(
    'PORT_IN_USE',
    `Port ${port} is in use by another program. Stop it, or pick a free port with "countersign serve --sandbox-port 0".`,
    { details: { port, host }, cause: error },
  )
}
