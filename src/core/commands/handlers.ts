/** The handlers of all contract commands, grouped by noun. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { confirmLive } from '../hooks/live-guard.ts'
import { withLiveChanges } from './live-changes.ts'
import { createBodyHandlers } from './bodies.ts'
import { createComparisonHandlers } from './comparisons.ts'
import { createDeliveryHandlers } from './deliveries.ts'
import { createExchangeHandlers } from './exchange.ts'
import { createForwardHandlers } from './forwards.ts'
import { createHookHandlers } from './hooks.ts'
import { createReplayHandlers } from './replays.ts'
import { createSandboxHandlers } from './sandbox.ts'
import { createCheckHandlers } from './checks.ts'
import { createFlowHandlers } from './flows.ts'
import type { Services } from './services.ts'
import { readPublicAddress } from '../hooks/public-urls.ts'

export function createHandlers(services: Services): Handlers {
  const { consents, environments, savedHandlers, settings, setups, views } = services

  const handlers: Handlers = {
    'app.status': services.status,
    'app.open': async () => ({ url: services.browsers().openUrl() }),
    'app.signOut': async (_, { session = null }) => {
      services.browsers().signOut(session)
      return {}
    },
    'app.diagnostics': services.diagnostics,
    'doctor.run': async () => ({ checks: await services.doctor() }),
    'views.list': async () => ({ views: [...views.list()] }),
    'views.save': views.save,
    'views.remove': async ({ id }) => {
      await views.remove(id)
      return {}
    },
    'handlers.list': () => Promise.resolve({ handlers: savedHandlers.list() }),
    'handlers.add': async (input) => ({ handler: await savedHandlers.add(input) }),
    'handlers.update': async ({ id, ...change }) => ({
      handler: await savedHandlers.update(id, change),
    }),
    'handlers.remove': async ({ id }) => ({ removal: await savedHandlers.remove(id) }),
    'handlers.restore': async ({ removal }) => ({ handler: await savedHandlers.restore(removal) }),
    'handlers.use': async ({ id }) => ({ handlers: await savedHandlers.use(id) }),
    'handlers.page': ({ id, minutes }) => savedHandlers.page(id, minutes),
    'handlers.causes': async ({ id }) => services.checks.causes(await savedHandlers.evidence(id)),
    'handlers.probe': ({ id }, { consent }) => savedHandlers.probe(id, consent),
    'receiver.setPublicUrl': async ({ url }) =>
      services.setPublicUrl(url === null ? null : readPublicAddress(url)),
    'receiver.pause': services.pauseReceiver,
    'receiver.resume': services.resumeReceiver,
    'tunnels.status': async () => services.tunnels('A tunnel').status(),
    'tunnels.start': async ({ provider, domain }) =>
      services.tunnels('A tunnel').start(provider, domain),
    'tunnels.stop': async () => services.tunnels('A tunnel').stop(),
    'tunnels.test': async () => services.tunnels('Testing the public URL').test(),
    'consent.list': () => Promise.resolve({ consents: consents.list() }),
    'consent.give': async ({ subjects }, { isWindow }) => {
      if (!isWindow) throw new AppError('UNSUPPORTED', 'Only the window keeps consent.')
      for (const { about, name } of subjects) if (about === 'environment') environments.get(name)
      await consents.give(subjects)
      return {}
    },
    'consent.forget': async (named) => ({ consents: await consents.forget(named) }),
    'settings.get': async () => settings.current(),
    'settings.set': settings.change,
    'setup.plan': ({ source }) => setups.plan(source),
    'setup.apply': ({ source, secrets }, { consent }) =>
      setups.apply(source, secrets, (live) =>
        confirmLive(live, consent, 'applying the setup there'),
      ),
    'setup.undo': async ({ undo }) => {
      await setups.undo(undo)
      return {}
    },
    'setup.describe': ({ file, text }) => setups.describe(file, text),
    ...createHookHandlers(services),
    ...createSandboxHandlers(services),
    ...createDeliveryHandlers(services),
    ...createBodyHandlers(services),
    ...createComparisonHandlers(services),
    ...createExchangeHandlers(services),
    ...createReplayHandlers(services),
    ...createForwardHandlers(services),
    ...createCheckHandlers(services),
    ...createFlowHandlers(services),
  }
  return withLiveChanges(handlers, services)
}
