/** Which environments belong to the sandbox. Only the model's types are imported, so that its schemas aren't bundled. */
import type { SANDBOX_LIVE, SANDBOX_TEST } from '../../shared/model/environment.ts'

const sandboxNames: readonly string[] = ['sandbox-test', 'sandbox-live'] satisfies readonly [
  typeof SANDBOX_TEST,
  typeof SANDBOX_LIVE,
]

export function isOfSandbox(environment: string): boolean {
  return sandboxNames.includes(environment)
}
