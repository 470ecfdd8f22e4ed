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
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { HandlerOptions } from '../flows/handler.ts'
import type { Endpoint } from '../sending/handlers.ts'
import { createForwardHandlers, createReplayHandlers, resolveReplay } from './sends.ts'
import type { Services } from './services.ts'
import type {
  appCommands,
  receiverCommands,
  settingsCommands,
  viewCommands,
} from '../../shared/contract/nouns/app.ts'
import { readPublicAddress } from '../hooks/environment-rules.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { shrinkCommands } from '../../shared/contract/nouns/shrink.ts'
import type { tunnelCommands } from '../../shared/contract/nouns/tunnels.ts'
import type { checkCommands } from '../../shared/contract/nouns/check.ts'
import { checkCases } from '../check/cases.ts'
import { wordsOf } from '../check/run-cases.ts'
import type { flowCommands } from '../../shared/contract/nouns/flows.ts'
import { payloadsOfRun } from './flow-payloads.ts'
import type { environmentCommands, hookCommands } from '../../shared/contract/nouns/hooks.ts'
import type { handlerCommands } from '../../shared/contract/nouns/handlers.ts'
import type { sandboxCommands } from '../../shared/contract/nouns/sandbox.ts'
import { confirmLive } from '../hooks/live-guard.ts'
import { signingPrefix } from '../../shared/service/header-rules.ts'

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
    'app.status': () => services.status(),
    'app.open': async () => ({ url: await services.openUrl() }),
    'app.diagnostics': () => services.diagnostics(),
    'doctor.run': async () => ({ checks: await services.doctor() }),
  }
}

function createViewHandlers({ views }: Services): Pick<Handlers, keyof typeof viewCommands> {
  return {
    'views.list': async () => ({ views: [...views.list()] }),
    'views.save': (view) => views.save(view),
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
    'receiver.pause': () => services.pauseReceiver(),
    'receiver.resume': () => services.resumeReceiver(),
  }
}

function createSettingsHandlers({
  settings,
}: Services): Pick<Handlers, keyof typeof settingsCommands> {
  return {
    'settings.get': async () => settings.current(),
    'settings.set': (change) => settings.change(change),
  }
}

