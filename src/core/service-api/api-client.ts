/**
 * The API client (section 4): registers, updates and deletes hooks. Doesn't depend on anything the spec leaves open: unknown fields
 * and bodies are stored and shown as received. Also the connection settings of an environment besides its base URL, stored as JSON
 * without secrets, and which addresses are public.
 */
import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { byteSize, counted } from '../../shared/text/counted.ts'
import { environmentAddSchema } from '../../shared/model/environment.ts'
import { headerNames } from '../../shared/service/header-rules.ts'
import type { StoredEnvironment, StoredHook } from '../store/hooks.ts'
import { createSender, type Sender, trustedAuthorities } from '../outgoing/wire/sender.ts'
import {
  findText,
  maskBody,
  maskHeaders,
  objectsIn,
  readApiBody,
  refusal,
  unreachable,
  type ApiAnswer,
  type ApiRequest,
  type Purpose,
} from './exchange.ts'

const { apiVersion: version, ...settings } = environmentAddSchema.pick({
  apiVersion: true,
  authHeader: true,
  tokenForm: true,
  tokenField: true,
  refreshTokenField: true,
  expiryField: true,
  tokenRequestFields: true,
  caPem: true,
  proxy: true,
  timeoutMs: true,
}).shape

export const connectionSchema = z.object({
  apiVersion: version,
  /** Bearer authentication (section 5.3, announced): who requests the token, and where. */
  clientId: z.string().nullable().default(null),
  tokenUrl: z.string().nullable().default(null),
  ...settings,
})
export type Connection = z.infer<typeof connectionSchema>

/** Whether a token URL is a path below the base URL, such as `/oauth/token`. */
export function isTokenPath(tokenUrl: string): boolean {
  return tokenUrl.startsWith('/') && !tokenUrl.startsWith('//')
}

/** The base of all API paths: base URL and version, which the base URL may already include. */
function apiRoot(baseUrl: string, apiVersion: string): string {
  return `${withoutVersion(baseUrl, apiVersion)}/${apiVersion}`
}

/** The token endpoint's URL, which may be given as a path below the base URL. */
function tokenEndpoint(baseUrl: string, { apiVersion, tokenUrl }: Connection): string {
  const url = tokenUrl ?? ''
  return isTokenPath(url) ? withoutVersion(baseUrl, apiVersion) + url : url
}

function withoutVersion(baseUrl: string, apiVersion: string): string {
  const base = baseUrl.replace(/(?<!\/)\/+$/, '')
  return base.endsWith(`/${apiVersion}`) ? base.slice(0, -apiVersion.length - 1) : base
}

/** A stored environment's connection, with defaults for missing settings and if the settings are damaged. */
export function connectionOf(environment: Pick<StoredEnvironment, 'connection'>): Connection {
  const { data } = connectionSchema.safeParse(JSON.parse(environment.connection))
  return data ?? connectionSchema.parse({})
}

/** An account of the service in one mode, with its secret decrypted. */
export interface ApiAccount {
  readonly baseUrl: string
  readonly prefix: string
  readonly auth: 'service-key' | 'bearer'
  /** The secret key or client secret. */
  readonly secret: string
  readonly connection: Connection
  /** CAs to trust in addition to the system's and the account's: this computer's, for the sandbox. */
  readonly authorities: readonly string[]
}

/** The fields of a hook (section 2.1). A brand hook has no program. */
type ApiHookFields = Pick<StoredHook, 'event' | 'url' | 'programId' | 'offerId'> & {
  readonly headers: Readonly<Record<string, string>>
}

export type ApiClient = ReturnType<typeof createApiClient>

const GONE = [404, 410]
/** Statuses that say that the service has no list of hooks. */
export const NO_LIST: readonly number[] = [404, 405]
/** Maximum bytes of a list of hooks, and of any other response. */
const LIST_LIMIT = 1_048_576
const ANSWER_LIMIT = 65_536

function isAccepted({ status }: ApiAnswer): boolean {
  return status >= 200 && status < 300
}

/** The service's default body format (section 4), with secrets under the account's own names masked. */
const asJson = { encode: (body: unknown) => JSON.stringify(body), secretNames: [] }

function encodeForm(body: unknown): string {
  return new URLSearchParams(body as Record<string, string>).toString()
}

