/** Environment: an account of the service in one mode (sections 1 and 5). */
import { z } from 'zod'
import { updateSchemaOf, inForm, option } from './field-words.ts'
import { DEFAULT_PREFIX, PREFIX } from '../service/header-names.ts'
import { type Mode, modeSchema } from './delivery.ts'

export const tokenFormSchema = z.enum(['json', 'form'])
export const DEFAULT_API_VERSION = 'v1'

export const environmentSchema = z.object({
  name: z.string(),
  mode: modeSchema,
  baseUrl: z.string(),
  apiVersion: z.string(),
  prefix: z.string(),
  auth: z.enum(['service-key', 'bearer']),
  ack: z.enum(['200', '2xx']),
  current: z.boolean(),
  /** Secret key, masked unless requested; null if this host can't decrypt it. */
  key: z.string().nullable(),
  /** Known only for the sandbox (section 5.1). */
  publicKey: z.string().nullable(),
  clientId: z.string().nullable(),
  tokenUrl: z.string().nullable(),
  authHeader: z.string(),
  tokenForm: tokenFormSchema,
  /** Field names in the token response; null for the usual ones. */
  tokenField: z.string().nullable(),
  refreshTokenField: z.string().nullable(),
  expiryField: z.string().nullable(),
  tokenRequestFields: z.record(z.string(), z.string()),
  caPem: z.string().nullable(),
  proxy: z.string().nullable(),
  timeoutMs: z.number().int(),
})
export type Environment = z.infer<typeof environmentSchema>

const fieldName = z
  .string()
  .regex(/^[^\s\x00-\x1f\x7f]{1,128}$/, 'Enter 1 to 128 characters without whitespace')

export const prefixSchema = z
  .string()
  .regex(
    PREFIX,
    'Use up to 32 letters, digits and dashes. Start with a letter, and leave out the x-',
  )

const timeoutRange = 'Must be from 0.1 to 600 seconds'

const isBearer = ({ auth }: Readonly<Record<string, unknown>>) => auth === 'bearer'
const TOKEN_FIELDS = { part: 'Token fields', when: isBearer } as const
const MORE = { part: 'API version, headers, acknowledgement, connection' } as const

