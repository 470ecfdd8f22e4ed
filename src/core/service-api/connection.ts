/** How an environment's service is reached, beside its base URL: kept as JSON, without secrets. */
import { z } from 'zod'
import { DEFAULT_API_VERSION, tokenFormSchema } from '../../shared/model/environment.ts'
import type { StoredEnvironment } from '../store/environments-repo.ts'

export const connectionSchema = z.object({
  apiVersion: z.string().default(DEFAULT_API_VERSION),
  /** Bearer authentication (section 5.3, announced): who asks for the token, and where. */
  clientId: z.string().nullable().default(null),
  tokenUrl: z.string().nullable().default(null),
  /** Header that carries the token, in Bearer form. */
  authHeader: z.string().default('Authentication'),
  /** How the token is requested, and the fields of its response; null: the usual names. */
  tokenForm: tokenFormSchema.default('json'),
  tokenField: z.string().nullable().default(null),
  refreshTokenField: z.string().nullable().default(null),
  expiryField: z.string().nullable().default(null),
  tokenRequestFields: z.record(z.string(), z.string()).default({}),
  /** A certificate authority to trust beside those of the system, as PEM. */
  caPem: z.string().nullable().default(null),
  proxy: z.string().nullable().default(null),
  timeoutMs: z.number().int().min(100).max(600_000).default(30_000),
})
export type Connection = z.infer<typeof connectionSchema>

/** Whether a token URL is a path at the base URL, such as `/oauth/token`. */
export function isTokenPath(tokenUrl: string): boolean {
  return tokenUrl.startsWith('/') && !tokenUrl.startsWith('//')
}

/** Where the paths of the API begin: the base URL and the version, which the base URL may already end in. */
export function apiRoot(baseUrl: string, apiVersion: string): string {
  return `${withoutVersion(baseUrl, apiVersion)}/${apiVersion}`
}

/** The token endpoint: its URL, or its path at the base URL. */
export function tokenEndpoint(baseUrl: string, { apiVersion, tokenUrl }: Connection): string {
  const url = tokenUrl ?? ''
  return isTokenPath(url) ? withoutVersion(baseUrl, apiVersion) + url : url
}

function withoutVersion(baseUrl: string, apiVersion: string): string {
  const base = baseUrl.replace(/\/+$/, '')
  return base.endsWith(`/${apiVersion}`) ? base.slice(0, -apiVersion.length - 1) : base
}

/** The connection of a stored environment; what is missing takes its default. */
export function connectionOf(environment: Pick<StoredEnvironment, 'connection'>): Connection {
  return connectionSchema.parse(JSON.parse(environment.connection))
}
