/** Connection settings of an environment besides its base URL, stored as JSON without secrets, and which addresses are public. */
import { z } from 'zod'
import { BlockList, isIP } from 'node:net'
import { DEFAULT_API_VERSION, tokenFormSchema } from '../../shared/model/environment.ts'
import type { StoredEnvironment } from '../store/hooks.ts'

// Decides which IP addresses others can reach, because a service elsewhere can't deliver to the rest. Lives here because hooks may
// not import node:net.

const NOT_PUBLIC: readonly [string, number, 'ipv4' | 'ipv6'][] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
]

const notPublic = new BlockList()
for (const [net, prefix, family] of NOT_PUBLIC) notPublic.addSubnet(net, prefix, family)

/** Whether only this computer or its network can reach an IP address. Handles IPv4 inside IPv6. */
export function isNotPublic(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && notPublic.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

export function isAddress(text: string): boolean {
  return isIP(text) !== 0
}

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

/** A stored environment's connection, with defaults for missing settings and if the settings are damaged. */
export function connectionOf(environment: Pick<StoredEnvironment, 'connection'>): Connection {
  const { data } = connectionSchema.safeParse(JSON.parse(environment.connection))
  return data ?? connectionSchema.parse({})
}
