/** The API client (section 4). What the spec leaves open is stored and shown as received. */
import { byteSize } from '../../shared/text/english.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import type { StoredHook } from '../store/hooks.ts'
import { createSender, type Sender, trustedAuthorities } from '../outgoing/wire/sender.ts'
import {
  maskBody,
  maskHeaders,
  readApiBody,
  refusedError,
  unreachableError,
  type ApiAnswer,
  type ApiRequest,
  type Purpose,
} from './exchange.ts'
import { apiRoot, tokenEndpoint, type Connection } from './connection.ts'
import { type TokenRequest, REFRESH_TOKEN_FIELD, createTokens } from './tokens.ts'

export interface ApiAccount {
  readonly baseUrl: string
  readonly prefix: string
  readonly auth: 'service-key' | 'bearer'
  readonly secret: string
  readonly connection: Connection
  readonly authorities: readonly string[]
}

/** Fields of a hook that the API takes (section 2.1); a brand hook has no program. */
type ApiHookFields = Pick<StoredHook, 'event' | 'url' | 'programId' | 'offerId'> & {
  readonly headers: Readonly<Record<string, string>>
}

const GONE = [404, 410]
/** Statuses of a service without a list of hooks. */
export const NO_LIST_STATUSES: readonly number[] = [404, 405]
/** Most bytes of a list of hooks, and of any other response. */
const LIST_LIMIT = 1_048_576
const ANSWER_LIMIT = 65_536

function isAccepted({ status }: ApiAnswer): boolean {
  return status >= 200 && status < 300
}

interface BodyFormat {
  readonly encode: (body: unknown) => string
  /** Names of fields to mask. */
  readonly secretNames: readonly string[]
}

/** Default format of a request body (section 4). */
const asJson: BodyFormat = { encode: (body) => JSON.stringify(body), secretNames: [] }

function encodeForm(body: unknown): string {
  return new URLSearchParams(body as Record<string, string>).toString()
}

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

const hookPath = (id: string) => `/hooks/${encodeURIComponent(id)}`

const hooksPath = (programId: string | null) =>
  programId === null ? '/hooks' : `/programs/${encodeURIComponent(programId)}/hooks`

export class ApiClient {
  readonly #account: ApiAccount
  readonly #keyName: string
  readonly #sender: Sender
  readonly #tokens: ReturnType<typeof createTokens> | null

