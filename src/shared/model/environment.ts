/** An environment: one account of the service in one mode, with its address and how to authenticate there (sections 1 and 5). */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'

export const environmentSchema = z.object({
  name: z.string(),
  mode: modeSchema,
  baseUrl: z.string(),
  /** The service's own name as it stands in its header names: `x-<prefix>-signature`. */
  prefix: z.string(),
  auth: z.enum(['service-key', 'bearer']),
  /** Which answers acknowledge a delivery: 200 only, as the interface says, or any 2xx. */
  ack: z.enum(['200', '2xx']),
  current: z.boolean(),
  /** The secret key, masked but for its last characters unless asked for; null where there is none. */
  key: z.string().nullable(),
})
export type Environment = z.infer<typeof environmentSchema>

export const SANDBOX_TEST = 'sandbox-test'
export const SANDBOX_LIVE = 'sandbox-live'

/** Whether an environment is one of the two that the sandbox on this machine serves. */
export function isSandboxEnvironment(name: string): boolean {
  return name === SANDBOX_TEST || name === SANDBOX_LIVE
}
