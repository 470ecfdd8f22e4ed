/** API clients of the environments, with decrypted secrets. */
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment, type EnvironmentCheck } from '../../shared/model/environment.ts'
import type { Clock, Ids } from '../base/deps.ts'
import { ApiClient, type ApiAccount } from '../service-api/api-client.ts'
import { connectionOf } from '../service-api/connection.ts'
import { type ApiAnswer, callText, failedCall } from '../service-api/exchange.ts'
import type { StoredEnvironment } from '../store/environments.ts'
import type { Environments } from './environments.ts'

export type ServiceClients = ReturnType<typeof createServiceClients>

/**
 * Keeps a client per account, so that a token is requested once (section 5.3). `caPem` signed the
 * sandbox's certificate.
 */
export function createServiceClients({
  environments,
  clock,
  caPem,
}: {
  readonly environments: Pick<Environments, 'baseUrlOf' | 'openKey'>
  readonly clock: Clock
  readonly caPem: string | null
}) {
  const clients = new Map<string, ApiClient>()
  return {
    /** Rejects if the sandbox isn't running or the environment's secret can't be decrypted. */
    async of(environment: StoredEnvironment): Promise<ApiClient> {
      const { name, prefix, auth } = environment
      const baseUrl = environments.baseUrlOf(environment)
      if (baseUrl === '') {
        throw new AppError(
          'NOT_RUNNING',
          `${name} is served by the sandbox, which isn't running. Run "countersign serve" (or open the app), then try again.`,
        )
      }
      const secret = await environments.openKey(environment)
      if (secret === null)
        throw new AppError(
          'INVALID_ENVIRONMENT',
          `${name} has no secret key. Add one with "environments update".`,
        )
      const authorities = isSandboxEnvironment(name) && caPem !== null ? [caPem] : []
      const connection = connectionOf(environment)
      const account: ApiAccount = { baseUrl, prefix, auth, secret, connection, authorities }
      const key = JSON.stringify(account)
      const client = clients.get(key) ?? new ApiClient(account, clock)
      clients.set(key, client)
      return client
    },
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()))
    },
  }
}

function verdictOn(
  { status, json }: ApiAnswer,
  { auth }: StoredEnvironment,
): [EnvironmentCheck['outcome'], string] {
  if (status === 401 || status === 403)
    return [
      'failed',
      `Authentication failed (${status}). Use the secret key or client of this environment's mode.`,
    ]
  if (status >= 500) return ['failed', `It returned ${status}, so the key couldn't be tested.`]
  if (status !== 404 && status !== 410)
    return [
      'warning',
      `It returned ${status} instead of "not found". The base URL may be wrong, or the key wasn't checked.`,
    ]
  // Bodies are JSON (section 4). Any web server returns 404 for an unknown path.
  if (json === undefined)
    return [
      'warning',
      `It returned ${status} without JSON. The base URL may belong to another service.`,
    ]
  return [
    'ok',
    `The ${auth === 'bearer' ? 'token' : 'key'} was accepted: a request to delete an unknown hook returned "not found".`,
  ]
}

/** Tests an environment with a call that can't change anything. */
export async function testEnvironment(
  environment: StoredEnvironment,
  clients: Pick<ServiceClients, 'of'>,
  ids: Ids,
): Promise<EnvironmentCheck> {
  const { name } = environment
  const client = await clients.of(environment)
  try {
    const response = await client.probe(ids.next())
    const [outcome, sentence] = verdictOn(response, environment)
    const learned = ['Connected to the service.', sentence]
    const { sent, status } = response
    return { name, outcome, sent: callText(sent), learned, status, body: response.shown() }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const learned = [error.message]
    return { name, outcome: 'failed', sent: failedCall(error), learned, status: null, body: null }
  }
}
