/**
 * Bearer authentication (section 5.3, announced for v2.0): a token is asked for with client id and secret, kept until shortly
 * before it expires, and renewed with a refresh token where one came. The interface shows neither the request nor the names in
 * the answer, so the usual ones are sent and the usual ones understood.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { ApiAnswer } from './exchange.ts'

export interface TokenRequest {
  readonly clientId: string
  readonly clientSecret: string
  readonly refreshToken: string | null
}

export interface Tokens {
  /** A token that is still good for a while. */
  current(): Promise<string>
  /** Forgets the token: the service has refused it. */
  forget(): void
}

/** A token is renewed this long before it ends, in milliseconds. */
const MARGIN_MS = 30_000
/** A token that does not say when it ends is kept this long, in milliseconds. */
const UNKNOWN_LIFE_MS = 300_000

interface Held {
  readonly token: string
  readonly refreshToken: string | null
  readonly endsAt: number
}

function stringAt(json: Readonly<Record<string, unknown>>, ...names: string[]): string | null {
  for (const name of names) {
    const value = json[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}

/** The `exp` claim of a JWT, in milliseconds since the epoch; null where it has none or is no JWT. Its signature is the service's affair. */
function endOfJwt(token: string): number | null {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as { exp?: unknown }
    return typeof claims.exp === 'number' ? claims.exp * 1_000 : null
  } catch {
    // Not a JWT: the answer itself may say how long it lives.
    return null
  }
}

/** Reads a token out of the answer of a token endpoint, whatever of the usual names it uses. */
export function readToken(answer: ApiAnswer, now: number): Held {
  const json = typeof answer.json === 'object' && answer.json !== null ? (answer.json as Record<string, unknown>) : {}
  const token = stringAt(json, 'access_token', 'accessToken', 'token', 'jwt', 'id_token', 'idToken')
  if (token === null) {
    throw new AppError(
      'SERVICE_REFUSED',
      `The token endpoint answered ${answer.status}, but there is no token in its answer. Check the token URL.`,
      {
        details: { status: answer.status, fields: Object.keys(json), sent: answer.sent },
      },
    )
  }
  const life = json['expires_in'] ?? json['expiresIn']
  const endsAt = endOfJwt(token) ?? (typeof life === 'number' ? now + life * 1_000 : now + UNKNOWN_LIFE_MS)
  return { token, refreshToken: stringAt(json, 'refresh_token', 'refreshToken'), endsAt }
}

/** Keeps the token of one environment; `ask` makes the call and rejects where it is refused. */
export function createTokens(
  credentials: { readonly clientId: string; readonly clientSecret: string },
  ask: (request: TokenRequest) => Promise<ApiAnswer>,
  now: () => number,
): Tokens {
  let held: Held | null = null
  let asking: Promise<Held> | null = null

  async function renew(): Promise<Held> {
    const refreshToken = held?.refreshToken ?? null
    if (refreshToken !== null) {
      try {
        return readToken(await ask({ ...credentials, refreshToken }), now())
      } catch (error) {
        // A refresh token can end before its time: the credentials themselves decide.
        if (!(error instanceof AppError) || error.code !== 'SERVICE_REFUSED') throw error
      }
    }
    return readToken(await ask({ ...credentials, refreshToken: null }), now())
  }

  return {
    async current() {
      if (held !== null && held.endsAt - MARGIN_MS > now()) return held.token
      asking ??= renew().finally(() => {
        asking = null
      })
      held = await asking
      return held.token
    },
    forget() {
      held = held === null ? null : { ...held, endsAt: 0 }
    },
  }
}