/** Handlers of `shrink.*`. */
function createShrinkHandlers({
  shrinks,
  savedHandlers,
}: Services): Pick<Handlers, keyof typeof shrinkCommands> {
  return {
    'shrink.start': async (input) => ({
      run: await shrinks.start({ ...input, ...(await resolveReplay(savedHandlers, input)) }),
    }),
    'shrink.cancel': ({ runId }) => shrinks.cancel(runId),
    'shrink.get': async ({ runId }) => shrinks.get(runId),
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

/** Handlers of `check.*`. */
function createCheckHandlers(services: Services): Pick<Handlers, keyof typeof checkCommands> {
  const { checks, savedHandlers } = services
  return {
    'check.cases': () => Promise.resolve({ cases: checkCases.map(wordsOf) }),
    'check.start': async ({ allowHosts, live, ...input }) => {
      const { url, registeredUrl, hookId, secret, targetCa, handler, prefix } =
        await savedHandlers.resolve(input.target, input)
      if (handler !== null && secret === null && hookId === null) throw noSecret(handler)
      const signer = { secret: secret ?? undefined, hookId: hookId ?? undefined }
      return {
        run: await checks.start({
          ...input,
          target: url,
          registeredUrl,
          ...signer,
          prefix: input.prefix ?? endpointPrefix(services, { hookId, prefix }),
          targetCa,
          consent: { allowHosts, live },
        }),
      }
    },
    'check.cancel': async ({ runId }) => ({ run: await checks.cancel(runId) }),
    'check.get': async ({ runId }) => ({ run: await checks.get(runId) }),
    'check.list': async ({ limit }) => ({ runs: await checks.list(limit) }),
    'check.again': async ({ allowHosts, live, ...input }) => ({
      run: await checks.again({ ...input, consent: { allowHosts, live } }),
    }),
    'check.report': (input) => checks.report(input),
  }
}

/** The prefix of the header names for an endpoint. */
function endpointPrefix(
  { hooks, environments }: Pick<Services, 'hooks' | 'environments'>,
  endpoint: Pick<Endpoint, 'hookId' | 'prefix'>,
): string {
  const hook = endpoint.hookId === null ? null : hooks.get(endpoint.hookId)
  return signingPrefix(environments.get, { hook, handler: endpoint })
}

/** A flow's endpoint with its secret: given, or the saved handler's. Rejects with `INVALID_INPUT` without one. */
async function handlerOfFlow(
  services: Services,
  wanted: ParsedInputOf<'flows.start'>['handler'],
): Promise<HandlerOptions | null> {
  if (wanted === null) return null
  const { savedHandlers, hooks } = services
  const endpoint = await savedHandlers.resolve(wanted.url, wanted)
  const { url, registeredUrl, hookId, secret, targetCa, handler } = endpoint
  if (secret === null && hookId === null) throw noSecret(handler)
  return {
    url,
    registeredUrl: registeredUrl ?? (hookId === null ? null : hooks.get(hookId).url),
    secret: secret ?? (hookId === null ? '' : await hooks.reveal(hookId)),
    prefix: endpointPrefix(services, endpoint),
    targetCa,
    saved: handler ?? savedHandlers.at(url),
  }
}

function noSecret(handler: Endpoint['handler']): AppError {
  return new AppError(
    'INVALID_INPUT',
    handler === null
      ? "Enter your handler's secret."
      : `Handler "${handler.name}" has no secret. Choose a hook for it, or enter its secret.`,
  )
}

/** Loaded at the first report, because few runs are reported and the diagrams are large. */
const flowReports = () => import('../flows/reports.ts')

/** Handlers of `flows.*`. */
function createFlowHandlers(services: Services): Pick<Handlers, keyof typeof flowCommands> {
  const { flows, status } = services
  return {
    'flows.list': () => Promise.resolve({ flows: flows.list() }),
    'flows.get': (which) => Promise.resolve({ flow: flows.get(which) }),
    'flows.start': async ({ handler, ...input }) => ({
      run: await flows.start({ ...input, handler: await handlerOfFlow(services, handler) }),
    }),
    'flows.step': async ({ runId }) => ({ run: await flows.step(runId) }),
    'flows.pause': async ({ runId }) => ({ run: await flows.pause(runId) }),
    'flows.resume': async ({ runId }) => ({ run: await flows.resume(runId) }),
    'flows.setSpeed': async ({ runId, speed }) => ({ run: await flows.setSpeed(runId, speed) }),
    'flows.cancel': async ({ runId }) => ({ run: await flows.cancel(runId) }),
    'flows.runs': async ({ flow, limit }) => ({ runs: await flows.runs({ flow, limit }) }),
    'flows.run': async ({ runId }) => ({ run: await flows.run(runId) }),
    'flows.report': async ({ runId, format }) => {
      const run = await flows.run(runId)
      const payloads = format === 'html' ? await payloadsOfRun(services, run) : undefined
      const { reportFlow } = await flowReports()
      return { text: reportFlow(run, format, (await status()).version, payloads) }
    },
  }
}

function createEnvironmentHandlers(
  services: Services,
): Pick<Handlers, keyof typeof environmentCommands> {
  const { claims, hooks, environments } = services
  return {
    'environments.list': async (options) => ({ environments: await environments.list(options) }),

    'environments.add': async (input) => {
      const added = await environments.add(input)
      await claims.settled(MATCH_PATIENCE_MS)
      return added
    },
    'environments.update': async (input) => {
      const changed = await environments.update(input)
      await claims.settled(MATCH_PATIENCE_MS)
      return changed
    },
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

/** Maximum wait until stored deliveries are judged again: large numbers are judged in the background. */
const MATCH_PATIENCE_MS = 1_000

/** The handlers of the hooks commands. */
function createHookHandlers({
  claims,
  environments,
  hooks,
  registration,
  syncHooks,
}: Services): Pick<Handlers, keyof typeof hookCommands> {
  /** Returns the hook once earlier imported deliveries are matched. */
  const withImports = async <T>(hook: T): Promise<T> => {
    await claims.settled(MATCH_PATIENCE_MS)
    return hook
  }
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
      return { ...(await withImports(await hooks.import(input))), warnings }
    },
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
    'hooks.remove': ({ id, purge, live }) =>
      purge ? registration.purge(id, live) : registration.remove(id, live),
    'hooks.rotate': async ({ id, secret, live }) => {
      confirmFor(id, live, "changing a hook's secret there")
      return withImports(await hooks.rotate(id, secret))
    },
    'hooks.answer': async ({ id, rule, live }) => {
      confirmFor(id, live, "changing a hook's response there")
      return hooks.setAnswering(id, rule)
    },
    'hooks.repoint': async ({ from, to, live }) => ({
      moved: await registration.repoint(from, to, live),
    }),
    'hooks.sync': async (input) => withImports(await syncHooks(input)),
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
