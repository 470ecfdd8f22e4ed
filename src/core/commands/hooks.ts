/** Handlers of the commands for hooks and environments. */
import type { OutputOf } from '../../shared/contract/contract.ts'
import type { HandlerInput, Handlers } from '../../shared/rpc/router.ts'
import { remoteHostOf } from '../../shared/service/hook-rules.ts'
import { withTimeLimit } from '../base/async.ts'
import { PUBLIC_URL } from '../settings/settings.ts'
import type { Services } from './services.ts'

/** Maximum wait for stored deliveries to be judged again, which continues in the background. */
const JUDGE_PATIENCE_MS = 1_000

export function createHookHandlers(services: Services) {
  const { environments, hooks, lateVerdicts, registration } = services

  /** Resolves with a change once stored deliveries are judged again with it. */
  async function andJudge<T>(change: Promise<T>): Promise<T> {
    const changed = await change
    await withTimeLimit(JUDGE_PATIENCE_MS, lateVerdicts.settled(), () => undefined)
    return changed
  }

  return {
    'hooks.list': (input) => listHooks(services, input),
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
    'environments.list': async (options) => ({ environments: await environments.list(options) }),
    'environments.add': (input) => andJudge(environments.add(input)),
    'environments.update': (input) => andJudge(environments.update(input)),
    'environments.use': ({ name }) => environments.use(name),
    'environments.check': ({ name }) => services.checkEnvironment(name),
    'environments.remove': async ({ name }) => {
      await environments.remove(name, hooks.list(name))
      return {}
    },
  } satisfies Partial<Handlers>
}

async function listHooks(
  { environments, hooks, store }: Services,
  { environment }: HandlerInput<'hooks.list'>,
): Promise<OutputOf<'hooks.list'>> {
  // Throws if the environment doesn't exist: a name with a typo would also list no hooks.
  if (environment !== undefined) environments.get(environment)
  const publicUrl = await store.read('setting', PUBLIC_URL)
  const listed = hooks.list(environment)
  return {
    hooks: listed.map((hook) => ({ ...hook, remoteHost: remoteHostOf(hook, publicUrl) })),
  }
}