  constructor(account: ApiAccount, clock: { now(): number; monotonic(): number }) {
    const { auth, authorities, connection, prefix, secret } = account
    this.#account = account
    this.#keyName = headerNames(prefix).key
    this.#sender = createSender({
      authorities: trustedAuthorities([
        ...authorities,
        ...(connection.caPem === null ? [] : [connection.caPem]),
      ]),
      monotonic: () => clock.monotonic(),
      ...(connection.proxy === null ? {} : { proxy: connection.proxy }),
    })
    this.#tokens =
      auth === 'bearer'
        ? createTokens(
            { clientId: connection.clientId ?? '', clientSecret: secret },
            connection,
            (request) => this.#requestToken(request),
            () => clock.now(),
          )
        : null
  }

  /** Sends `POST /v1/hooks`, or `/v1/programs/<id>/hooks` with a program. */
  createHook({ programId, event, url, headers, offerId }: ApiHookFields): Promise<ApiAnswer> {
    const body = {
      ...{ event, url },
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(offerId === null ? {} : { offerId }),
    }
    const purpose = { what: 'register the hook', changes: true }
    return this.#call('POST', hooksPath(programId), body, purpose)
  }

  /** Lists hooks. Also resolves for `NO_LIST_STATUSES`, because this call isn't in the spec. */
  listHooks(programId: string | null): Promise<ApiAnswer> {
    const purpose = { what: 'list the hooks', changes: false, limit: LIST_LIMIT }
    return this.#call('GET', hooksPath(programId), undefined, purpose, NO_LIST_STATUSES)
  }

  /** Sends `PUT /v1/hooks/<id>`. Also resolves for 404 and 410: the hook is gone. */
  updateHook(
    id: string,
    { programId, event, url, headers }: Omit<ApiHookFields, 'offerId'>,
  ): Promise<ApiAnswer> {
    const body = { ...(programId === null ? {} : { programId }), event, url, headers }
    return this.#call('PUT', hookPath(id), body, { what: 'update the hook', changes: true }, GONE)
  }

  /** Sends `DELETE /v1/hooks/<id>`. Also resolves for 404 and 410. */
  deleteHook(id: string): Promise<ApiAnswer> {
    const purpose = { what: 'delete the hook', changes: true }
    return this.#call('DELETE', hookPath(id), undefined, purpose, GONE)
  }

  /** Tests the connection: deletes a hook that can't exist. */
  probe(unknownId: string): Promise<ApiAnswer> {
    const purpose = { what: 'test the connection', changes: false }
    return this.#callAuthenticated('DELETE', hookPath(unknownId), undefined, purpose)
  }

  close(): Promise<void> {
    return this.#sender.close()
  }

  /** Calls the API; rejects unless the status is a success or one of `results`. */
  async #call(
    method: string,
    path: string,
    body: unknown,
    purpose: Purpose,
    results: readonly number[] = [],
  ): Promise<ApiAnswer> {
    const answer = await this.#callAuthenticated(method, path, body, purpose)
    if (!isAccepted(answer) && !results.includes(answer.status))
      throw refusedError(answer, purpose.what)
    return answer
  }

  async #callAuthenticated(
    method: string,
    path: string,
    body: unknown,
    purpose: Purpose,
  ): Promise<ApiAnswer> {
    const { baseUrl, connection } = this.#account
    const url = apiRoot(baseUrl, connection.apiVersion) + path
    const callOnce = async () =>
      this.#exchange(
        method,
        url,
        [['content-type', 'application/json'], await this.#authentication()],
        body,
        purpose,
      )
    const answer = await callOnce()
    if (answer.status !== 401 || this.#tokens === null) return answer
    // The token may have expired early, so try once more with a new one.
    this.#tokens.forget()
    return callOnce()
  }

  async #authentication(): Promise<[string, string]> {
    const { connection, secret } = this.#account
    return this.#tokens === null
      ? [this.#keyName, secret]
      : [connection.authHeader, `Bearer ${await this.#tokens.current()}`]
  }

  async #requestToken(request: TokenRequest): Promise<ApiAnswer> {
    const { baseUrl, connection } = this.#account
    const { tokenForm, tokenField, refreshTokenField } = connection
    const purpose = { what: 'request a token', changes: false }
    const secretNames = [tokenField, refreshTokenField].filter((name) => name !== null)
    const contentType =
      tokenForm === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
    const answer = await this.#exchange(
      'POST',
      tokenEndpoint(baseUrl, connection),
      [['content-type', contentType]],
      tokenRequestBody(request, connection),
      purpose,
      { encode: tokenForm === 'form' ? encodeForm : asJson.encode, secretNames },
    )
    if (!isAccepted(answer)) throw refusedError(answer, purpose.what)
    return answer
  }

  async #exchange(
    method: string,
    url: string,
    headers: readonly [string, string][],
    body: unknown,
    purpose: Purpose,
    { encode, secretNames } = asJson,
  ): Promise<ApiAnswer> {
    const { connection, secret } = this.#account
    const { limit = ANSWER_LIMIT } = purpose
    const sent: ApiRequest = {
      method,
      url,
      headers: maskHeaders(headers, [this.#keyName, connection.authHeader]),
      body: maskBody(body, secretNames),
    }
    const result = await this.#sender.send({
      url,
      method,
      headers: [...headers],
      body: body === undefined ? new Uint8Array() : Buffer.from(encode(body)),
      timeoutMs: connection.timeoutMs,
      answerLimit: limit,
    })
    if (result.failure !== null || result.status === null) {
      const failure = result.failure ?? { kind: 'other', message: 'No response.' }
      throw unreachableError(failure, sent, purpose, connection)
    }
    const read = readApiBody(
      Buffer.from(result.body).toString('utf8'),
      [secret, ...(this.#tokens?.known() ?? [])],
      secretNames,
    )
    const excess = result.truncated
      ? `more than ${byteSize(limit)}, so its response was cut`
      : read.excess
    return { status: result.status, headers: result.headers, ...read, excess, sent }
  }
}
