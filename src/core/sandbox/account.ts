/** The sandbox's one account, seen through its two environments, and its tokens. */
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import { listed } from '../../shared/text/counted.ts'
import { equalBytes } from '../signature/verify.ts'
import { ApiError } from './api-error.ts'
import { ACCOUNT_ID } from './world.ts'

// Tokens of the announced version 2.0 (section 5.3): JWTs that the sandbox signs and verifies. The spec gives neither path nor
// names, so these are the sandbox's choice: client id and secret are the public and the secret key.

export const TOKEN_PATH = '/v2/token'
const TOKEN_LIFE_S = 3_600
const REFRESH_LIFE_S = 86_400

const claimsSchema = z.object({
  sub: z.string(),
  mode: z.enum(['test', 'live']),
  use: z.enum(['access', 'refresh']),
  exp: z.number(),
})
type Claims = z.infer<typeof claimsSchema>

const HEADER = encode({ alg: 'HS256', typ: 'JWT' })

/**
 * Responds to a token request. Throws `not-authenticated` for wrong credentials, `invalid-request` for a request without
 * credentials.
 */
export function grantToken(
  accounts: readonly SandboxAccount[],
  fields: Readonly<Record<string, unknown>>,
  now: number,
): object {
  const { client_id: id, client_secret: secret, refresh_token: refresh } = fields
  if (typeof refresh === 'string') return answer(readToken(accounts, refresh, 'refresh', now), now)
  if (typeof id !== 'string' || typeof secret !== 'string') {
    throw new ApiError(
      'invalid-request',
      'Send client_id and client_secret, or a refresh_token (spec 5.3).',
    )
  }
  const account = accounts.find(
    ({ publicKey, secretKey }) => equalBytes(publicKey, id) && equalBytes(secretKey, secret),
  )
  if (account !== undefined && account.secretKey !== '') return answer(account, now)
  throw new ApiError(
    'not-authenticated',
    "Unknown client id or secret. Use the environment's public and secret key.",
  )
}

/** The account of a bearer token. Throws `not-authenticated` with the reason. */
export function accountOfToken(
  accounts: readonly SandboxAccount[],
  token: string,
  now: number,
): SandboxAccount {
  return readToken(accounts, token, 'access', now)
}

function answer(account: SandboxAccount, now: number): object {
  return {
    access_token: makeToken(account, 'access', now + TOKEN_LIFE_S * 1_000),
    token_type: 'Bearer',
    expires_in: TOKEN_LIFE_S,
    refresh_token: makeToken(account, 'refresh', now + REFRESH_LIFE_S * 1_000),
  }
}

function makeToken(
  { mode, secretKey }: SandboxAccount,
  use: Claims['use'],
  endsAt: number,
): string {
  const claims: Claims = { sub: ACCOUNT_ID, mode, use, exp: Math.floor(endsAt / 1_000) }
  const text = `${HEADER}.${encode(claims)}`
  return `${text}.${sign(text, secretKey)}`
}

function readToken(
  accounts: readonly SandboxAccount[],
  token: string,
  use: Claims['use'],
  now: number,
): SandboxAccount {
  const [header = '', body = '', signature = '', ...more] = token.split('.')
  const account = accounts.find(
    ({ secretKey }) =>
      secretKey !== '' &&
      more.length === 0 &&
      equalBytes(sign(`${header}.${body}`, secretKey), signature),
  )
  // Only tokens that this sandbox signed are read, so it is JSON; it may be a token for the other use.
  const claims =
    account === undefined
      ? null
      : claimsSchema.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString()))
  if (
    account === undefined ||
    claims?.success !== true ||
    claims.data.use !== use ||
    claims.data.mode !== account.mode
  ) {
    throw new ApiError('not-authenticated', `This isn't a valid ${use} token of this service.`)
  }
  if (claims.data.exp * 1_000 <= now) {
    throw new ApiError(
      'not-authenticated',
      `The ${use} token has expired. Request a new one at ${TOKEN_PATH}.`,
    )
  }
  return account
}

/** The key is derived from the secret key, so that tokens outlive a restart and end with the key. */
function sign(text: string, secretKey: string): string {
  return createHmac('sha256', `token ${secretKey}`).update(text).digest('base64url')
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** One mode of the account, under the name of the environment that represents it, with its pair of keys (section 5.1). */
export interface SandboxAccount {
  readonly environment: string
  readonly mode: Mode
  readonly publicKey: string
  readonly secretKey: string
}

/** The account by environment name; the first one by default. */
export function sandboxAccount(
  accounts: readonly SandboxAccount[],
  environment: string | undefined,
): SandboxAccount {
  const account =
    environment === undefined
      ? accounts[0]
      : accounts.find((each) => each.environment === environment)
  if (account !== undefined) return account
  const names = listed(
    accounts.map((each) => each.environment),
    'and',
  )
  throw new AppError(
    'NOT_FOUND',
    `Environment ${environment ?? ''} not found in the sandbox. It has ${names}.`,
  )
}
