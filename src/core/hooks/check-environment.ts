/** Tries an environment with one call that cannot change anything, and says what was learned. */
import { AppError } from '../../shared/contract/errors.ts'
import type { EnvironmentCheck } from '../../shared/model/environment.ts'
import type { Ids } from '../base/deps.ts'
import type { StoredEnvironment } from '../store/environments-repo.ts'
import type { ServiceClients } from './service-clients.ts'

/** Never rejects for what the service does: that it cannot be reached is an answer too. */
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
    const said = { name, status, body: answer.shown }
    if (status === 401 || status === 403) {
      return {
        ...said,
        outcome: 'failed',
        learned: [
          'The service was reached.',
          `It refused the caller (${status}). Use the secret key, or the client, of this environment's mode.`,
        ],
      }
    }
    if ((status === 404 || status === 410) && answer.json === undefined) {
      // Section 4: bodies are JSON. Any web server answers so for a path that it does not have.
      return {
        ...said,
        outcome: 'warning',
        learned: [
          'The service was reached.',
          `It answered ${status}, but not in JSON: the base URL may be that of something else.`,
        ],
      }
    }
    if (status === 404 || status === 410) {
      return {
        ...said,
        outcome: 'ok',
        learned: [
          'The service was reached.',
          `It took the ${environment.auth === 'bearer' ? 'token' : 'key'}: asked to delete a hook that does not exist, it said so.`,
        ],
      }
    }
    if (status >= 500) {
      return {
        ...said,
        outcome: 'failed',
        learned: ['The service was reached.', `It failed with ${status}; that says nothing of the key.`],
      }
    }
    return {
      ...said,
      outcome: 'warning',
      learned: [
        'The service was reached.',
        `It answered ${status} where "not found" was expected: the base URL may be wrong, or the key not looked at.`,
      ],
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { name, outcome: 'failed', learned: [error.message], status: null, body: null }
  }
}