export const environmentAddSchema = z.object({
  name: inForm(
    z
      .string()
      .min(1)
      .max(64)
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
        'Use letters, digits, dots, dashes and underscores. Start with a letter or digit.',
      ),
    {
      label: 'Name',
      hint: "Letters, digits, dots, dashes and underscores. Can't be changed later.",
    },
  ),
  mode: option(
    z.enum(modeSchema.options),
    'mode of the account (not detectable from its key)',
    '<mode>',
    {
      label: 'Mode',
      hint: "Must match your key. Can't be changed later.",
      choices: { test: 'Test', live: 'Live' },
    },
  ),
  baseUrl: option(
    z.string().min(1),
    'base URL of the service, with or without the API version',
    '<url>',
    { label: 'Base URL', kind: 'url', placeholder: 'https://api.example.com' },
  ),
  apiVersion: option(
    z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/,
        'Use up to 32 letters, digits, dots, dashes and underscores, for example v1',
      )
      .default(DEFAULT_API_VERSION),
    'first part of API paths (default: v1)',
    '<version>',
    { label: 'API version', ...MORE },
  ),
  auth: option(
    z.enum(['service-key', 'bearer']).default('service-key'),
    'authentication',
    '<kind>',
    {
      label: 'Authentication',
      hint: 'Bearer tokens are announced for API version 2.0',
      choices: { 'service-key': 'Service key', bearer: 'Bearer token' },
    },
  ),
  key: inForm(z.string().trim().optional(), {
    label: 'Secret key',
    kind: 'secret',
    hint: "Starts with sk. Public keys (pk…) don't work.",
    isNeeded: true,
    when: (draft) => !isBearer(draft),
  }),
  clientId: option(z.string().optional(), 'bearer: client ID of the token request', '<id>', {
    label: 'Client ID',
    isNeeded: true,
    when: isBearer,
  }),
  clientSecret: inForm(z.string().trim().optional(), {
    label: 'Client secret',
    kind: 'secret',
    isNeeded: true,
    when: isBearer,
  }),
  tokenUrl: option(
    z.string().optional(),
    'bearer: token endpoint, as a URL or a path of the base URL',
    '<url>',
    {
      label: 'Token URL',
      kind: 'url',
      placeholder: '/oauth/token',
      isNeeded: true,
      when: isBearer,
    },
  ),
  tokenForm: option(
    tokenFormSchema.default('json'),
    'bearer: encoding of the token request (default: json)',
    '<form>',
    { label: 'Token request', choices: { json: 'JSON', form: 'Form' }, when: isBearer },
  ),
  authHeader: option(
    z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/, 'Use up to 64 letters, digits and dashes')
      .default('Authentication'),
    'bearer: header that carries the token (default: Authentication)',
    '<name>',
    { label: 'Token header', when: isBearer },
  ),
  tokenField: option(
    fieldName.nullable().default(null),
    'bearer: response field with the access token',
    '<name>',
    { label: 'Access token field', placeholder: 'access_token', ...TOKEN_FIELDS },
  ),
  refreshTokenField: option(
    fieldName.nullable().default(null),
    'bearer: field with the refresh token, in responses and requests',
    '<name>',
    { label: 'Refresh token field', placeholder: 'refresh_token', ...TOKEN_FIELDS },
  ),
  expiryField: option(
    fieldName.nullable().default(null),
    'bearer: response field with the lifetime or expiry time',
    '<name>',
    { label: 'Expiry field', placeholder: 'expires_in', ...TOKEN_FIELDS },
  ),
  tokenRequestFields: option(
    z.record(fieldName, z.string().max(4_096)).default({}),
    'bearer: extra field of the token request (repeatable)',
    '--token-request-field <name=value>',
    {
      label: 'Extra request fields',
      kind: 'lines',
      placeholder: 'scope=hooks',
      hint: 'One name=value per line. Stored as plain text.',
      expected: 'one name=value per line',
      ...TOKEN_FIELDS,
    },
  ),
  prefix: option(
    prefixSchema.default(DEFAULT_PREFIX),
    'service name in header names, x-NAME-signature (default: service)',
    '<name>',
    { label: 'Header prefix', ...MORE },
  ),
  ack: option(
    z.enum(['200', '2xx']).default('200'),
    'status that acknowledges a delivery (default: 200)',
    '<rule>',
    {
      label: 'Acknowledged by',
      hint: 'Responses that count as acknowledgement (the spec says 200)',
      choices: { '200': '200 only', '2xx': 'Any 2xx' },
      ...MORE,
    },
  ),
  caPem: option(
    z.string().nullable().default(null),
    "CA certificate to trust besides the system's (PEM)",
    '--ca <file>',
    { label: 'CA certificate', kind: 'certificate', ...MORE },
  ),
  proxy: option(z.string().nullable().default(null), 'HTTP proxy', '<url>', {
    label: 'Proxy',
    kind: 'url',
    placeholder: 'http://',
    ...MORE,
  }),
  timeoutMs: option(
    z
      .number()
      .int()
      .min(100, { error: timeoutRange })
      .max(600_000, { error: timeoutRange })
      .default(30_000),
    'max time for a response (default: 30)',
    '--timeout <seconds>',
    {
      label: 'Timeout in seconds',
      kind: 'seconds',
      expected: 'a number of seconds from 0.1 to 600',
      ...MORE,
    },
  ),
})
export type EnvironmentAdd = z.infer<typeof environmentAddSchema>

export const environmentUpdateSchema = updateSchemaOf(
  environmentAddSchema.omit({ name: true, mode: true }),
).extend({
  name: z.string(),
  live: option(z.boolean().default(false), 'allow changes to a live environment'),
})
export type EnvironmentUpdate = Omit<z.infer<typeof environmentUpdateSchema>, 'live'>

export const environmentCheckSchema = z.object({
  name: z.string(),
  outcome: z.enum(['ok', 'warning', 'failed']),
  /** Request, or the token request that failed. */
  sent: z.string().nullable(),
  learned: z.array(z.string()),
  status: z.number().int().nullable(),
  body: z.string().nullable(),
})
export type EnvironmentCheck = z.infer<typeof environmentCheckSchema>

export const SANDBOX_TEST = 'sandbox-test'
export const SANDBOX_LIVE = 'sandbox-live'

export function sandboxEnvironment(mode: Mode): typeof SANDBOX_LIVE | typeof SANDBOX_TEST {
  return mode === 'live' ? SANDBOX_LIVE : SANDBOX_TEST
}

export function isSandboxEnvironment(name: string): boolean {
  return name === SANDBOX_TEST || name === SANDBOX_LIVE
}

/** Base URL of the environments that come with shareable captures; nothing answers there. */
export const SHARED_BASE_URL = 'https://shared.hooks.example'

/** Whether an environment came with a shareable capture. */
export function isSharedEnvironment({ baseUrl }: Pick<Environment, 'baseUrl'>): boolean {
  return baseUrl === SHARED_BASE_URL
}

export interface EnvironmentFinding {
  readonly field: keyof EnvironmentAdd
  readonly section: string
  readonly message: string
}
