/**
 * The API client (section 4): registers, updates and deletes hooks. Doesn't depend on anything the spec leaves open: unknown fields
 * and bodies are stored and shown as received.
 */
import { headerNames } from '../../shared/service/header-rules.ts'
import { createSender, type Sender, trustedAuthorities } from '../outgoing/wire/sender.ts'
import { apiRoot, tokenEndpoint, type Connection } from './connection.ts'
import {
  maskBody,
  maskHeaders,
  refusal,
  unreachable,
  type ApiAnswer,
  type Purpose,
  type ApiRequest,
} from './exchange.ts'
import { readApiBody } from './secrets-in-answers.ts'
import { createTokens, REFRESH_TOKEN_FIELD, type TokenRequest, type Tokens } from './token.ts'

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

/** The fields of a registration (section 2.1). Only given fields are sent. */
export interface ApiHookFields {
  readonly event: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly offerId?: string
}

/** The fields of an update (section 4.1). A brand hook has no program. */
export interface ApiHookChange {
  readonly programId: string | null
  readonly event: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type ApiClient = ReturnType<typeof createApiClient>

const GONE = [404, 410]
/** Statuses that say that the service has no list of hooks. */
export const NO_LIST: readonly number[] = [404, 405]
/** Maximum bytes of a response to read. */
const ANSWER_LIMIT = 1_048_576

function isAccepted({ status }: ApiAnswer): boolean {
  return status >= 200 && status < 300
}

/** The service's default body format (section 4), with secrets under the account's own names masked. */
const json = { encode: (body: unknown) => JSON.stringify(body), secretNames: [] }

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
    answerLimit: ANSWER_LIMIT,
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
    }: { encode(body: unknown): string; secretNames: readonly string[] } = json,
  ): Promise<ApiAnswer> {
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
    return { status: result.status, headers: result.headers, ...read, sent }
  }

  const tokens: Tokens | null =
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
      { encode: tokenForm === 'form' ? encodeForm : json.encode, secretNames },
    )
    if (!isAccepted(answer)) throw refusal(answer, purpose.what)
    return answer
  }

  async function authentication(): Promise<[string, string]> {
    return tokens === null
      ? [keyName, account.secret]
      : [connection.authHeader, `Bearer ${await tokens.current()}`]
  }

  async function call(
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

  const hooksPath = (programId: string | null) =>
    programId === null ? '/hooks' : `/programs/${encodeURIComponent(programId)}/hooks`

  return {
    /** `POST /v1/hooks`, or `/v1/programs/<id>/hooks` with a program. Rejects if it fails or gets no response. */
    async createHook(programId: string | null, fields: ApiHookFields): Promise<ApiAnswer> {
      const purpose = { what: 'register the hook', changes: true }
      const answer = await call('POST', hooksPath(programId), fields, purpose)
      if (!isAccepted(answer)) throw refusal(answer, purpose.what)
      return answer
    },
    /** `GET` of the same paths, which isn't in the spec. Also resolves for 404 and 405: the service doesn't support it. */
    async listHooks(programId: string | null): Promise<ApiAnswer> {
      const purpose = { what: 'list the hooks', changes: false }
      const answer = await call('GET', hooksPath(programId), undefined, purpose)
      if (!isAccepted(answer) && !NO_LIST.includes(answer.status))
        throw refusal(answer, purpose.what)
      return answer
    },
    /** `PUT /v1/hooks/<id>`. Also resolves for 404 and 410: the hook is gone, which is a result. */
    async updateHook(
      id: string,
      { programId, event, url, headers }: ApiHookChange,
    ): Promise<ApiAnswer> {
      const body = { ...(programId === null ? {} : { programId }), event, url, headers }
      const answer = await call('PUT', `/hooks/${encodeURIComponent(id)}`, body, {
        what: 'update the hook',
        changes: true,
      })
      if (!isAccepted(answer) && !GONE.includes(answer.status))
        throw refusal(answer, 'update the hook')
      return answer
    },
    /** `DELETE /v1/hooks/<id>`. Also resolves for 404 and 410. */
    async deleteHook(id: string): Promise<ApiAnswer> {
      const answer = await call('DELETE', `/hooks/${encodeURIComponent(id)}`, undefined, {
        what: 'delete the hook',
        changes: true,
      })
      if (!isAccepted(answer) && !GONE.includes(answer.status))
        throw refusal(answer, 'delete the hook')
      return answer
    },
    /** A call that can't change anything: it deletes a hook with an ID that was just generated. */
    probe: (unknownId: string): Promise<ApiAnswer> =>
      call('DELETE', `/hooks/${unknownId}`, undefined, {
        what: 'test the connection',
        changes: false,
      }),
    close: () => sender.close(),
  }
}