/** Client ID and secret (section 5.3), the usual `grant_type`, and the extra fields. An empty extra field omits that field. */
function tokenRequestBody(
  { clientId, clientSecret, refreshToken }: TokenRequest,
  { refreshTokenField, tokenRequestFields }: Connection,
): Record<string, string> {
  const fields = {
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: 'client_credentials',
    ...tokenRequestFields,
    ...(refreshToken === null
      ? {}
      : { grant_type: 'refresh_token', [refreshTokenField ?? REFRESH_TOKEN_FIELD]: refreshToken }),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}

export function createApiClient(
  account: ApiAccount,
  clock: { now(): number; monotonic(): number },
) {
  const { connection, prefix } = account
  const keyName = headerNames(prefix).key
  const sender: Sender = createSender({
    authorities: trustedAuthorities([
      ...account.authorities,
      ...(connection.caPem === null ? [] : [connection.caPem]),
    ]),
    monotonic: () => clock.monotonic(),
    ...(connection.proxy === null ? {} : { proxy: connection.proxy }),
  })

  async function exchange(
    method: string,
    url: string,
    headers: readonly [string, string][],
    body: unknown,
    purpose: Purpose,
    {
      encode,
      secretNames,
    }: { encode(body: unknown): string; secretNames: readonly string[] } = asJson,
  ): Promise<ApiAnswer> {
    const { limit = ANSWER_LIMIT } = purpose
    const sent: ApiRequest = {
      method,
      url,
      headers: maskHeaders(headers, [keyName, connection.authHeader]),
      body: maskBody(body, secretNames),
    }
    const result = await sender.send({
      url,
      method,
      headers: [...headers],
      body: body === undefined ? new Uint8Array() : Buffer.from(encode(body)),
      timeoutMs: connection.timeoutMs,
      answerLimit: limit,
    })
    if (result.failure !== null || result.status === null) {
      throw unreachable(
        result.failure ?? { kind: 'other', message: 'No response.' },
        sent,
        purpose,
        connection,
      )
    }
    const read = readApiBody(
      Buffer.from(result.body).toString('utf8'),
      [account.secret, ...(tokens?.known() ?? [])],
      secretNames,
    )
    const excess = result.truncated
      ? `more than ${byteSize(limit)}, so its response was cut`
      : read.excess
    return { status: result.status, headers: result.headers, ...read, excess, sent }
  }

  const tokens: ReturnType<typeof createTokens> | null =
    account.auth === 'bearer'
      ? createTokens(
          { clientId: connection.clientId ?? '', clientSecret: account.secret },
          connection,
          requestToken,
          () => clock.now(),
        )
      : null

  async function requestToken(request: TokenRequest): Promise<ApiAnswer> {
    const purpose = { what: 'request a token', changes: false }
    const { tokenForm, tokenField, refreshTokenField } = connection
    const secretNames = [tokenField, refreshTokenField].filter((name) => name !== null)
    const answer = await exchange(
      'POST',
      tokenEndpoint(account.baseUrl, connection),
      [
        [
          'content-type',
          tokenForm === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
        ],
      ],
      tokenRequestBody(request, connection),
      purpose,
      { encode: tokenForm === 'form' ? encodeForm : asJson.encode, secretNames },
    )
    if (!isAccepted(answer)) throw refusal(answer, purpose.what)
    return answer
  }

  async function authentication(): Promise<[string, string]> {
    return tokens === null
      ? [keyName, account.secret]
      : [connection.authHeader, `Bearer ${await tokens.current()}`]
  }

  /** Rejects if it gets no response, or one that is neither a success nor among `results`. */
  async function call(
    method: string,
    path: string,
    body: unknown,
    purpose: Purpose,
    results: readonly number[] = [],
  ): Promise<ApiAnswer> {
    const answer = await callAuthenticated(method, path, body, purpose)
    if (!isAccepted(answer) && !results.includes(answer.status)) throw refusal(answer, purpose.what)
    return answer
  }

  async function callAuthenticated(
    method: string,
    path: string,
    body: unknown,
    purpose: Purpose,
  ): Promise<ApiAnswer> {
    const url = apiRoot(account.baseUrl, connection.apiVersion) + path
    const once = async () =>
      exchange(
        method,
        url,
        [['content-type', 'application/json'], await authentication()],
        body,
        purpose,
      )
    const answer = await once()
    if (answer.status !== 401 || tokens === null) return answer
    // The token may have expired early, so try once more with a new one.
    tokens.forget()
    return once()
  }

  const hookPath = (id: string) => `/hooks/${encodeURIComponent(id)}`
  const hooksPath = (programId: string | null) =>
    programId === null ? '/hooks' : `/programs/${encodeURIComponent(programId)}/hooks`

  return {
    /** `POST /v1/hooks`, or `/v1/programs/<id>/hooks` with a program. Rejects if it fails or gets no response. */
    createHook({ programId, event, url, headers, offerId }: ApiHookFields): Promise<ApiAnswer> {
      const body = {
        ...{ event, url },
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        ...(offerId === null ? {} : { offerId }),
      }
      const purpose = { what: 'register the hook', changes: true }
      return call('POST', hooksPath(programId), body, purpose)
    },
    /** `GET` of the same paths, which isn't in the spec. Also resolves for 404 and 405: the service doesn't support it. */
    listHooks: (programId: string | null): Promise<ApiAnswer> =>
      call(
        'GET',
        hooksPath(programId),
        undefined,
        { what: 'list the hooks', changes: false, limit: LIST_LIMIT },
        NO_LIST,
      ),
    /** `PUT /v1/hooks/<id>`. Also resolves for 404 and 410: the hook is gone, which is a result. */
    updateHook(
      id: string,
      { programId, event, url, headers }: Omit<ApiHookFields, 'offerId'>,
    ): Promise<ApiAnswer> {
      const body = { ...(programId === null ? {} : { programId }), event, url, headers }
      return call('PUT', hookPath(id), body, { what: 'update the hook', changes: true }, GONE)
    },
    /** `DELETE /v1/hooks/<id>`. Also resolves for 404 and 410. */
    deleteHook: (id: string): Promise<ApiAnswer> =>
      call('DELETE', hookPath(id), undefined, { what: 'delete the hook', changes: true }, GONE),
    /** A call that can't change anything: it deletes a hook with an ID that was just generated. Resolves for any response. */
    probe: (unknownId: string): Promise<ApiAnswer> =>
      callAuthenticated('DELETE', hookPath(unknownId), undefined, {
        what: 'test the connection',
        changes: false,
      }),
    close: () => sender.close(),
  }
}

// Bearer authentication (section 5.3, announced for v2.0): requests a token with client ID and secret, keeps it until shortly before
// it expires, and renews it with a refresh token if there is one. The spec shows neither the request nor the names in the response,
// so these are settings of the environment with the usual names as defaults.

export interface TokenRequest {
  readonly clientId: string
  readonly clientSecret: string
  readonly refreshToken: string | null
}

/** A token is renewed this long before it expires, in milliseconds; a short-lived one after nine tenths of its life. */
const MARGIN_MS = 30_000
/** How long to keep a token without an expiry, in milliseconds. */
const UNKNOWN_LIFE_MS = 300_000

/** Characters of a token: it is sent in a header, and masked in every response. */
const MOST_TOKEN = 4_096

interface Held {
  readonly token: string
  readonly refreshToken: string | null
  /** When to renew it, in milliseconds since the epoch. */
  readonly renewAt: number
}

/** Fields of the token response by setting; null for the usual names. */
export type TokenFieldNames = Pick<Connection, 'tokenField' | 'refreshTokenField' | 'expiryField'>

export const REFRESH_TOKEN_FIELD = 'refresh_token'

const usualNames = {
  tokenField: ['access_token', 'accessToken', 'token', 'jwt', 'id_token', 'idToken'],
  refreshTokenField: [REFRESH_TOKEN_FIELD, 'refreshToken'],
  expiryField: ['expires_in', 'expiresIn'],
} as const

function namesOf(fields: TokenFieldNames, field: keyof TokenFieldNames): readonly string[] {
  const name = fields[field]
  return name === null ? usualNames[field] : [name]
}

/** The token's lifetime according to the response, in milliseconds; null if it doesn't say. */
function lifeOf(json: unknown, names: readonly string[], now: number): number | null {
  for (const { fields } of objectsIn(json)) {
    for (const name of names) {
      const life = lifeIn(fields[name], now)
      if (life !== null) return life
    }
  }
  return null
}

/** Seconds, a time in seconds or milliseconds since the epoch, or an ISO 8601 time. */
function lifeIn(value: unknown, now: number): number | null {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) {
    const time = Date.parse(value)
    return Number.isNaN(time) ? null : time - now
  }
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) return null
  if (number < LEAST_EPOCH_S) return number * 1_000
  return (number < LEAST_EPOCH_MS ? number * 1_000 : number) - now
}

