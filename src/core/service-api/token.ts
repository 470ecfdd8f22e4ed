/**
 * Bearer authentication (section 5.3, announced for v2.0): requests a token with client ID and secret, keeps it until shortly
 * before it expires, and renews it with a refresh token if there is one. The spec shows neither the request nor the names in the
 * response, so these are settings of the environment with the usual names as defaults.
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

export type Tokens = ReturnType<typeof createTokens>

/** A token is renewed this long before it expires, in milliseconds; a short-lived one after nine tenths of its life. */
const MARGIN_MS = 30_000
/** How long to keep a token without an expiry, in milliseconds. */
const UNKNOWN_LIFE_MS = 300_000

interface Held {
  readonly token: string
  readonly refreshToken: string | null
  /** When to renew it, in milliseconds since the epoch. */
  readonly renewAt: number
}

/** Fields of the token response by setting; null for the usual names. */
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
  const token = findText(answer.json, namesOf(fields, 'tokenField'))
  if (token === null) {
    const advice =
      fields.tokenField === null
        ? 'Check the token URL, or set the name of the access token field.'
        : `Its response has no field ${fields.tokenField}. Check the name of the access token field.`
    throw new AppError(
      'SERVICE_REFUSED',
      `The token endpoint returned ${answer.status} without a token. ${advice}`,
      {
        details: { status: answer.status, body: answer.shown, sent: answer.sent },
      },
    )
  }
  const end = endOfJwt(token)
  // The response's lifetime counts from now, whatever the clocks. The token's own claim uses the service's clock.
  const life =
    lifeOf(answer.json, namesOf(fields, 'expiryField'), now) ??
    (end === null ? UNKNOWN_LIFE_MS : end - now)
  const renewAt = now + life - Math.min(MARGIN_MS, life / 10)
  return {
    token,
    refreshToken: findText(answer.json, namesOf(fields, 'refreshTokenField')),
    renewAt,
  }
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
