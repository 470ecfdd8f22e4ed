/** The handlers of all contract commands, grouped by noun. */
import { SANDBOX_LIVE, SANDBOX_TEST } from '../../shared/model/environment.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { remoteHostOf } from '../../shared/service/hook-rules.ts'
import { createDeliveryHandlers } from './deliveries.ts'
import { createSendHandlers } from './sends.ts'
import type { Services } from './services.ts'
import { withTimeLimit } from '../base/async.ts'
import { readPublicAddress } from '../hooks/environment-rules.ts'
import { PUBLIC_URL } from '../keeping/settings.ts'
import { confirmLive } from '../hooks/live-guard.ts'
import { changeClock } from '../sandbox/clock.ts'

/** Maximum wait until stored deliveries are judged again, which continues in the background. */
const JUDGE_PATIENCE_MS = 1_000

export function createHandlers(services: Services): Handlers {
  const { environments, hooks, lateVerdicts, registration, savedHandlers, settings, views } =
    services

  /** A change, once stored deliveries are judged again with it. */
  async function andJudge<T>(change: Promise<T>): Promise<T> {
    const changed = await change
    await withTimeLimit(JUDGE_PATIENCE_MS, lateVerdicts.settled(), () => undefined)
    return changed
  }

  const confirmFor = (id: string, live: boolean, what: string) =>
    confirmLive(environments.get(hooks.get(id).environment), live, what)

  /** The sandbox's environment, once live mode is confirmed. */
  function confirmed(name: string | undefined, live: boolean, what: string): string {
    const environment = environments.get(name ?? SANDBOX_TEST)
    confirmLive(environment, live, what)
    return environment.name
  }

  return {
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
    'hooks.check': registration.check,
    'hooks.add': registration.add,
    'hooks.update': registration.update,
    'hooks.remove': ({ id, purge, live }) =>
      purge ? registration.purge(id, live) : registration.remove(id, live),
    'hooks.rotate': async ({ id, secret, live }) => {
      confirmFor(id, live, "changing a hook's secret there")
      return andJudge(hooks.rotate(id, secret))
    },
    'hooks.answer': async ({ id, rule, live }) => {
      confirmFor(id, live, "changing a hook's response there")
      return hooks.setAnswering(id, rule)
    },
    'hooks.repoint': async ({ from, to, live }) => ({
      moved: await registration.repoint(from, to, live),
    }),
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
    'handlers.probe': ({ id, allowHosts }) => savedHandlers.probe(id, allowHosts),
    'environments.list': async (options) => ({ environments: await environments.list(options) }),
    'environments.add': (input) => andJudge(environments.add(input)),
    'environments.update': (input) => andJudge(environments.update(input)),
    'environments.use': ({ name, live }) => environments.use(name, live),
    'environments.check': async ({ name, live }) => {
      confirmLive(environments.get(name), live, 'sending its key to the service')
      return services.checkEnvironment(name)
    },
    'environments.remove': async ({ name, live }) => {
      await environments.remove(name, hooks.list(name), live)
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
    'sandbox.trigger': async ({ live, ...input }, { signal }) =>
      services.sandbox('Triggering an event').trigger(
        {
          ...input,
          environment: confirmed(input.environment, live, `sending ${input.event} there`),
        },
        signal,
      ),
    'sandbox.preview': async (input) => services.sandbox('Previewing an event').preview(input),
    'sandbox.objects': async (filter) => ({
      objects: services.sandbox("Listing the sandbox's objects").objects.list(filter),
    }),
    'sandbox.create': async ({ live, ...input }) =>
      services.sandbox('Creating an object').objects.create({
        ...input,
        environment: confirmed(input.environment, live, `creating a ${input.kind} there`),
      }),
    'sandbox.update': async ({ live, ...input }) =>
      services.sandbox('Changing an object').objects.update({
        ...input,
        environment: confirmed(input.environment, live, 'changing an object there'),
      }),
    'sandbox.reset': async ({ live }) => {
      const sandbox = services.sandbox('Resetting the sandbox')
      confirmed(SANDBOX_LIVE, live, 'a reset, which empties it too')
      await sandbox.reset()
      services.flows.sandboxReset()
      return {}
    },
    'sandbox.notifications': async ({ limit }) => ({
      notifications: services
        .sandbox("Listing the sandbox's deliveries")
        .notifications()
        .slice(0, limit),
    }),
    'sandbox.send': async ({ id, allowHosts, live }) => {
      const { notifications, sendAgain } = services.sandbox('Sending a delivery')
      if (notifications().some((one) => one.id === id && one.mode === 'live'))
        confirmed(SANDBOX_LIVE, live, 'sending there')
      return { deliveries: await sendAgain(id, allowHosts) }
    },
    'sandbox.clearings': async () => ({
      clearings: services.sandbox('Listing pending clearings').clearings(),
    }),
    'sandbox.clock': async () => services.sandbox("The sandbox's clock").clock.state(),
    'sandbox.setClock': async ({ live, ...change }) => {
      const { clock, notifications, clearings } = services.sandbox("The sandbox's clock")
      // Live events that the clock would release: further attempts, and clearings. A pause releases nothing.
      const waiting = [
        ...notifications().filter(({ state }) => state === 'pending'),
        ...clearings(),
      ].filter(({ mode }) => mode === 'live').length
      if (waiting > 0 && change.action !== 'pause') {
        const events = waiting === 1 ? '1 event' : `${waiting} events`
        confirmed(SANDBOX_LIVE, live, `advancing the clock, which ${events} there wait for,`)
      }
      return changeClock(clock, change)
    },
    'sandbox.sample': (_, { signal }) => services.sample(signal),
    'settings.get': async () => settings.current(),
    'settings.set': settings.change,
    ...createDeliveryHandlers(services),
    ...createSendHandlers(services),
  }
}
