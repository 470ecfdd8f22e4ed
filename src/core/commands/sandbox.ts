/** Handlers of the sandbox's commands. */
import type { Handlers } from '../../shared/rpc/router.ts'
import { changeClock } from '../sandbox/clock.ts'
import type { Services } from './services.ts'

export function createSandboxHandlers(services: Services) {
  return {
    'sandbox.trigger': async (input, { consent: { allowHosts }, signal }) =>
      services.sandbox('Triggering an event').trigger({ ...input, allowHosts }, signal),
    'sandbox.preview': async (input) => services.sandbox('Previewing an event').preview(input),
    'sandbox.objects': async (filter) => ({
      objects: services.sandbox("Listing the sandbox's objects").objects.list(filter),
    }),
    'sandbox.create': async (input, { consent: { allowHosts } }) =>
      services.sandbox('Creating an object').objects.create({ ...input, allowHosts }),
    'sandbox.update': async (input, { consent: { allowHosts } }) =>
      services.sandbox('Changing an object').objects.update({ ...input, allowHosts }),
    'sandbox.reset': async () => {
      await services.sandbox('Resetting the sandbox').reset()
      services.flows.sandboxReset()
      return {}
    },
    'sandbox.notifications': async ({ limit }) => ({
      notifications: services
        .sandbox("Listing the sandbox's deliveries")
        .notifications()
        .slice(0, limit),
    }),
    'sandbox.send': async ({ id }, { consent: { allowHosts } }) => ({
      deliveries: await services.sandbox('Sending a delivery').sendAgain(id, allowHosts),
    }),
    'sandbox.clearings': async () => ({
      clearings: services.sandbox('Listing pending clearings').clearings(),
    }),
    'sandbox.clock': async () => services.sandbox("The sandbox's clock").clock.state(),
    'sandbox.setClock': async (change) =>
      changeClock(services.sandbox("The sandbox's clock").clock, change),
    'sandbox.sample': (_, { signal }) => services.sample(signal),
  } satisfies Partial<Handlers>
}