/** Above any lifetime in seconds, and before any token: September 2001, in seconds and in milliseconds. */
const LEAST_EPOCH_S = 1e9
const LEAST_EPOCH_MS = 1e12

/** The `exp` claim of a JWT, in milliseconds since the epoch; null without one. The service verifies the signature, not us. */
function endOfJwt(token: string): number | null {
  try {
    const claims = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'),
    ) as { exp?: unknown }
    return typeof claims.exp === 'number' ? claims.exp * 1_000 : null
  } catch {
    // Not a JWT. The response itself may state the lifetime.
    return null
  }
}

/** Reads a token from the token endpoint's response, under the configured or usual names, at any depth. */
export function readToken(answer: ApiAnswer, now: number, fields: TokenFieldNames): Held {
  const { status, json, excess, sent } = answer
  const token = findText(json, namesOf(fields, 'tokenField'))
  const refreshToken = findText(json, namesOf(fields, 'refreshTokenField'))
  const refused = (returned: string, advice: string) =>
    new AppError('SERVICE_REFUSED', `The token endpoint returned ${returned}. ${advice}`, {
      details: { status, body: answer.shown(), sent },
    })
  if (excess !== null) throw refused(excess, 'Check the token URL.')
  if (token === null)
    throw refused(
      `${status} without a token`,
      fields.tokenField === null
        ? 'Check the token URL, or set the name of the access token field.'
        : `Its response has no field ${fields.tokenField}. Check the name of the access token field.`,
    )
  const length = Math.max(token.length, refreshToken?.length ?? 0)
  if (length > MOST_TOKEN)
    throw refused(
      `a token of ${counted(length, 'character')}, but at most ${MOST_TOKEN.toLocaleString('en')} are sent`,
      'Ask the service for a shorter one.',
    )
  const end = endOfJwt(token)
  // The response's lifetime counts from now, whatever the clocks. The token's own claim uses the service's clock.
  const life =
    lifeOf(json, namesOf(fields, 'expiryField'), now) ??
    (end === null ? UNKNOWN_LIFE_MS : end - now)
  const renewAt = now + life - Math.min(MARGIN_MS, life / 10)
  return { token, refreshToken, renewAt }
}

