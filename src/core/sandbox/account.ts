/** The one account of the sandbox, as its two environments see it. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'

/** A mode of the one account, under the name of the environment that stands for it, with its pair of keys (section 5.1). */
export interface SandboxAccount {
  readonly environment: string
  readonly mode: Mode
  readonly publicKey: string
  readonly secretKey: string
}

/** The account under the name of an environment; by default the first. */
export function sandboxAccount(accounts: readonly SandboxAccount[], environment: string | undefined): SandboxAccount {
  const account = environment === undefined ? accounts[0] : accounts.find((each) => each.environment === environment)
  if (account !== undefined) return account
  const names = accounts.map((each) => each.environment).join(' and ')
  throw new AppError('NOT_FOUND', `The sandbox has no environment ${environment ?? ''}: it serves ${names}.`)
}
