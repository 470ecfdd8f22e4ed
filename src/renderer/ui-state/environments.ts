/** Environments: found as in the core, those of the sandbox, and what acknowledges in each. */
import type { Environment, SANDBOX_LIVE, SANDBOX_TEST } from '../../shared/model/environment.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { acknowledges } from '../../shared/service/limits.ts'

/** Finds an environment by name, or the current one. */
export function environmentOf(
  environments: readonly Environment[],
): (name?: string) => Environment | undefined {
  return (wanted) =>
    environments.find(({ name, current }) => (wanted === undefined ? current : name === wanted))
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

// What the service counts as an acknowledgement (spec 6.4).

/** An environment's rule, by name. The spec's rule (200 only) if the environment is unknown. */
export function acknowledgementRule(
  environments: readonly Pick<Environment, 'name' | 'ack'>[],
  name: string | null,
): Environment['ack'] {
  return environments.find((environment) => environment.name === name)?.ack ?? '200'
}

/** Whether a response acknowledges: 200, or any 2xx if the environment allows it. Null if there is no response yet. */
export function isAcknowledged(
  { status, ms }: DeliveryRow['answer'],
  rule: Environment['ack'],
): boolean | null {
  // Without a time, the connection is still open.
  if (status === null) return ms === null ? null : false
  return acknowledges(status, rule)
}
