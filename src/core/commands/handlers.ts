/** The handlers of all contract commands, grouped by noun. */
import type { Handlers } from '../../shared/rpc/router.ts'
import {
  createBodyHandlers,
  createCompareHandlers,
  createDeliveryHandlers,
  createLifecycleHandlers,
  createSearchingHandlers,
  createStatisticsHandlers,
  createExchangeHandlers,
  createKeepingHandlers,
} from './deliveries.ts'
import {
  createCheckHandlers,
  createFlowHandlers,
  createForwardHandlers,
  createReplayHandlers,
  createShrinkHandlers,
} from './sends.ts'
import type { Services } from './services.ts'
import type {
  appCommands,
  receiverCommands,
  settingsCommands,
  viewCommands,
} from '../../shared/contract/nouns/app.ts'
import { readPublicAddress } from '../hooks/environment-rules.ts'
import type { tunnelCommands } from '../../shared/contract/nouns/tunnels.ts'
import type { environmentCommands, hookCommands } from '../../shared/contract/nouns/hooks.ts'
import type { handlerCommands } from '../../shared/contract/nouns/handlers.ts'
import type { sandboxCommands } from '../../shared/contract/nouns/sandbox.ts'
import { confirmLive } from '../hooks/live-guard.ts'

export function createHandlers(services: Services): Handlers {
  return {
    ...createAppHandlers(services),
    ...createDeliveryHandlers(services),
    ...createBodyHandlers(services),
    ...createLifecycleHandlers(services),
    ...createCompareHandlers(services),
    ...createSearchingHandlers(services),
    ...createStatisticsHandlers(services),
    ...createViewHandlers(services),
    ...createHookHandlers(services),
    ...createSavedHandlerHandlers(services),
    ...createEnvironmentHandlers(services),
    ...createReceiverHandlers(services),
    ...createTunnelHandlers(services),
    ...createSandboxHandlers(services),
    ...createReplayHandlers(services),
    ...createShrinkHandlers(services),
    ...createFlowHandlers(services),
    ...createCheckHandlers(services),
    ...createForwardHandlers(services),
    ...createSettingsHandlers(services),
    ...createKeepingHandlers(services),
    ...createExchangeHandlers(services),
  }
}

function createAppHandlers(services: Services): Pick<Handlers, keyof typeof appCommands> {
  return {
    'app.status': services.status,
    'app.open': async () => ({ url: await services.openUrl() }),
    'app.diagnostics': services.diagnostics,
    'doctor.run': async () => ({ checks: await services.doctor() }),
  }
}

function createViewHandlers({ views }: Services): Pick<Handlers, keyof typeof viewCommands> {
  return {
    'views.list': async () => ({ views: [...views.list()] }),
    'views.save': views.save,
    'views.remove': async ({ id }) => {
      await views.remove(id)
      return {}
    },
  }
}

function createReceiverHandlers(services: Services): Pick<Handlers, keyof typeof receiverCommands> {
  return {
    'receiver.setPublicUrl': async ({ url }) =>
      services.setPublicUrl(url === null ? null : readPublicAddress(url)),
    'receiver.pause': services.pauseReceiver,
    'receiver.resume': services.resumeReceiver,
  }
}

function createSettingsHandlers({
  settings,
}: Services): Pick<Handlers, keyof typeof settingsCommands> {
  return {
    'settings.get': async () => settings.current(),
    'settings.set': settings.change,
  }
}

function createTunnelHandlers(services: Services): Pick<Handlers, keyof typeof tunnelCommands> {
  const tunnels = () => services.tunnels('A tunnel')
  return {
    'tunnels.status': async () => tunnels().status(),
    'tunnels.start': async ({ provider, domain }) => tunnels().start(provider, domain),
    'tunnels.stop': async () => tunnels().stop(),
    'tunnels.test': async () => services.tunnels('Testing the public URL').test(),
  }
}

/** Maximum wait until stored deliveries are judged again: large numbers are judged in the background. */
const MATCH_PATIENCE_MS = 1_000

/** A change, once earlier deliveries are matched with it. */
async function matched<T>({ settled }: Services['claims'], change: Promise<T>): Promise<T> {
  const changed = await change
  await settled(MATCH_PATIENCE_MS)
  return changed
}

