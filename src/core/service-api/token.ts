/**
 * Bearer authentication (section 5.3, announced for v2.0): a token is asked for with client id and secret, kept until shortly
 * before it expires, and renewed with a refresh token where one came. The interface shows neither the request nor the names in
 * the answer, so the usual ones are sent and the usual ones understood.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { ApiAnswer } from './exchange.ts'
import { findText, objectsIn } from './json-search.ts'

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
  /** The tokens that it holds, to be kept out of what is shown. */
  known(): readonly string[]
}

/** A token is renewed this long before it ends, in milliseconds; one that lives shortly after nine tenths of its life. */
const MARGIN_MS = 30_000
/** A token that does not say when it ends is kept this long, in milliseconds. */
const UNKNOWN_LIFE_MS = 300_000

interface Held {
  readonly token: string
  readonly refreshToken: string | null
  /** When it is to be renewed, in milliseconds since the epoch. */
  readonly renewAt: number
}

/** How long the answer says that the token lives, in milliseconds; null where it does not say. */
function lifeOf(json: unknown): number | null {
  for (const { fields } of objectsIn(json)) {
    const life = fields['expires_in'] ?? fields['expiresIn']
    const seconds = typeof life === 'string' && life !== '' ? Number(life) : life
    if (typeof seconds === 'number' && Number.isFinite(seconds)) return seconds * 1_000
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

/** Reads a token out of the answer of a token endpoint, whatever of the usual names it uses, and however deep it lies. */
export function readToken(answer: ApiAnswer, now: number): Held {
  const token = findText(answer.json, ['access_token', 'accessToken', 'token', 'jwt', 'id_token', 'idToken'])
  if (token === null) {
    throw new AppError(
      'SERVICE_REFUSED',
      `The token endpoint answered ${answer.status}, but there is no token in its answer. Check the token URL.`,
      { details: { status: answer.status, body: answer.shown, sent: answer.sent } },
    )
  }
  const end = endOfJwt(token)
  // What the answer says counts from now, whatever the clocks; the token's own claim is by the clock of the service.
  const life = lifeOf(answer.json) ?? (end === null ? UNKNOWN_LIFE_MS : end - now)
  const renewAt = now + life - Math.min(MARGIN_MS, life / 10)
  return { token, refreshToken: findText(answer.json, ['refresh_token', 'refreshToken']), renewAt }
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
        const renewed = readToken(await ask({ ...credentials, refreshToken }), now())
        return { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken }
      } catch (error) {
        // A refresh token can end before its time: the credentials themselves decide.
        if (!(error instanceof AppError) || error.code !== 'SERVICE_REFUSED') throw error
      }
    }
    return readToken(await ask({ ...credentials, refreshToken: null }), now())
  }

  return {
    async current() {
      if (held !== null && held.renewAt > now()) return held.token
      asking ??= renew().finally(() => {
        asking = null
      })
      held = await asking
      return held.token
    },
    forget() {
      held = held === null ? null : { ...held, renewAt: 0 }
    },
    known: () => (held === null ? [] : [held.token, ...(held.refreshToken === null ? [] : [held.refreshToken])]),
  }
}
