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
  const kept = connectionOf(environment)
  const auth = change.auth ?? environment.auth
  return environmentAddSchema.parse({
    name: environment.name,
    mode: environment.mode,
    baseUrl: change.baseUrl ?? environment.baseUrl,
    apiVersion: change.apiVersion ?? kept.apiVersion,
    prefix: change.prefix ?? environment.prefix,
    auth,
    ack: change.ack ?? environment.ack,
    key: auth === 'service-key' ? (change.key ?? secret ?? undefined) : undefined,
    clientId: auth === 'bearer' ? (change.clientId ?? kept.clientId ?? undefined) : undefined,
    clientSecret: auth === 'bearer' ? (change.clientSecret ?? secret ?? undefined) : undefined,
    tokenUrl: auth === 'bearer' ? (change.tokenUrl ?? kept.tokenUrl ?? undefined) : undefined,
    authHeader: change.authHeader ?? kept.authHeader,
    tokenForm: change.tokenForm ?? kept.tokenForm,
    tokenField: change.tokenField === undefined ? kept.tokenField : change.tokenField,
    refreshTokenField: change.refreshTokenField === undefined ? kept.refreshTokenField : change.refreshTokenField,
    expiryField: change.expiryField === undefined ? kept.expiryField : change.expiryField,
    tokenRequestFields: change.tokenRequestFields ?? kept.tokenRequestFields,
    caPem: change.caPem === undefined ? kept.caPem : change.caPem,
    proxy: change.proxy === undefined ? kept.proxy : change.proxy,
    timeoutMs: change.timeoutMs ?? kept.timeoutMs,
  })
}