function createEnvironmentHandlers(
  services: Services,
): Pick<Handlers, keyof typeof environmentCommands> {
  const { claims, hooks, environments } = services
  return {
    'environments.list': async (options) => ({ environments: await environments.list(options) }),
    'environments.add': (input) => matched(claims, environments.add(input)),
    'environments.update': (input) => matched(claims, environments.update(input)),
    'environments.use': ({ name, live }) => environments.use(name, live),
    'environments.check': async ({ name, live }) => {
      confirmLive(environments.get(name), live, 'sending its key to the service')
      return services.checkEnvironment(name)
    },
    'environments.remove': async ({ name, live }) => {
      await environments.remove(name, hooks.list(name), live)
      return {}
    },
  }
}

function createSandboxHandlers(services: Services): Pick<Handlers, keyof typeof sandboxCommands> {
  return {
    'sandbox.trigger': async (input, { signal }) =>
      services.sandbox('Triggering an event').trigger(input, signal),
    'sandbox.preview': async (input) => services.sandbox('Previewing an event').preview(input),
    'sandbox.objects': async (filter) =>
      services.sandbox("Listing the sandbox's objects").list(filter),
    'sandbox.create': async (input) => services.sandbox('Creating an object').create(input),
    'sandbox.update': async (input) => services.sandbox('Changing an object').update(input),
    'sandbox.reset': async (input) => {
      await services.sandbox('Resetting the sandbox').reset(input)
      services.flows.sandboxReset()
      return {}
    },
    'sandbox.notifications': async ({ limit }) => ({
      notifications: services
        .sandbox("Listing the sandbox's deliveries")
        .notifications()
        .slice(0, limit),
    }),
    'sandbox.clearings': async () => ({
      clearings: services.sandbox('Listing pending clearings').clearings(),
    }),
    'sandbox.clock': async () => services.sandbox("The sandbox's clock").clock(),
    'sandbox.setClock': async (change) => services.sandbox("The sandbox's clock").setClock(change),
    'sandbox.sample': (_, { signal }) => services.sample(signal),
  }
}

/** The handlers of the hooks commands. */
function createHookHandlers({
  claims,
  environments,
  hooks,
  registration,
  syncHooks,
}: Services): Pick<Handlers, keyof typeof hookCommands> {
  const confirmFor = (id: string, live: boolean, what: string) =>
    confirmLive(environments.get(hooks.get(id).environment), live, what)
  return {
    'hooks.list': async ({ environment }) => {
      // Throws if the environment doesn't exist: a name with a typo would also list no hooks.
      if (environment !== undefined) environments.get(environment)
      return { hooks: hooks.list(environment) }
    },
    'hooks.import': async (input) => {
      const warnings = registration.importWarnings(input)
      return { ...(await matched(claims, hooks.import(input))), warnings }
    },
    'hooks.check': registration.check,
    'hooks.add': registration.add,
    'hooks.update': registration.update,
    'hooks.remove': ({ id, purge, live }) =>
      purge ? registration.purge(id, live) : registration.remove(id, live),
    'hooks.rotate': async ({ id, secret, live }) => {
      confirmFor(id, live, "changing a hook's secret there")
      return matched(claims, hooks.rotate(id, secret))
    },
    'hooks.answer': async ({ id, rule, live }) => {
      confirmFor(id, live, "changing a hook's response there")
      return hooks.setAnswering(id, rule)
    },
    'hooks.repoint': async ({ from, to, live }) => ({
      moved: await registration.repoint(from, to, live),
    }),
    'hooks.sync': (input) => matched(claims, syncHooks(input)),
    'hooks.reveal': async ({ id }) => ({ secret: await hooks.reveal(id) }),
  }
}

/** Handlers of `handlers.*`. */
function createSavedHandlerHandlers({
  savedHandlers,
}: Services): Pick<Handlers, keyof typeof handlerCommands> {
  return {
    'handlers.list': () => Promise.resolve({ handlers: savedHandlers.list() }),
    'handlers.add': async (input) => ({ handler: await savedHandlers.add(input) }),
    'handlers.update': async ({ id, ...change }) => ({
      handler: await savedHandlers.update(id, change),
    }),
    'handlers.remove': async ({ id }) => ({ removal: await savedHandlers.remove(id) }),
    'handlers.restore': async ({ removal }) => ({ handler: await savedHandlers.restore(removal) }),
    'handlers.use': async ({ id }) => ({ handlers: await savedHandlers.use(id) }),
    'handlers.page': ({ id, minutes }) => savedHandlers.page(id, minutes),
    'handlers.probe': ({ id, allowHosts }) => savedHandlers.probe(id, allowHosts),
  }
}
