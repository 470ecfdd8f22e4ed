/** Endpoint that gets signed requests: its secret, its hooks and the prefix of its headers. */
import { AppError } from '../../shared/contract/errors.ts'
import { signingPrefix } from '../../shared/service/header-names.ts'
import type { Endpoint, EndpointOverrides } from '../handlers/handlers.ts'
import type { Services } from './services.ts'

interface EndpointOptions extends Pick<EndpointOverrides, 'registeredUrl' | 'secret' | 'targetCa'> {
  readonly hookIds: readonly string[]
}

/**
 * Resolves an endpoint with its secret and hooks. Rejects with `INVALID_INPUT` for a saved one
 * without a secret.
 */
export async function resolveSigned(
  { savedHandlers }: Services,
  target: string,
  given: EndpointOptions,
): Promise<Omit<Endpoint, 'hookId'> & { readonly hookIds: string[] }> {
  const [first = null] = given.hookIds
  const { hookId, ...endpoint } = await savedHandlers.resolve(target, { ...given, hookId: first })
  const hookIds = first === null ? (hookId === null ? [] : [hookId]) : [...given.hookIds]
  const { handler, secret } = endpoint
  if (handler !== null && secret === null && hookIds.length === 0)
    throw new AppError(
      'INVALID_INPUT',
      `Handler "${handler.name}" has no secret. Choose a hook for it, or enter its secret.`,
    )
  return { ...endpoint, hookIds }
}

export function endpointPrefix(
  { hooks, environments }: Pick<Services, 'hooks' | 'environments'>,
  { hookIds: [hookId], prefix }: Pick<Endpoint, 'prefix'> & Pick<EndpointOptions, 'hookIds'>,
): string {
  const hook = hookId === undefined ? null : hooks.get(hookId)
  return signingPrefix((name) => environments.get(name), { hook, handler: { prefix } })
}
