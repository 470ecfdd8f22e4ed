/** Which answers acknowledge a delivery (section 6.4 of the interface). */
import type { Environment } from '../model/environment.ts'

/** Whether a status acknowledges: 200 only, as the interface says, or any 2xx where the environment's rule is that. */
export function acknowledges(status: number, rule: Environment['ack']): boolean {
  return rule === '200' ? status === 200 : status >= 200 && status < 300
}
