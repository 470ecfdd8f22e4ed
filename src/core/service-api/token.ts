/**
 * Bearer authentication (section 5.3, announced for v2.0): a token is asked for with client id and secret, kept until shortly
 * before it expires, and renewed with a refresh token if one came. The spec shows neither the request nor the names in the response:
 * they are settings of the environment, and without them the usual names apply.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Connection } from './connection.ts'
import type { ApiAnswer } from './exchange.ts'
import { findText, objectsIn } from './secrets-in-answers.ts'

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

/** Fields of the token response by their settings; null: the usual names. */
export type TokenFieldNames = Pick<Connection, 'tokenField' | 'refreshTokenField' | 'expiryField'>

/** Default name of the refresh token in a request. */
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

/** How long the response says that the token lives, in milliseconds; null if it doesn't say. */
function lifeOf(json: unknown, names: readonly string[], now: number): number | null {
  for (const { fields } of objectsIn(json)) {
    for (const name of names) {
      const life = lifeIn(fields[name], now)
      if (life !== null) return life
    }
  }
  return null
}

/** A number of seconds, a time in seconds or milliseconds since the epoch, or an ISO 8601 time. */
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

/** Larger than any life in seconds, and earlier than any token: September 2001, in seconds and in milliseconds. */
const LEAST_EPOCH_S = 1e9
const LEAST_EPOCH_MS = 1e12

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

/** Reads a token from the response of a token endpoint, under the names that are set or the usual ones, at any depth. */
export function readToken(answer: ApiAnswer, now: number, fields: TokenFieldNames): Held {
  const token = findText(answer.json, namesOf(fields, 'tokenField'))
  if (token === null) {
    const advice =
      fields.tokenField === null
        ? 'Check the token URL, or set the name of the access token field.'
        : `Its response has no field ${fields.tokenField}. Check the name of the access token field.`
    throw new AppError('SERVICE_REFUSED', `The token endpoint returned ${answer.status} without a token. ${advice}`, {
      details: { status: answer.status, body: answer.shown, sent: answer.sent },
    })
  }
  const end = endOfJwt(token)
  // What the answer says counts from now, whatever the clocks; the token's own claim is by the clock of the service.
  const life = lifeOf(answer.json, namesOf(fields, 'expiryField'), now) ?? (end === null ? UNKNOWN_LIFE_MS : end - now)
  const renewAt = now + life - Math.min(MARGIN_MS, life / 10)
  return { token, refreshToken: findText(answer.json, namesOf(fields, 'refreshTokenField')), renewAt }
}

/** Keeps the token of one environment; `ask` makes the call and rejects where it is refused. */
export function createTokens(
  credentials: { readonly clientId: string; readonly clientSecret: string },
  fields: TokenFieldNames,
  ask: (request: TokenRequest) => Promise<ApiAnswer>,
  now: () => number,
): Tokens {
  let held: Held | null = null
  let asking: Promise<Held> | null = null

  async function renew(): Promise<Held> {
    const refreshToken = held?.refreshToken ?? null
    if (refreshToken !== null) {
      try {
        const renewed = readToken(await ask({ ...credentials, refreshToken }), now(), fields)
        return { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken }
      } catch (error) {
        // A refresh token can end before its time: the credentials themselves decide.
        if (!(error instanceof AppError) || error.code !== 'SERVICE_REFUSED') throw error
      }
    }
    return readToken(await ask({ ...credentials, refreshToken: null }), now(), fields)
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
