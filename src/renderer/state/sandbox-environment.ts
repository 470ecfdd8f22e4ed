/** Which environments are the sandbox's own. The names are the model's; only their types are taken, so that no schema is bundled. */
import type { SANDBOX_LIVE, SANDBOX_TEST } from '../../shared/model/environment.ts'

const sandboxNames: readonly string[] = ['sandbox-test', 'sandbox-live'] satisfies readonly [
  typeof SANDBOX_TEST,
  typeof SANDBOX_LIVE,
]

export function isOfSandbox(environment: string): boolean {
  return sandboxNames.includes(environment)
}
