/** Whether the service takes an answer for an acknowledgement (section 6.4 of the interface), by the rule of the delivery's environment. */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Environment } from '../../shared/model/environment.ts'
import { acknowledges } from '../../shared/service/acknowledges.ts'

/** The rule of an environment by its name: 200 only, as the interface says, where the environment is not known. */
export function acknowledgementRule(
  environments: readonly Pick<Environment, 'name' | 'ack'>[],
  name: string | null,
): Environment['ack'] {
  return environments.find((environment) => environment.name === name)?.ack ?? '200'
}

/** Whether an answer acknowledges: 200, or any 2xx where the environment says so. Null: there is none yet. */
export function isAcknowledged({ status, ms }: DeliveryRow['answer'], rule: Environment['ack']): boolean | null {
  // Without a time, the connection is still open.
  if (status === null) return ms === null ? null : false
  return acknowledges(status, rule)
}
