/** Connection settings of an environment besides its base URL, stored as JSON without secrets. */
import { z } from 'zod'
import { environmentAddSchema } from '../../shared/model/environment.ts'
import type { StoredEnvironment } from '../store/environments.ts'

const { apiVersion: version, ...settings } = environmentAddSchema.pick({
  apiVersion: true,
  authHeader: true,
  tokenForm: true,
  tokenField: true,
  refreshTokenField: true,
  expiryField: true,
  tokenRequestFields: true,
  caPem: true,
  proxy: true,
  timeoutMs: true,
}).shape

export const connectionSchema = z.object({
  apiVersion: version,
  /** Bearer authentication (section 5.3, announced). */
  clientId: z.string().nullable().default(null),
  tokenUrl: z.string().nullable().default(null),
  ...settings,
})
export type Connection = z.infer<typeof connectionSchema>

/** Whether a token URL is a path below the base URL. */
export function isTokenPath(tokenUrl: string): boolean {
  return tokenUrl.startsWith('/') && !tokenUrl.startsWith('//')
}

export function apiRoot(baseUrl: string, apiVersion: string): string {
  return `${withoutVersion(baseUrl, apiVersion)}/${apiVersion}`
}

export function tokenEndpoint(baseUrl: string, { apiVersion, tokenUrl }: Connection): string {
  const url = tokenUrl ?? ''
  return isTokenPath(url) ? withoutVersion(baseUrl, apiVersion) + url : url
}

function withoutVersion(baseUrl: string, apiVersion: string): string {
  const base = baseUrl.replace(/(?<!\/)\/+$/, '')
  return base.endsWith(`/${apiVersion}`) ? base.slice(0, -apiVersion.length - 1) : base
}

/** Parses an environment's connection settings; defaults replace missing and damaged ones. */
export function connectionOf(environment: Pick<StoredEnvironment, 'connection'>): Connection {
  const { data } = connectionSchema.safeParse(JSON.parse(environment.connection))
  return data ?? connectionSchema.parse({})
}
