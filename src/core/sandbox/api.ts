/**
 * The API of the sandbox: the endpoints of section 4, and lists of hooks, which the spec doesn't
 * show (`docs/sandbox.md` has these choices), over HTTPS with this computer's certificate.
 */
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { AppError } from '../../shared/contract/errors.ts'
import { syntaxErrorWords } from '../../shared/json/scan.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import { hookKindOf } from '../../shared/service/event-type.ts'
import { headerNames } from '../../shared/service/header-rules.ts'
import { hookFinding, originOf, type HookFinding } from '../../shared/service/hook-finding.ts'
import { checkHook, checkUpdateFields, type WantedHook } from '../../shared/service/hook-rules.ts'
import { listed } from '../../shared/text/counted.ts'
import { createMutex } from '../base/async.ts'
import { STATUS_CODES } from '../base/node-http.ts'
import { findCertificateProblem, trustedAuthorities } from '../outgoing/send.ts'
import { LINGER_MS, watchSockets } from '../receiver/server.ts'
import { type ClientError, reasonOf, statusOf } from '../receiver/request.ts'
import { equalBytes } from '../signature/verify.ts'
import type { Deliveries } from './deliveries.ts'
import { trustCommand, type HookRecord, type SandboxAccount, type Service } from './records.ts'
import { ACCOUNT_ID, createRandom, ensureOffer, ensureProgram, iso } from './world.ts'

/** Every code of an error body, with its status and meaning. */
export const apiErrors = {
  'invalid-request': {
    status: 400,
    meaning:
      "The request isn't valid HTTP, or its body is missing, is not JSON, or is not an object.",
  },
  'not-authenticated': {
    status: 401,
    meaning: 'The key header is missing, holds the public key, or holds an unknown key.',
  },
  'not-found': {
    status: 404,
    meaning: "Endpoint, hook, program or offer not found in the key's mode.",
  },
  'timed-out': { status: 408, meaning: "The request didn't arrive completely within 30 seconds." },
  'body-too-large': { status: 413, meaning: 'The body is larger than 256 KiB.' },
  'url-too-long': { status: 414, meaning: 'An id in the URL has more than 100 characters.' },
  'unsupported-type': { status: 415, meaning: "The content type isn't application/json." },
  'invalid-hook': {
    status: 422,
    meaning: 'The hook violates registration rules; `findings` lists each with its section.',
  },
  'headers-too-large': { status: 431, meaning: 'The headers are larger than 16 KiB.' },
  internal: { status: 500, meaning: 'The sandbox failed. Its log has the details.' },
} as const satisfies Record<string, { status: number; meaning: string }>

type ApiErrorCode = keyof typeof apiErrors

class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly findings: readonly HookFinding[]

  constructor(code: ApiErrorCode, message: string, findings: readonly HookFinding[] = []) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.findings = findings
  }
}

const notAuthenticated = (message: string) => new ApiError('not-authenticated', message)

function errorBody({ code, message, findings }: ApiError): object {
  return { error: { code, message, findings } }
}

/**
 * Returns the account for a key in its own header (section 5.1). Throws `not-authenticated` with
 * the reason.
 */
function authenticate(service: Service, { headers }: FastifyRequest): SandboxAccount {
  const given = service.accounts.map((account) => {
    const name = headerNames(service.prefixOf(account.mode)).key
    const value = headers[name]
    return { account, name, value: typeof value === 'string' ? value : '' }
  })
  if (given.every(({ value }) => value === '')) {
    const names = listed([...new Set(given.map(({ name }) => name))], 'or')
    throw notAuthenticated(
      `Missing header ${names}. Send it with the environment's secret key (spec 5.1).`,
    )
  }
  const known = given.find(
    ({ account: { secretKey }, value }) => secretKey !== '' && equalBytes(secretKey, value),
  )
  if (known !== undefined) return known.account
  if (given.some(({ value }) => value.startsWith('pk'))) {
    throw notAuthenticated(
      'This is a public key (pk…). Use the secret key (sk…) to authenticate requests (spec 5.1).',
    )
  }
  throw notAuthenticated("Unknown key. Copy the environment's secret key (sk…).")
}

