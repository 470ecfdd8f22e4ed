/**
 * Bearer authentication (section 5.3, announced for v2.0). Field names are settings, because the
 * spec shows none.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { counted } from '../../shared/text/english.ts'
import type { Connection } from './connection.ts'
import { objectsIn, type ApiAnswer, findText } from './exchange.ts'

export interface TokenRequest {
  readonly clientId: string
  readonly clientSecret: string
  readonly refreshToken: string | null
}

/** Milliseconds before its end when a token is renewed, but at most a tenth of its life. */
const MARGIN_MS = 30_000
/** Milliseconds that a token of unknown life is used. */
const UNKNOWN_LIFE_MS = 300_000

/** Characters of the longest token that is sent. */
const MOST_TOKEN = 4_096

interface HeldToken {
  readonly token: string
  readonly refreshToken: string | null
  /** Milliseconds since the epoch. */
  readonly renewAt: number
}

/** Field names in a token response; null for the usual names. */
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

/** Returns the life of a token that its response states, in milliseconds, or null. */
function lifeOf(json: unknown, names: readonly string[], now: number): number | null {
  for (const { fields } of objectsIn(json)) {
    for (const name of names) {
      const life = lifeIn(fields[name], now)
      if (life !== null) return life
    }
  }
  return null
}

/** Converts seconds, a time since the epoch or an ISO 8601 time to milliseconds from now. */
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

/** Number from which one is a time since the epoch: September 2001, above any lifetime. */
const LEAST_EPOCH_S = 1e9
const LEAST_EPOCH_MS = 1e12

/** Returns the unverified `exp` of a JWT in milliseconds, or null. */
function endOfJwt(token: string): number | null {
  try {
    const claims = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'),
    ) as { exp?: unknown }
    return typeof claims.exp === 'number' ? claims.exp * 1_000 : null
  } catch {
    return null
  }
}

/** Reads a token from its response. Throws `SERVICE_REFUSED` if there is none to use. */
export function readToken(answer: ApiAnswer, now: number, fields: TokenFieldNames): HeldToken {
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
  // The response's lifetime counts from now; the token's own claim uses the service's clock.
  const life =
    lifeOf(json, namesOf(fields, 'expiryField'), now) ??
    (end === null ? UNKNOWN_LIFE_MS : end - now)
  const renewAt = now + life - Math.min(MARGIN_MS, life / 10)
  return { token, refreshToken, renewAt }
}

/** Creates the source of tokens, which keeps one and renews it with `ask`. */
export function createTokens(
  credentials: { readonly clientId: string; readonly clientSecret: string },
  fields: TokenFieldNames,
  ask: (request: TokenRequest) => Promise<ApiAnswer>,
  now: () => number,
) {
  let held: HeldToken | null = null
  let asking: Promise<HeldToken> | null = null

  async function renew(): Promise<HeldToken> {
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
    known: (): readonly string[] =>
      held === null ? [] : [held.token, ...(held.refreshToken === null ? [] : [held.refreshToken])],
  }
}
