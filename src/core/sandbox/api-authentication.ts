/** Who calls the API: the key header decides the account and its mode (section 5.1). */
import { headerNames } from '../../shared/service/header-names.ts'
import { equalBytes } from '../signature/verify.ts'
import type { SandboxAccount } from './account.ts'
import { ApiError } from './api-error.ts'

/** The account that the value of the key header belongs to. Throws `not-authenticated`, with the reason. */
export function authenticate(accounts: readonly SandboxAccount[], prefix: string, value: string | undefined): SandboxAccount {
  const { key: name } = headerNames(prefix)
  if (value === undefined || value === '') {
    throw new ApiError(
      'not-authenticated',
      `The header ${name} is missing. Send it with the secret key of the environment (section 5.1).`,
    )
  }
  const account = accounts.find(({ secretKey }) => secretKey !== '' && equalBytes(secretKey, value))
  if (account !== undefined) return account
  if (accounts.some(({ publicKey }) => publicKey !== '' && equalBytes(publicKey, value)) || value.startsWith('pk')) {
    throw new ApiError(
      'not-authenticated',
      `This is a public key (pk…). Requests are authenticated by the secret key (sk…), section 5.1.`,
    )
  }
  throw new ApiError(
    'not-authenticated',
    'No environment has this key. Copy the secret key (sk…) of the environment that is meant.',
  )
}
