/** The API client (section 4). What the spec leaves open is stored and shown as received. */
import { byteSize } from '../../shared/text/counted.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import type { StoredHook } from '../store/hooks.ts'
import { createSender, type Sender, trustedAuthorities } from '../outgoing/wire/sender.ts'
import {
  maskBody,
  maskHeaders,
  readApiBody,
  refusal,
  unreachable,
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

/** Section 2.1; a brand hook has no program. */
type ApiHookFields = Pick<StoredHook, 'event' | 'url' | 'programId' | 'offerId'> & {
  readonly headers: Readonly<Record<string, string>>
}

export type ApiClient = ReturnType<typeof createApiClient>

const GONE = [404, 410]
/** Statuses of a service without a list of hooks. */
export const NO_LIST: readonly number[] = [404, 405]
/** Bytes. */
const LIST_LIMIT = 1_048_576
const ANSWER_LIMIT = 65_536

function isAccepted({ status }: ApiAnswer): boolean {
  return status >= 200 && status < 300
}

/** The default body format (section 4). */
const asJson = { encode: (body: unknown) => JSON.stringify(body), secretNames: [] }

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

  /** Rejects without a success or one of `results`. */
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
    /** Sends `POST /v1/hooks`, or `/v1/programs/<id>/hooks` with a program. */
    createHook({ programId, event, url, headers, offerId }: ApiHookFields): Promise<ApiAnswer> {
      const body = {
        ...{ event, url },
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        ...(offerId === null ? {} : { offerId }),
      }
      const purpose = { what: 'register the hook', changes: true }
      return call('POST', hooksPath(programId), body, purpose)
    },
    /** Resolves for `NO_LIST` too, because this call isn't in the spec. */
    listHooks: (programId: string | null): Promise<ApiAnswer> =>
      call(
        'GET',
        hooksPath(programId),
        undefined,
        { what: 'list the hooks', changes: false, limit: LIST_LIMIT },
        NO_LIST,
      ),
    /** Sends `PUT /v1/hooks/<id>`. Also resolves for 404 and 410: the hook is gone. */
    updateHook(
      id: string,
      { programId, event, url, headers }: Omit<ApiHookFields, 'offerId'>,
    ): Promise<ApiAnswer> {
      const body = { ...(programId === null ? {} : { programId }), event, url, headers }
      return call('PUT', hookPath(id), body, { what: 'update the hook', changes: true }, GONE)
    },
    /** Sends `DELETE /v1/hooks/<id>`. Also resolves for 404 and 410. */
    deleteHook: (id: string): Promise<ApiAnswer> =>
      call('DELETE', hookPath(id), undefined, { what: 'delete the hook', changes: true }, GONE),
    /** Deletes a hook with a new ID, which can't change anything. */
    probe: (unknownId: string): Promise<ApiAnswer> =>
      callAuthenticated('DELETE', hookPath(unknownId), undefined, {
        what: 'test the connection',
        changes: false,
      }),
    close: () => sender.close(),
  }
}
