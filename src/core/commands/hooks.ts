/** The handlers of the hooks commands. */
import type { hookCommands } from '../../shared/contract/nouns/hooks.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { confirmLive } from '../hooks/live-guard.ts'
import type { Services } from './services.ts'

/** Longest wait for the imported deliveries of a hook: very many are matched in the background. */
const MATCH_PATIENCE_MS = 1_000

export function createHookHandlers({
  claims,
  environments,
  hooks,
  registration,
}: Services): Pick<Handlers, keyof typeof hookCommands> {
  /** The hook, once the deliveries that were imported before it are matched. */
  const withImports = async <T>(hook: T): Promise<T> => {
    await claims.settled(MATCH_PATIENCE_MS)
    return hook
  }
  const confirmFor = (id: string, live: boolean, what: string) => {
    confirmLive(environments.get(hooks.get(id).environment), live, what)
  }
  return {
    'hooks.list': async ({ environment }) => {
      // Throws where there is none of that name: a name that was mistyped has no hooks either.
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
      confirmFor(id, live, 'changing what its deliveries get as a response')
      return hooks.setAnswering(id, rule)
    },
    'hooks.repoint': async ({ from, to, live }) => ({ moved: await registration.repoint(from, to, live) }),
    'hooks.reveal': async ({ id }) => ({ secret: await hooks.reveal(id) }),
  }
}
