/** The sandbox's one account, seen through its two environments. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import { listed } from '../../shared/text/counted.ts'

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
