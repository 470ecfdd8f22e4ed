/** The handlers of all contract commands, grouped by noun. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { remoteHostOf } from '../../shared/service/hook-rules.ts'
import { withLiveChanges } from './live-changes.ts'
import { createDeliveryHandlers } from './deliveries.ts'
import { createSendHandlers } from './sends.ts'
import type { Services } from './services.ts'
import { withTimeLimit } from '../base/async.ts'
import { readPublicAddress } from '../hooks/environment-rules.ts'
import { PUBLIC_URL } from '../settings/settings.ts'
import { changeClock } from '../sandbox/clock.ts'

/** Maximum wait for stored deliveries to be judged again, which continues in the background. */
const JUDGE_PATIENCE_MS = 1_000

export function createHandlers(services: Services): Handlers {
  const {
    consents,
    environments,
    hooks,
    lateVerdicts,
    registration,
    savedHandlers,
    settings,
    views,
  } = services

  /** Resolves with a change once stored deliveries are judged again with it. */
  async function andJudge<T>(change: Promise<T>): Promise<T> {
    const changed = await change
    await withTimeLimit(JUDGE_PATIENCE_MS, lateVerdicts.settled(), () => undefined)
    return changed
  }

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
    'hooks.list': async ({ environment }) => {
      // Throws if the environment doesn't exist: a name with a typo would also list no hooks.
      if (environment !== undefined) environments.get(environment)
      const publicUrl = await services.store.read('setting', PUBLIC_URL)
      const listed = hooks.list(environment)
      return {
        hooks: listed.map((hook) => ({ ...hook, remoteHost: remoteHostOf(hook, publicUrl) })),
      }
    },
    'hooks.import': async (input) => {
      const warnings = registration.importWarnings(input)
      return { ...(await andJudge(hooks.import(input))), warnings }
    },
    'hooks.check': (input) => registration.check(input),
    'hooks.add': (input) => registration.add(input),
    'hooks.update': (input) => registration.update(input),
    'hooks.remove': ({ id, purge }) => (purge ? registration.purge(id) : registration.remove(id)),
    'hooks.rotate': ({ id, secret }) => andJudge(hooks.rotate(id, secret)),
    'hooks.answer': ({ id, rule }) => hooks.setAnswering(id, rule),
    'hooks.repoint': async ({ from, to }) => ({ moved: await registration.repoint(from, to) }),
    'hooks.sync': (input) => andJudge(services.syncHooks(input)),
    'hooks.reveal': async ({ id }) => ({ secret: await hooks.reveal(id) }),
    'handlers.list': () => Promise.resolve({ handlers: savedHandlers.list() }),
    'handlers.add': async (input) => ({ handler: await savedHandlers.add(input) }),
    'handlers.update': async ({ id, ...change }) => ({
      handler: await savedHandlers.update(id, change),
    }),
    'handlers.remove': async ({ id }) => ({ removal: await savedHandlers.remove(id) }),
    'handlers.restore': async ({ removal }) => ({ handler: await savedHandlers.restore(removal) }),
    'handlers.use': async ({ id }) => ({ handlers: await savedHandlers.use(id) }),
    'handlers.page': ({ id, minutes }) => savedHandlers.page(id, minutes),
    'handlers.probe': ({ id }, { consent }) => savedHandlers.probe(id, consent),
    'environments.list': async (options) => ({ environments: await environments.list(options) }),
    'environments.add': (input) => andJudge(environments.add(input)),
    'environments.update': (input) => andJudge(environments.update(input)),
    'environments.use': ({ name }) => environments.use(name),
    'environments.check': ({ name }) => services.checkEnvironment(name),
    'environments.remove': async ({ name }) => {
      await environments.remove(name, hooks.list(name))
      return {}
    },
    'receiver.setPublicUrl': async ({ url }) =>
      services.setPublicUrl(url === null ? null : readPublicAddress(url)),
    'receiver.pause': services.pauseReceiver,
    'receiver.resume': services.resumeReceiver,
    'tunnels.status': async () => services.tunnels('A tunnel').status(),
    'tunnels.start': async ({ provider, domain }) =>
      services.tunnels('A tunnel').start(provider, domain),
    'tunnels.stop': async () => services.tunnels('A tunnel').stop(),
    'tunnels.test': async () => services.tunnels('Testing the public URL').test(),
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
    ...createDeliveryHandlers(services),
    ...createSendHandlers(services),
  }
  return withLiveChanges(handlers, services)
}
