/** Handlers of the commands that forward deliveries. */
import { handlerNameIn } from '../../shared/http.ts'
import type { ForwardSettings, ForwardTarget } from '../../shared/model/forward.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { whenAborted } from '../base/async.ts'
import type { Services } from './services.ts'

export function createForwardHandlers(services: Services) {
  const { store, forwards } = services
  return {
    'forward.list': () => forwards.list(),
    'forward.add': async ({ temporary, ...settings }, { consent }) => ({
      target: await forwards.add(
        { ...settings, ...(await endpointOf(services, settings)) },
        { consent, temporary },
      ),
    }),
    'forward.update': async ({ id, ...change }, { consent }) => {
      const { targets } = await forwards.list()
      const before = targets.find((target) => target.id === id)
      const endpoint = await endpointOf(services, change, before)
      return { target: await forwards.update(id, { ...change, ...endpoint }, consent) }
    },
    'forward.remove': async ({ id }) => ({ dropped: await forwards.remove(id) }),
    'forward.pause': async ({ id }) => ({ target: await forwards.pause(id) }),
    'forward.resume': async ({ id }, { consent }) => ({
      target: await forwards.resume(id, consent),
    }),
    'forward.deliver': async ({ id }, { consent }) => ({
      target: await forwards.deliver(id, consent),
    }),
    'forward.drop': async ({ id }) => ({ dropped: await forwards.discard(id) }),
    'forward.keep': async ({ id }, { signal }) => {
      await whenAborted(signal)
      await forwards.endTemporary(id)
      return {}
    },
    'forward.sends': async (input) => ({ sends: await store.read('forwardSends', input) }),
  } satisfies Partial<Handlers>
}

type ForwardEndpoint = Partial<Pick<ForwardSettings, 'url' | 'registeredUrl' | 'targetCa' | 'sign'>>

/**
 * Resolves the endpoint of a target's URL, which may name a saved handler.
 * @param before - the target that is changed
 */
async function endpointOf(
  { savedHandlers }: Services,
  given: ForwardEndpoint,
  before?: ForwardTarget,
) {
  const { url } = given
  // The form resubmits an unchanged URL; keep its handler.
  if (url === undefined || url === before?.url) return { handlerId: before?.handlerId ?? null }
  if (handlerNameIn(url) === null) return { handlerId: null }
  const { handler, registeredUrl, targetCa, ...endpoint } = await savedHandlers.resolve(url, given)
  const signed = given.sign === 'as-received' ? {} : { registeredUrl }
  return { url: endpoint.url, ...signed, targetCa, handlerId: handler?.id ?? null }
}