/** Keeps one environment's token. `ask` makes the call and rejects if it fails. */
export function createTokens(
  credentials: { readonly clientId: string; readonly clientSecret: string },
  fields: TokenFieldNames,
  ask: (request: TokenRequest) => Promise<ApiAnswer>,
  now: () => number,
) {
  let held: Held | null = null
  let asking: Promise<Held> | null = null

  async function renew(): Promise<Held> {
    const refreshToken = held?.refreshToken ?? null
    if (refreshToken !== null) {
      try {
        const renewed = readToken(await ask({ ...credentials, refreshToken }), now(), fields)
        return { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken }
      } catch (error) {
        // A refresh token can expire early. The credentials themselves decide.
        if (!(error instanceof AppError) || error.code !== 'SERVICE_REFUSED') throw error
      }
    }
    return readToken(await ask({ ...credentials, refreshToken: null }), now(), fields)
  }

  return {
    /** A token that is valid for a while. */
    async current() {
      if (held !== null && held.renewAt > now()) return held.token
      asking ??= renew().finally(() => {
        asking = null
      })
      held = await asking
      return held.token
    },
    /** Forgets the token, because the service rejected it. */
    forget() {
      held = held === null ? null : { ...held, renewAt: 0 }
    },
    /** The current tokens, to mask them. */
    known: (): readonly string[] =>
      held === null ? [] : [held.token, ...(held.refreshToken === null ? [] : [held.refreshToken])],
  }
}

// Decides which IP addresses others can reach, because a service elsewhere can't deliver to the rest. Lives here because hooks may
// not import node:net.

const NOT_PUBLIC: readonly [string, number, 'ipv4' | 'ipv6'][] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
]

const notPublic = new BlockList()
for (const [net, prefix, family] of NOT_PUBLIC) notPublic.addSubnet(net, prefix, family)

/** Whether only this computer or its network can reach an IP address. Handles IPv4 inside IPv6. */
export function isNotPublic(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && notPublic.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

export function isAddress(text: string): boolean {
  return isIP(text) !== 0
}
