/** What becomes of an environment when a part of it is changed. */
import { environmentAddSchema, type EnvironmentAdd, type EnvironmentUpdate } from '../../shared/model/environment.ts'
import { connectionOf } from '../service-api/connection.ts'
import type { StoredEnvironment } from '../store/environments-repo.ts'

/** The whole of an environment with a change put in: the rules are about the whole. `secret` is the one that stays, if any. */
export function changedEnvironment(
  environment: StoredEnvironment,
  secret: string | null,
  change: EnvironmentUpdate,
): EnvironmentAdd {
  const { clientId, tokenUrl, authHeader, caPem, proxy, timeoutMs } = connectionOf(environment)
  const auth = change.auth ?? environment.auth
  return environmentAddSchema.parse({
    name: environment.name,
    mode: environment.mode,
    baseUrl: change.baseUrl ?? environment.baseUrl,
    prefix: change.prefix ?? environment.prefix,
    auth,
    ack: change.ack ?? environment.ack,
    key: auth === 'service-key' ? (change.key ?? secret ?? undefined) : undefined,
    clientId: auth === 'bearer' ? (change.clientId ?? clientId ?? undefined) : undefined,
    clientSecret: auth === 'bearer' ? (change.clientSecret ?? secret ?? undefined) : undefined,
    tokenUrl: auth === 'bearer' ? (change.tokenUrl ?? tokenUrl ?? undefined) : undefined,
    authHeader: change.authHeader ?? authHeader,
    caPem: change.caPem === undefined ? caPem : change.caPem,
    proxy: change.proxy === undefined ? proxy : change.proxy,
    timeoutMs: change.timeoutMs ?? timeoutMs,
  })
}
