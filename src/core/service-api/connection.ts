/** Connection settings of an environment besides its base URL, stored as JSON without secrets. */
import { z } from 'zod'
import { DEFAULT_API_VERSION, tokenFormSchema } from '../../shared/model/environment.ts'
import type { StoredEnvironment } from '../store/environments-repo.ts'

export const connectionSchema = z.object({
  apiVersion: z.string().default(DEFAULT_API_VERSION),
  /** Bearer authentication (section 5.3, announced): who requests the token, and where. */
  clientId: z.string().nullable().default(null),
  tokenUrl: z.string().nullable().default(null),
  /** Header for the bearer token. */
  authHeader: z.string().default('Authentication'),
  /** Field names of the token request and response; null for the usual names. */
  tokenForm: tokenFormSchema.default('json'),
  tokenField: z.string().nullable().default(null),
  refreshTokenField: z.string().nullable().default(null),
  expiryField: z.string().nullable().default(null),
  tokenRequestFields: z.record(z.string(), z.string()).default({}),
  /** A CA certificate to trust in addition to the system's, as PEM. */
  caPem: z.string().nullable().default(null),
  proxy: z.string().nullable().default(null),
  timeoutMs: z.number().int().min(100).max(600_000).default(30_000),
})
export type Connection = z.infer<typeof connectionSchema>

/** Whether a token URL is a path below the base URL, such as `/oauth/token`. */
export function isTokenPath(tokenUrl: string): boolean {
  return tokenUrl.startsWith('/') && !tokenUrl.startsWith('//')
}

/** The base of all API paths: base URL and version, which the base URL may already include. */
export function apiRoot(baseUrl: string, apiVersion: string): string {
  return `${withoutVersion(baseUrl, apiVersion)}/${apiVersion}`
}

/** The token endpoint's URL, which may be given as a path below the base URL. */
export function tokenEndpoint(baseUrl: string, { apiVersion, tokenUrl }: Connection): string {
  const url = tokenUrl ?? ''
  return isTokenPath(url) ? withoutVersion(baseUrl, apiVersion) + url : url
}

function withoutVersion(baseUrl: string, apiVersion: string): string {
  const base = baseUrl.replace(/\/+$/, '')
  return base.endsWith(`/${apiVersion}`) ? base.slice(0, -apiVersion.length - 1) : base
}

/** A stored environment's connection, with defaults for missing settings. */
export function connectionOf(environment: Pick<StoredEnvironment, 'connection'>): Connection {
  return connectionSchema.parse(JSON.parse(environment.connection))
}
