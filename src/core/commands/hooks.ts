/** The handlers of the hooks commands. */
import type { hookCommands } from '../../shared/contract/nouns/hooks.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { confirmLive } from '../hooks/live-guard.ts'
import type { Services } from './services.ts'

/** Maximum wait for a hook's imported deliveries: large numbers are matched in the background. */
const MATCH_PATIENCE_MS = 1_000

export function createHookHandlers({
  claims,
  environments,
  hooks,
  registration,
}: Services): Pick<Handlers, keyof typeof hookCommands> {
  /** Returns the hook once earlier imported deliveries are matched. */
  const withImports = async <T>(hook: T): Promise<T> => {
    await claims.settled(MATCH_PATIENCE_MS)
    return hook
  }
  const confirmFor = (id: string, live: boolean, what: string) => {
    confirmLive(environments.get(hooks.get(id).environment), live, what)
  }
  return {
    'hooks.list': async ({ environment }) => {
      // Throws if the environment doesn't exist: a name with a typo would also list no hooks.
      if (environment !== undefined) environments.get(environment)
      return { hooks: hooks.list(environment) }
    },
    'hooks.import': async (input) => withImports(await hooks.import(input)),
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
    'hooks.rotate': async ({ id, secret, live }) => {
      confirmFor(id, live, "changing a hook's secret there")
      return withImports(await hooks.rotate(id, secret))
    },
    'hooks.answer': async ({ id, rule, live }) => {
      confirmFor(id, live, "changing a hook's response there")
      return hooks.setAnswering(id, rule)
    },
    'hooks.repoint': async ({ from, to, live }) => ({ moved: await registration.repoint(from, to, live) }),
    'hooks.reveal': async ({ id }) => ({ secret: await hooks.reveal(id) }),
  }
}
