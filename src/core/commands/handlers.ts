/** The handlers of every command of the contract, noun by noun. */
import type { Handlers } from '../../shared/rpc/router.ts'
import { createDeliveryHandlers } from './deliveries.ts'
import { changeClock } from './sandbox-clock.ts'
import type { Services } from './services.ts'

export function createHandlers(services: Services): Handlers {
  const { hooks, environments, registration } = services
  return {
    'app.status': () => services.status(),
    'app.open': async () => ({ url: await services.openUrl() }),
    'doctor.run': async () => ({ checks: await services.doctor() }),

    ...createDeliveryHandlers(services),

    'hooks.list': ({ environment }) => Promise.resolve({ hooks: hooks.list(environment) }),
    'hooks.import': (input) => hooks.import(input),
    'hooks.check': async (input) => {
      const { findings, warnings, url } = await registration.check(input)
      return { findings: [...findings], warnings: [...warnings], url }
    },
    'hooks.add': async (input) => {
      const { hook, warnings } = await registration.add(input)
      return { hook, warnings: [...warnings] }
    },
    'hooks.update': async (input) => {
      const { hook, warnings } = await registration.update(input)
      return { hook, warnings: [...warnings] }
    },
    'hooks.remove': ({ id, live }) => registration.remove(id, live),
    'hooks.rotate': ({ id, secret }) => hooks.rotate(id, secret),
    'hooks.answer': ({ id, rule }) => hooks.setAnswering(id, rule),
    'hooks.repoint': async ({ from, to, live }) => ({ moved: await registration.repoint(from, to, live) }),
    'hooks.reveal': async ({ id }) => ({ secret: await hooks.reveal(id) }),

    'environments.list': async (options) => ({ environments: await environments.list(options) }),

    'environments.add': async (input) => {
      const added = await environments.add(input)
      hooks.refresh()
      return added
    },
    'environments.update': async (input) => {
      const changed = await environments.update(input)
      hooks.refresh()
      return changed
    },
    'environments.use': ({ name }) => environments.use(name),
    'environments.check': ({ name }) => services.checkEnvironment(name),
    'environments.remove': async ({ name }) => {
      await environments.remove(name, hooks.list(name).length)
      return {}
    },

    'receiver.setPublicUrl': ({ url }) => services.setPublicUrl(url),
    'receiver.pause': () => services.pauseReceiver(),
    'receiver.resume': () => services.resumeReceiver(),

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
    'sandbox.clock': async () => services.sandbox("The sandbox's clock").clock.state(),
    'sandbox.setClock': async (change) => changeClock(services.sandbox("The sandbox's clock").clock, change),
    'sandbox.sample': (_, { signal }) => services.sample(signal),
  }
}
