/** How an environment's service is reached, beside its base URL: kept as JSON, without secrets. */
import { z } from 'zod'
import type { StoredEnvironment } from '../store/environments-repo.ts'

export const connectionSchema = z.object({
  /** Bearer authentication (section 5.3, announced): who asks for the token, and where. */
  clientId: z.string().nullable().default(null),
  tokenUrl: z.string().nullable().default(null),
  /** Header that carries the token, in Bearer form. */
  authHeader: z.string().default('Authentication'),
  /** A certificate authority to trust beside those of the system, as PEM. */
  caPem: z.string().nullable().default(null),
  proxy: z.string().nullable().default(null),
  timeoutMs: z.number().int().min(100).max(600_000).default(30_000),
})
export type Connection = z.infer<typeof connectionSchema>

/** The connection of a stored environment; what is missing takes its default. */
export function connectionOf(environment: Pick<StoredEnvironment, 'connection'>): Connection {
  return connectionSchema.parse(JSON.parse(environment.connection))
}
