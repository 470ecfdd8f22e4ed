/** The handlers of the sandbox commands. */
import type { sandboxCommands } from '../../shared/contract/nouns/sandbox.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import type { Services } from './services.ts'

export function createSandboxHandlers(services: Services): Pick<Handlers, keyof typeof sandboxCommands> {
  return {
    'sandbox.trigger': async (input, { signal }) => services.sandbox('Triggering an event').trigger(input, signal),
    'sandbox.preview': async (input) => services.sandbox('A preview').preview(input),
    'sandbox.objects': async (filter) => services.sandbox("Listing the sandbox's objects").list(filter),
    'sandbox.create': async (input) => services.sandbox('Making an object').create(input),
    'sandbox.update': async (input) => services.sandbox('Changing an object').update(input),
    'sandbox.reset': async (input) => {
      await services.sandbox('A reset').reset(input)
      return {}
    },
    'sandbox.notifications': async ({ limit }) => ({
      notifications: services.sandbox('Listing what was sent').notifications().slice(0, limit),
    }),
    'sandbox.clearings': async () => ({ clearings: services.sandbox('Listing what waits').clearings() }),
    'sandbox.clock': async () => services.sandbox("The sandbox's clock").clock(),
    'sandbox.setClock': async (change) => services.sandbox("The sandbox's clock").setClock(change),
    'sandbox.sample': (_, { signal }) => services.sample(signal),
  }
}
