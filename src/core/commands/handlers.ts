/** The handlers of every command of the contract, noun by noun. */
import type { Handlers } from '../../shared/rpc/router.ts'
import { createDeliveryHandlers } from './deliveries.ts'
import type { Services } from './services.ts'

export function createHandlers(services: Services): Handlers {
  const { hooks, environments } = services
  return {
    'app.status': () => services.status(),
    'app.open': async () => ({ url: await services.openUrl() }),
    'doctor.run': async () => ({ checks: await services.doctor() }),

    ...createDeliveryHandlers(services),

    'hooks.list': ({ environment }) => Promise.resolve({ hooks: hooks.list(environment) }),
    'hooks.import': (input) => hooks.import(input),
    'hooks.reveal': async ({ id }) => ({ secret: await hooks.reveal(id) }),

    'environments.list': async (options) => ({ environments: await environments.list(options) }),

    'receiver.pause': () => services.pauseReceiver(),
    'receiver.resume': () => services.resumeReceiver(),

    'sandbox.trigger': (input, { signal }) => services.trigger(input, signal),
    'sandbox.sample': (_, { signal }) => services.sample(signal),
  }
}
