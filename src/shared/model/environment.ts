/** An environment: one service account in one mode, with its base URL and credentials (sections 1 and 5). */
import { z } from 'zod'
import { DEFAULT_PREFIX } from '../service/header-rules.ts'
import { type Mode, modeSchema } from './delivery.ts'

/** Encoding of a token request. */
export const tokenFormSchema = z.enum(['json', 'form'])
export const DEFAULT_API_VERSION = 'v1'

export const environmentSchema = z.object({
  name: z.string(),
  mode: modeSchema,
  baseUrl: z.string(),
  /** First part of the API's paths, such as `v1` (section 9). */
  apiVersion: z.string(),
  /** The service's own name in its header names: `x-<prefix>-signature`. */
  prefix: z.string(),
  auth: z.enum(['service-key', 'bearer']),
  /** Which responses acknowledge a delivery: 200 only, as the spec says, or any 2xx. */
  ack: z.enum(['200', '2xx']),
  current: z.boolean(),
  /**
   * The secret key, masked except for its last characters unless requested; null if there is none, or if this host can't decrypt
   * it.
   */
  key: z.string().nullable(),
  /** The public key, known for the sandbox's own environments only (section 5.1). It isn't secret. */
  publicKey: z.string().nullable(),
  /** Settings of bearer authentication (section 5.3); null if unused. */
  clientId: z.string().nullable(),
  tokenUrl: z.string().nullable(),
  /** The header that carries the token. */
  authHeader: z.string(),
  tokenForm: tokenFormSchema,
  /** Field names in the token response; null for the usual names. */
  tokenField: z.string().nullable(),
  refreshTokenField: z.string().nullable(),
  expiryField: z.string().nullable(),
  /** Fields added to each token request, besides the client id and secret. */
  tokenRequestFields: z.record(z.string(), z.string()),
  /** A CA certificate to trust in addition to the system's, as PEM. */
  caPem: z.string().nullable(),
  proxy: z.string().nullable(),
  /** Request timeout, in milliseconds. */
  timeoutMs: z.number().int(),
})
export type Environment = z.infer<typeof environmentSchema>

const baseUrlSchema = z.string().min(1)

/** Name of a field in a token request or response. */
const fieldName = z
  .string()
  .regex(/^[^\s\x00-\x1f\x7f]{1,128}$/, 'Enter 1 to 128 characters without whitespace')

/** The service's own name in its header names: `x-<prefix>-signature`. */
export const prefixSchema = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9-]{0,31}$/,
    'Use up to 32 letters, digits and dashes. Start with a letter',
  )

const timeoutRange = 'Must be from 0.1 to 600 seconds'

/** Input for adding an environment. The mode is required, because the spec doesn't say how to tell it from a key. */
export const environmentAddSchema = z.object({
  name: z
    .string()
    .min(1)
    .max(64)
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
      'Use letters, digits, dots, dashes and underscores. Start with a letter or digit.',
    ),
  mode: modeSchema,
  baseUrl: baseUrlSchema,
  apiVersion: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/,
      'Use up to 32 letters, digits, dots, dashes and underscores, for example v1',
    )
    .default(DEFAULT_API_VERSION),
  prefix: prefixSchema.default(DEFAULT_PREFIX),
  auth: z.enum(['service-key', 'bearer']).default('service-key'),
  ack: z.enum(['200', '2xx']).default('200'),
  /** The secret key for `service-key` authentication (section 5.1). */
  key: z.string().optional(),
  /** For bearer authentication (section 5.3, announced). */
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  tokenUrl: z.string().optional(),
  authHeader: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'Use up to 64 letters, digits and dashes')
    .default('Authentication'),
  tokenForm: tokenFormSchema.default('json'),
  tokenField: fieldName.nullable().default(null),
  refreshTokenField: fieldName.nullable().default(null),
  expiryField: fieldName.nullable().default(null),
  tokenRequestFields: z.record(fieldName, z.string().max(4_096)).default({}),
  /** A CA certificate to trust in addition to the system's, as PEM. */
  caPem: z.string().nullable().default(null),
  proxy: z.string().nullable().default(null),
  timeoutMs: z
    .number()
    .int()
    .min(100, { error: timeoutRange })
    .max(600_000, { error: timeoutRange })
    .default(30_000),
})
export type EnvironmentAdd = z.infer<typeof environmentAddSchema>

/** Changes to an environment. Its name and mode can't change. A live environment requires `live: true`. */
export const environmentUpdateSchema = z.object({
  name: z.string(),
  live: z.boolean().default(false),
  baseUrl: baseUrlSchema.optional(),
  apiVersion: environmentAddSchema.shape.apiVersion.unwrap().optional(),
  prefix: prefixSchema.optional(),
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

/** The result of a harmless test call to the service. */
export const environmentCheckSchema = z.object({
  name: z.string(),
  outcome: z.enum(['ok', 'warning', 'failed']),
  /** Method and URL of the call, or of the token request that failed before it; null if nothing could be sent. */
  sent: z.string().nullable(),
  /** One sentence each, in the order found. */
  learned: z.array(z.string()),
  /** The response, verbatim except for secrets; null if there was none. */
  status: z.number().int().nullable(),
  body: z.string().nullable(),
})
export type EnvironmentCheck = z.infer<typeof environmentCheckSchema>

export const SANDBOX_TEST = 'sandbox-test'
export const SANDBOX_LIVE = 'sandbox-live'

/** The sandbox's environment in a mode. */
export function sandboxEnvironment(mode: Mode): typeof SANDBOX_LIVE | typeof SANDBOX_TEST {
  return mode === 'live' ? SANDBOX_LIVE : SANDBOX_TEST
}

/** Whether this is one of the sandbox's two environments. */
export function isSandboxEnvironment(name: string): boolean {
  return name === SANDBOX_TEST || name === SANDBOX_LIVE
}

/** A problem that makes an environment unusable: the input field it concerns, and the section of the spec, if any. */
export interface EnvironmentFinding {
  readonly field: keyof EnvironmentAdd
  readonly section: string
  readonly message: string
}
