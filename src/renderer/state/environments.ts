/** Finds environments as the core does, and tells which belong to the sandbox. */
import type { Environment, SANDBOX_LIVE, SANDBOX_TEST } from '../../shared/model/environment.ts'

/** Finds an environment by name, or the current one. */
export function environmentOf(
  environments: readonly Environment[],
): (name?: string) => Environment | undefined {
  return (wanted) =>
    environments.find(({ name, current }) => (wanted === undefined ? current : name === wanted))
}

/** The environments to choose from, each with its mode. */
export function environmentChoices(environments: readonly Environment[]) {
  return environments.map(({ name, mode }) => ({ value: name, label: `${name} (${mode})` }))
}

// Only the model's types are imported, so that its schemas aren't bundled.
const sandboxNames: readonly string[] = ['sandbox-test', 'sandbox-live'] satisfies readonly [
  typeof SANDBOX_TEST,
  typeof SANDBOX_LIVE,
]

export function isOfSandbox(environment: string): boolean {
  return sandboxNames.includes(environment)
}
