/** An environment: one account of the service in one mode, with its address and how to authenticate there (sections 1 and 5). */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'

/** How a token request is encoded. */
export const tokenFormSchema = z.enum(['json', 'form'])
export const DEFAULT_API_VERSION = 'v1'

export const environmentSchema = z.object({
  name: z.string(),
  mode: modeSchema,
  baseUrl: z.string(),
  /** First part of the paths of the API, such as `v1` (section 9). */
  apiVersion: z.string(),
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
  tokenForm: tokenFormSchema,
  /** Fields of the token response; null: the usual names. */
  tokenField: z.string().nullable(),
  refreshTokenField: z.string().nullable(),
  expiryField: z.string().nullable(),
  /** Sent with each token request, beside the client's id and secret. */
  tokenRequestFields: z.record(z.string(), z.string()),
  /** A certificate authority that is trusted beside those of the system, as PEM. */
  caPem: z.string().nullable(),
  proxy: z.string().nullable(),
  /** How long an answer may take, in milliseconds. */
  timeoutMs: z.number().int(),
})
export type Environment = z.infer<typeof environmentSchema>

const baseUrlSchema = z.string().min(1)

/** Name of a field of a token request or response. */
const fieldName = z.string().regex(/^[^\s\x00-\x1f\x7f]{1,128}$/, '1 to 128 characters, without whitespace')

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
  apiVersion: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/, 'Letters, digits, dot, dash and underscore; 32 at most, for example v1')
    .default(DEFAULT_API_VERSION),
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
  tokenForm: tokenFormSchema.default('json'),
  tokenField: fieldName.nullable().default(null),
  refreshTokenField: fieldName.nullable().default(null),
  expiryField: fieldName.nullable().default(null),
  tokenRequestFields: z.record(fieldName, z.string().max(4_096)).default({}),
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
  apiVersion: environmentAddSchema.shape.apiVersion.unwrap().optional(),
  prefix: environmentAddSchema.shape.prefix.unwrap().optional(),
  ack: z.enum(['200', '2xx']).optional(),
  auth: z.enum(['service-key', 'bearer']).optional(),
  key: z.string().optional(),
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  tokenUrl: z.string().optional(),
  authHeader: environmentAddSchema.shape.authHeader.unwrap().optional(),
  tokenForm: tokenFormSchema.optional(),
  tokenField: fieldName.nullable().optional(),
  refreshTokenField: fieldName.nullable().optional(),
  expiryField: fieldName.nullable().optional(),
  tokenRequestFields: environmentAddSchema.shape.tokenRequestFields.unwrap().optional(),
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
