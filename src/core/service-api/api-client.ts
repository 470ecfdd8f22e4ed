/**
 * The client of the service's API (section 4): registers, updates and deletes hooks. It depends on nothing that the interface
 * leaves open: unknown fields and bodies are kept and shown as they came.
 */
import { headerNames } from '../../shared/service/header-names.ts'
import { createSender, type Sender } from '../dispatch/sender.ts'
import { trustedAuthorities } from '../dispatch/trusted-authorities.ts'
import type { Connection } from './connection.ts'
import { maskHeaders, refusal, unreachable, type ApiAnswer, type SentRequest } from './exchange.ts'
import { createTokens, type Tokens } from './token.ts'

/** An account of the service in one mode, its secret opened. */
export interface ApiAccount {
  readonly baseUrl: string
  readonly prefix: string
  readonly auth: 'service-key' | 'bearer'
  /** The secret key, or the client secret. */
  readonly secret: string
  readonly connection: Connection
  /** Authorities to trust beside those of the system and the account's own: this machine's, for the sandbox. */
  readonly authorities: readonly string[]
}

/** What a hook is registered with (section 2.1). */
export interface HookFields {
  readonly event: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly offerId?: string
}

export interface ApiClient {
  /** `POST /v1/hooks`, or `/v1/programs/<id>/hooks` where a program is given. Rejects where it is refused or not answered. */
  createHook(programId: string | null, fields: HookFields): Promise<ApiAnswer>
  /** `PUT /v1/hooks/<id>`. Resolves with 404 and 410 too: the hook is gone, which is an answer. */
  updateHook(id: string, fields: HookFields & { readonly programId: string | null }): Promise<ApiAnswer>
  /** `DELETE /v1/hooks/<id>`. Resolves with 404 and 410 too. */
  deleteHook(id: string): Promise<ApiAnswer>
  /** A call that cannot change anything, whatever it answers: it deletes a hook that does not exist, by an id just made. */
  probe(unknownId: string): Promise<ApiAnswer>
  close(): Promise<void>
}

const GONE = [404, 410]

function isAccepted({ status }: ApiAnswer): boolean {
  return status >= 200 && status < 300
}

export function createApiClient(account: ApiAccount, clock: { now(): number; monotonic(): number }): ApiClient {
  const { connection, prefix } = account
  const keyName = headerNames(prefix).key
  const sender: Sender = createSender({
    authorities: trustedAuthorities([...account.authorities, ...(connection.caPem === null ? [] : [connection.caPem])]),
    monotonic: () => clock.monotonic(),
    ...(connection.proxy === null ? {} : { proxy: connection.proxy }),
  })

  async function exchange(
    method: string,
    url: string,
    headers: readonly [string, string][],
    body: unknown,
    what: string,
  ): Promise<ApiAnswer> {
    const sent: SentRequest = { method, url, headers: maskHeaders(headers, [keyName, connection.authHeader]), body: body ?? null }
    const result = await sender.send({
      url,
      method,
      headers: [...headers],
      body: body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
      timeoutMs: connection.timeoutMs,
    })
    if (result.failure !== null || result.status === null) {
      throw unreachable(result.failure ?? { kind: 'other', message: 'No answer came.' }, sent, what)
    }
    const text = Buffer.from(result.body).toString('utf8')
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      // Not JSON: the text is what there is to show.
    }
    return { status: result.status, headers: result.headers, text, json, sent }
  }

  const tokens: Tokens | null =
    account.auth === 'bearer'
      ? createTokens(
          { clientId: connection.clientId ?? '', clientSecret: account.secret },
          async ({ clientId, clientSecret, refreshToken }) => {
            const body =
              refreshToken === null
                ? { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' }
                : { client_id: clientId, client_secret: clientSecret, grant_type: 'refresh_token', refresh_token: refreshToken }
            const answer = await exchange(
              'POST',
              connection.tokenUrl ?? '',
              [['content-type', 'application/json']],
              body,
              'the request for a token',
            )
            if (!isAccepted(answer)) throw refusal(answer, 'the request for a token')
            return answer
          },
          () => clock.now(),
        )
      : null

  async function authentication(): Promise<[string, string]> {
    return tokens === null ? [keyName, account.secret] : [connection.authHeader, `Bearer ${await tokens.current()}`]
  }

  async function call(method: string, path: string, body: unknown, what: string): Promise<ApiAnswer> {
    const url = account.baseUrl.replace(/\/+$/, '') + path
    const once = async () => exchange(method, url, [['content-type', 'application/json'], await authentication()], body, what)
    const answer = await once()
    if (answer.status !== 401 || tokens === null) return answer
    // The token may have ended before its time: one more try with a new one.
    tokens.forget()
    return once()
  }

  return {
    async createHook(programId, fields) {
      const path = programId === null ? '/v1/hooks' : `/v1/programs/${encodeURIComponent(programId)}/hooks`
      const answer = await call('POST', path, fields, 'the new hook')
      if (!isAccepted(answer)) throw refusal(answer, 'the new hook')
      return answer
    },
    async updateHook(id, fields) {
      const answer = await call('PUT', `/v1/hooks/${encodeURIComponent(id)}`, fields, 'the change of the hook')
      if (!isAccepted(answer) && !GONE.includes(answer.status)) throw refusal(answer, 'the change of the hook')
      return answer
    },
    async deleteHook(id) {
      const answer = await call('DELETE', `/v1/hooks/${encodeURIComponent(id)}`, undefined, 'the deletion of the hook')
      if (!isAccepted(answer) && !GONE.includes(answer.status)) throw refusal(answer, 'the deletion of the hook')
      return answer
    },
    probe: (unknownId) => call('DELETE', `/v1/hooks/${unknownId}`, undefined, 'a call that changes nothing'),
    close: () => sender.close(),
  }
}
