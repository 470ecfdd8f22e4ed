/** API clients of the environments, with decrypted secrets. */
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment, type EnvironmentCheck } from '../../shared/model/environment.ts'
import type { Clock, Ids } from '../base/deps.ts'
import { type ApiClient, createApiClient, type ApiAccount } from '../service-api/api-client.ts'
import { callText, failedCall } from '../service-api/exchange.ts'
import { connectionOf } from '../service-api/connection.ts'
import type { StoredEnvironment } from '../store/hooks.ts'
import type { Environments } from './environments.ts'

interface ServiceClientsDeps {
  readonly environments: Pick<Environments, 'baseUrlOf' | 'openKey'>
  readonly clock: Clock
  /** This computer's CA certificate, which signed the sandbox's certificate. */
  readonly caPem: string | null
}

export type ServiceClients = ReturnType<typeof createServiceClients>

export function createServiceClients({ environments, clock, caPem }: ServiceClientsDeps) {
  const clients = createClients(clock)
  return {
    /** Rejects if the sandbox isn't running or the environment's secret can't be decrypted. */
    async of(environment: StoredEnvironment): Promise<ApiClient> {
      const baseUrl = environments.baseUrlOf(environment)
      if (baseUrl === '') {
        throw new AppError(
          'NOT_RUNNING',
          `${environment.name} is served by the sandbox, which isn't running. Run "countersign serve" (or open the app), then try again.`,
        )
      }
      const secret = await environments.openKey(environment)
      if (secret === null)
        throw new AppError(
          'INVALID_ENVIRONMENT',
          `${environment.name} has no secret key. Add one with "environments update".`,
        )
      const isSandbox = isSandboxEnvironment(environment.name)
      return clients.of({
        baseUrl,
        prefix: environment.prefix,
        auth: environment.auth,
        secret,
        connection: connectionOf(environment),
        authorities: isSandbox && caPem !== null ? [caPem] : [],
      })
    },
    close: () => clients.close(),
  }
}

export type Clients = ReturnType<typeof createClients>

/** One client per account, kept while the core runs, so that a token is requested once and not for every call (section 5.3). */
export function createClients(clock: { now(): number; monotonic(): number }) {
  const clients = new Map<string, ApiClient>()
  return {
    /** The client of an account. Changed settings make another account. */
    of(account: ApiAccount): ApiClient {
      const key = JSON.stringify(account)
      const known = clients.get(key)
      if (known !== undefined) return known
      const client = createApiClient(account, clock)
      clients.set(key, client)
      return client
    },
    /** Aborts running calls. */
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()))
    },
  }
}

// Tests an environment with a call that can't change anything.

/** Never rejects for what the service does: an unreachable service is a result too. */
export async function tryEnvironment(
  environment: StoredEnvironment,
  clients: Pick<ServiceClients, 'of'>,
  ids: Ids,
): Promise<EnvironmentCheck> {
  const { name } = environment
  const client = await clients.of(environment)
  try {
    const answer = await client.probe(ids.next())
    const { status } = answer
    const said = { name, sent: callText(answer.sent), status, body: answer.shown }
    if (status === 401 || status === 403) {
      return {
        ...said,
        outcome: 'failed',
        learned: [
          'Connected to the service.',
          `Authentication failed (${status}). Use the secret key or client of this environment's mode.`,
        ],
      }
    }
    if ((status === 404 || status === 410) && answer.json === undefined) {
      // Bodies are JSON (section 4). Any web server returns 404 for an unknown path.
      return {
        ...said,
        outcome: 'warning',
        learned: [
          'Connected to the service.',
          `It returned ${status} without JSON. The base URL may belong to another service.`,
        ],
      }
    }
    if (status === 404 || status === 410) {
      return {
        ...said,
        outcome: 'ok',
        learned: [
          'Connected to the service.',
          `The ${environment.auth === 'bearer' ? 'token' : 'key'} was accepted: a request to delete an unknown hook returned "not found".`,
        ],
      }
    }
    if (status >= 500) {
      return {
        ...said,
        outcome: 'failed',
        learned: [
          'Connected to the service.',
          `It returned ${status}, so the key couldn't be tested.`,
        ],
      }
    }
    return {
      ...said,
      outcome: 'warning',
      learned: [
        'Connected to the service.',
        `It returned ${status} instead of "not found". The base URL may be wrong, or the key wasn't checked.`,
      ],
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return {
      name,
      outcome: 'failed',
      sent: failedCall(error),
      learned: [error.message],
      status: null,
      body: null,
    }
  }
}
