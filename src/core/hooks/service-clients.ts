/** The clients of the environments: what is needed to call the service of each, its secret opened. */
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import type { Clock } from '../base/deps.ts'
import type { ApiClient } from '../service-api/api-client.ts'
import { createClients } from '../service-api/clients.ts'
import { connectionOf } from '../service-api/connection.ts'
import type { StoredEnvironment } from '../store/environments-repo.ts'
import type { Environments } from './environments.ts'

export interface ServiceClientsDeps {
  readonly environments: Pick<Environments, 'baseUrlOf' | 'openKey'>
  readonly clock: Clock
  /** The authority of this machine, which the sandbox's certificate is of. */
  readonly caPem: string | null
}

export interface ServiceClients {
  /** Rejects where the sandbox does not run, or the environment's secret cannot be opened. */
  of(environment: StoredEnvironment): Promise<ApiClient>
  close(): Promise<void>
}

export function createServiceClients({ environments, clock, caPem }: ServiceClientsDeps): ServiceClients {
  const clients = createClients(clock)
  return {
    async of(environment) {
      const baseUrl = environments.baseUrlOf(environment)
      if (baseUrl === '') {
        throw new AppError(
          'NOT_RUNNING',
          `${environment.name} is served by the sandbox, which does not run. Start it with "countersign serve" (or open the app) and try again.`,
        )
      }
      const secret = await environments.openKey(environment)
      if (secret === null)
        throw new AppError(
          'INVALID_ENVIRONMENT',
          `${environment.name} has no secret key. Give it one with "environments update".`,
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