// Hooks: created, changed and removed under every rule of sections 2.1, 4.2, 4.3 and 8, or imported with their secret.

/** An imported hook, with the secret that signs its deliveries. */
export interface HookRegistration
  extends
    Pick<HookRecord, 'id' | 'event' | 'url'>,
    Partial<Pick<HookRecord, 'programId' | 'offerId' | 'headers'>> {
  readonly mode: Mode
  readonly secret: string
}

const SECRET_BYTES = 32

export type HookRegistry = ReturnType<typeof createHookRegistry>

export function createHookRegistry(service: Service, deliveries: Deliveries) {
  const { objects, clock } = service

  function check(
    wanted: WantedHook,
    mode: Mode,
    self: string | null,
    others: readonly HookFinding[] = [],
  ): void {
    const siblings = objects.all('hook', mode).filter(({ id }) => id !== self)
    const findings = [...others, ...checkHook(wanted, { prefix: service.prefixOf(mode), siblings })]
    if (findings.length > 0) throw invalidHook(findings)
  }

  /** The service takes URLs with a valid certificate only (section 2.1). Checked once the other rules hold. */
  async function checkCertificate(url: unknown, mode: Mode): Promise<void> {
    const added = service.trustedBy?.(mode) ?? service.tls.caPem
    const authorities = trustedAuthorities([service.tls.caPem, added])
    const problem = await findCertificateProblem(String(url), authorities)
    if (problem === null) return
    const message = `${problem} Use a valid certificate, or trust its CA certificate ("${trustCommand(mode)}").`
    throw invalidHook([hookFinding('url-certificate', message)])
  }

  function requireProgram(id: string, { mode, environment }: SandboxAccount): void {
    if (objects.find('program', id, mode) !== undefined) return
    const [first] = objects.all('program', mode)
    const hint = first === undefined ? '' : ` Programs here: ${first.id}, ${first.name}.`
    throw new ApiError('not-found', `Program ${id} not found in ${environment}.${hint}`)
  }

  function find(id: string, { mode, environment }: SandboxAccount): HookRecord {
    const known = objects.find('hook', id, mode)
    if (known !== undefined) return known
    throw new ApiError('not-found', `Hook ${id} not found in ${environment}.`)
  }

  async function add(hook: HookRegistration): Promise<HookRecord> {
    const { id, event, url, programId = null, offerId = null, headers = {}, mode, secret } = hook
    const updated = iso(clock.now())
    const record: HookRecord = {
      id,
      accountId: ACCOUNT_ID,
      event,
      url,
      programId,
      offerId,
      headers,
      live: mode === 'live',
      created: objects.find('hook', id, mode)?.created ?? updated,
      updated,
    }
    await objects.put('hook', mode, record, secret)
    return record
  }

  async function create(
    account: SandboxAccount,
    programId: string | null,
    fields: Fields,
  ): Promise<HookRecord & { secretKey: string }> {
    const { mode } = account
    if (programId !== null) requireProgram(programId, account)
    const { event, url, offerId = null, headers = {} } = fields
    const kind = programId === null ? 'brand' : 'program'
    check({ kind, event, url, programId, offerId, headers }, mode, null)
    await checkCertificate(url, mode)
    const offer = typeof offerId === 'string' ? offerId : null
    const isOfProgram =
      offer === null ||
      (programId !== null && objects.find('offer', offer, mode)?.programId === programId)
    if (!isOfProgram)
      throw new ApiError(
        'not-found',
        `Offer ${offer} not found in this program of ${account.environment}.`,
      )
    const record = await add({
      id: createRandom(Buffer.from(service.randomBytes(16)).toString('hex')).uuid(),
      event: String(event),
      url: String(url),
      programId,
      offerId: offer,
      headers: texts(headers),
      mode,
      secret: Buffer.from(service.randomBytes(SECRET_BYTES)).toString('base64url'),
    })
    return { ...record, secretKey: objects.secretOf(record.id) ?? '' }
  }

  async function update(account: SandboxAccount, id: string, fields: Fields): Promise<HookRecord> {
    const known = find(id, account)
    const { event = known.event, url = known.url, headers = known.headers } = fields
    const kind = hookKindOf(known.event)
    // A brand hook has no program, even if the request has one.
    const programId = kind === 'program' ? (fields['programId'] ?? known.programId) : null
    const wanted = { kind, event, url, programId, offerId: known.offerId, headers }
    check(wanted, account.mode, id, checkUpdateFields(fields, known.offerId))
    if (typeof programId === 'string') requireProgram(programId, account)
    if (url !== known.url) await checkCertificate(url, account.mode)
    const record: HookRecord = {
      ...known,
      event: String(event),
      url: String(url),
      programId: typeof programId === 'string' ? programId : null,
      headers: texts(headers),
      updated: iso(clock.now()),
    }
    await objects.put('hook', account.mode, record)
    return record
  }

  /** Removes a hook and cancels its pending deliveries. */
  async function drop(id: string): Promise<void> {
    await objects.remove('hook', id)
    await deliveries.stopHook(id)
  }

  // One change at a time, so that two concurrent requests don't both create the tenth hook.
  const alone = createMutex()
  return {
    /** The records of a program's hooks, or of those without a program; their secrets are only shown at creation. */
    list(account: SandboxAccount, programId: string | null): readonly HookRecord[] {
      if (programId !== null) requireProgram(programId, account)
      return objects.all('hook', account.mode).filter((hook) => hook.programId === programId)
    },
    /** The record with its secret, which is shown only now. `programId` null: a brand hook. */
    create: (account: SandboxAccount, programId: string | null, fields: Fields) =>
      alone(() => create(account, programId, fields)),
    update: (account: SandboxAccount, id: string, fields: Fields) =>
      alone(() => update(account, id, fields)),
    remove: (account: SandboxAccount, id: string) => alone(async () => drop(find(id, account).id)),
    /** Adds a hook with the given secret, replacing one with the same id. */
    async register(hook: HookRegistration) {
      const { mode, programId = null, offerId = null } = hook
      if (programId !== null) await ensureProgram(objects, mode, clock.now(), programId)
      if (offerId !== null) await ensureOffer(objects, mode, clock.now(), offerId, programId)
      await add(hook)
    },
    drop,
  }
}

