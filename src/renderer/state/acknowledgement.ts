/** Whether the service counts a response as an acknowledgement (spec 6.4), by the rule of the delivery's environment. */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Environment } from '../../shared/model/environment.ts'
import { acknowledges } from '../../shared/service/limits.ts'

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
