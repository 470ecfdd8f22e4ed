import type { Environment, SANDBOX_LIVE, SANDBOX_TEST } from '../../shared/model/environment.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { acknowledges } from '../../shared/service/limits.ts'

/** Returns a function that finds an environment by name, or the current one. */
export function environmentFinder(
  environments: readonly Environment[],
): (name?: string) => Environment | undefined {
  return (name) =>
    environments.find((environment) =>
      name === undefined ? environment.current : environment.name === name,
    )
}

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

/**
 * Returns an environment's acknowledgement rule; 200 only (spec 6.4) if the environment is unknown.
 */
export function acknowledgementRule(
  environments: readonly Pick<Environment, 'name' | 'ack'>[],
  name: string | null,
): Environment['ack'] {
  return environments.find((environment) => environment.name === name)?.ack ?? '200'
}

/**
 * Whether a response acknowledges (spec 6.4): 200, or any 2xx if the rule allows it; null while
 * pending.
 */
export function isAcknowledged(
  { status, ms }: DeliveryRow['answer'],
  rule: Environment['ack'],
): boolean | null {
  // Without a time, the connection is still open.
  if (status === null) return ms === null ? null : false
  return acknowledges(status, rule)
}