function invalidHook(findings: readonly HookFinding[]): ApiError {
  const rules = findings.map(
    (finding) => `${finding.message} (rule ${finding.rule}, ${originOf(finding)})`,
  )
  return new ApiError('invalid-hook', rules.join(' '), findings)
}

/** Validated headers. */
function texts(headers: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]),
  )
}

// Endpoints, and errors in one shape.

function addRoutes(server: FastifyInstance<Server>, service: Service, hooks: HookRegistry): void {
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

  // Before the body is read: clients without a key learn nothing about its errors.
  server.addHook('onRequest', async (request) => {
    // HTTP/1.1 requires it; Node's own response would have no body.
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
    const known = toApiError(error)
    if (known.code === 'internal')
      service.log.bug(error, `sandbox: ${request.method} ${request.url}`)
    sendError(reply, known)
  })
}

function sendError(reply: FastifyReply, error: ApiError): void {
  void reply.code(apiErrors[error.code].status).send(errorBody(error))
}

/** The requested fields, unchecked. */
type Fields = Readonly<Record<string, unknown>>

function fieldsOf({ body }: FastifyRequest): Fields {
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

/** How often the certificate is requested again, in milliseconds: it is renewed weeks before it expires. */
const CERTIFICATE_EVERY_MS = 3_600_000
const BODY_LIMIT = 262_144
const HEADER_LIMIT = 16_384

/** Starts listening with HTTP/1.1. Rejects with `PORT_IN_USE`, or with the system's error. */
export async function startApi(service: Service, hooks: HookRegistry) {
  const { tls, host } = service
  const server = fastify({
    https: {
      ...tls.certificate(),
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
    CERTIFICATE_EVERY_MS,
  )
  renewal.unref()
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    async close() {
      clearInterval(renewal)
      const closed = server.close()
      endConnections()
      await closed
    },
  }
}

function listenError(error: unknown, { host, port }: Service): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'EADDRINUSE') return error
  return new AppError(
    'PORT_IN_USE',
    `Port ${port} is in use by another program. Stop it, or pick a free port with "countersign serve --sandbox-port 0".`,
    { details: { port, host }, cause: error },
  )
}
