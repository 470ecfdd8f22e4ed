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
  /** The secret key, masked but for its last characters unless asked for; null where there is none, or none that this host can open. */
  key: z.string().nullable(),
  /** The public key, where it is known: that of the sandbox's own environments (section 5.1). It is no secret. */
  publicKey: z.string().nullable(),
  /** Of bearer authentication (section 5.3); null where it has none. */
  clientId: z.string().nullable(),
  tokenUrl: z.string().nullable(),
  /** The header that carries the token. */
  authHeader: z.string(),
  /** A certificate authority that is trusted beside those of the system, as PEM. */
  caPem: z.string().nullable(),
  proxy: z.string().nullable(),
  /** How long an answer may take, in milliseconds. */
  timeoutMs: z.number().int(),
})
export type Environment = z.infer<typeof environmentSchema>

const baseUrlSchema = z.string().min(1)

const timeoutRange = 'From 0.1 to 600 seconds'

/** What a user gives to add an environment. The mode is always given: the interface does not say how a key shows it. */
export const environmentAddSchema = z.object({
  name: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'Letters, digits, dot, dash and underscore, beginning with a letter or digit'),
  mode: modeSchema,
  baseUrl: baseUrlSchema,
  prefix: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,31}$/, 'Letters, digits and dashes, beginning with a letter; 32 at most')
    .default('service'),
  auth: z.enum(['service-key', 'bearer']).default('service-key'),
  ack: z.enum(['200', '2xx']).default('200'),
  /** The secret key of `service-key` authentication (section 5.1). */
  key: z.string().optional(),
  /** Of bearer authentication (section 5.3, announced). */
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  tokenUrl: z.string().optional(),
  authHeader: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'Letters, digits and dashes; 64 at most')
    .default('Authentication'),
  /** A certificate authority to trust beside those of the system, as PEM. */
  caPem: z.string().nullable().default(null),
  proxy: z.string().nullable().default(null),
  timeoutMs: z.number().int().min(100, { error: timeoutRange }).max(600_000, { error: timeoutRange }).default(30_000),
})
export type EnvironmentAdd = z.infer<typeof environmentAddSchema>

/** What is to change of an environment; its name and mode stay. */
export const environmentUpdateSchema = z.object({
  name: z.string(),
  baseUrl: baseUrlSchema.optional(),
  prefix: environmentAddSchema.shape.prefix.unwrap().optional(),
  ack: z.enum(['200', '2xx']).optional(),
  auth: z.enum(['service-key', 'bearer']).optional(),
  key: z.string().optional(),
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  tokenUrl: z.string().optional(),
  authHeader: environmentAddSchema.shape.authHeader.unwrap().optional(),
  caPem: z.string().nullable().optional(),
  proxy: z.string().nullable().optional(),
  timeoutMs: environmentAddSchema.shape.timeoutMs.unwrap().optional(),
})
export type EnvironmentUpdate = z.infer<typeof environmentUpdateSchema>

/** What one harmless call to the service has taught. */
export const environmentCheckSchema = z.object({
  name: z.string(),
  outcome: z.enum(['ok', 'warning', 'failed']),
  /** Each a sentence, in the order in which it was learned. */
  learned: z.array(z.string()),
  /** The answer, verbatim but for secrets; null where none came. */
  status: z.number().int().nullable(),
  body: z.string().nullable(),
})
export type EnvironmentCheck = z.infer<typeof environmentCheckSchema>

export const SANDBOX_TEST = 'sandbox-test'
export const SANDBOX_LIVE = 'sandbox-live'

/** Whether an environment is one of the two that the sandbox on this machine serves. */
export function isSandboxEnvironment(name: string): boolean {
  return name === SANDBOX_TEST || name === SANDBOX_LIVE
}

/** What keeps an environment from being used: at which field of what was given, and the section of the interface, where one rules it. */
export interface EnvironmentFinding {
  readonly field: keyof EnvironmentAdd
  readonly section: string
  readonly message: string
}
