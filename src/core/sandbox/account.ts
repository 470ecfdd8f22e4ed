/** The one account of the sandbox, as its two environments see it. */
import type { Mode } from '../../shared/model/delivery.ts'

/** A mode of the one account, under the name of the environment that stands for it, with its pair of keys (section 5.1). */
export interface SandboxAccount {
  readonly environment: string
  readonly mode: Mode
  readonly publicKey: string
  readonly secretKey: string
}
