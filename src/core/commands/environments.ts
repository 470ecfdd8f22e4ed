/** The handlers of the environments commands. */
import type { environmentCommands } from '../../shared/contract/nouns/environments.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import type { Services } from './services.ts'

export function createEnvironmentHandlers(services: Services): Pick<Handlers, keyof typeof environmentCommands> {
  const { hooks, environments } = services
  return {
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
  }
}
