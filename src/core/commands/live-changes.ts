/**
 * Environments that each command changes: changing a live one needs consent. For commands that send
 * to the user's endpoint, `admit()` asks instead.
 */
import type { CommandName, ParsedInputOf } from '../../shared/contract/contract.ts'
import { isSandboxEnvironment, SANDBOX_LIVE, SANDBOX_TEST } from '../../shared/model/environment.ts'
import { hooksUnder } from '../../shared/service/hook-rules.ts'
import type { HandlerContext, HandlerInput, Handlers } from '../../shared/rpc/router.ts'
import { confirmLive } from '../hooks/live-guard.ts'
import type { Services } from './services.ts'

type WithLive = {
  [K in CommandName]: ParsedInputOf<K> extends { readonly live: boolean } ? K : never
}[CommandName]
type Admitted = `${'check' | 'flows' | 'forward' | 'replay' | 'shrink'}.${string}`
/**
 * Every command that has an option `live`, except those of `admit()` and `setup.apply`, which
 * learns from its plan what it changes.
 */
type Guarded = Exclude<WithLive, Admitted | 'setup.apply'>

/**
 * Makes a change of environments; undefined is the current one.
 * @param what - action as a gerund: `changing a hook`
 */
const change = (what: string, ...environments: readonly (string | undefined)[]) => ({
  what,
  environments,
})
type Changes = {
  readonly [K in Guarded]: (input: HandlerInput<K>, services: Services) => ReturnType<typeof change>
}

const ofHook = ({ hooks }: Services, id: string) => hooks.get(id).environment

const changes: Changes = {
  'hooks.import': ({ environment }) => change('importing a hook', environment),
  'hooks.add': ({ environment }) => change('registering a hook', environment),
  'hooks.update': ({ id }, services) => change('changing a hook', ofHook(services, id)),
  'hooks.remove': ({ id, purge }, services) =>
    change(purge ? 'removing a hook for good' : 'deleting a hook', ofHook(services, id)),
  'hooks.rotate': ({ id }, services) =>
    change("changing a hook's secret there", ofHook(services, id)),
  'hooks.answer': ({ id }, services) =>
    change("changing a hook's response there", ofHook(services, id)),
  'hooks.repoint': ({ from }, { hooks }) => ({
    what: 're-pointing hooks there',
    environments: hooksUnder(hooks.list(), from).map(({ environment }) => environment),
  }),
  'hooks.sync': ({ environment }) => change('sending its key to the service', environment),
  'environments.update': ({ name }) => change('changing it', name),
  'environments.use': ({ name }) => change('using it by default', name),
  'environments.check': ({ name }) => change('sending its key to the service', name),
  // The command rejects these anyway, with a better message.
  'environments.remove': ({ name }, { hooks }) => ({
    what: 'removing it',
    environments: hooks.list(name).length > 0 || isSandboxEnvironment(name) ? [] : [name],
  }),
  'sandbox.trigger': ({ event, environment = SANDBOX_TEST }) =>
    change(`sending ${event} there`, environment),
  'sandbox.create': ({ kind, environment = SANDBOX_TEST }) =>
    change(`creating a ${kind} there`, environment),
  'sandbox.update': ({ environment = SANDBOX_TEST }) =>
    change('changing an object there', environment),
  'sandbox.reset': () => change('a reset, which empties it too', SANDBOX_LIVE),
  'sandbox.send': ({ id }, { sandbox }) => ({
    what: 'sending there',
    environments: sandbox('Sending a delivery')
      .notifications()
      .flatMap((one) => (one.id === id && one.mode === 'live' ? [SANDBOX_LIVE] : [])),
  }),
  // Counts live events that the clock would release; a pause releases nothing.
  'sandbox.setClock': ({ action }, services) => {
    const { notifications, clearings } = services.sandbox("The sandbox's clock")
    const waiting = [
      ...notifications().filter(({ state }) => state === 'pending'),
      ...clearings(),
    ].filter(({ mode }) => mode === 'live').length
    const events = waiting === 1 ? '1 event' : `${waiting} events`
    return {
      what: `advancing the clock, which ${events} there wait for`,
      environments: waiting > 0 && action !== 'pause' ? [SANDBOX_LIVE] : [],
    }
  },
}

/** Wraps handlers to ask for consent before they change a live environment. */
export function withLiveChanges(handlers: Handlers, services: Services): Handlers {
  const guard = <K extends Guarded>(name: K) => {
    const handler = handlers[name] as (
      input: HandlerInput<K>,
      context: HandlerContext,
    ) => Promise<unknown>
    return async (input: HandlerInput<K>, context: HandlerContext) => {
      const { what, environments } = changes[name](input, services)
      const changedEnvironments = environments.map((one) => services.environments.get(one))
      const live = changedEnvironments.flatMap(({ mode, name: own }) =>
        mode === 'live' ? [own] : [],
      )
      confirmLive([...new Set(live)], context.consent, what)
      return handler(input, context)
    }
  }
  const names = Object.keys(changes) as Guarded[]
  return { ...handlers, ...Object.fromEntries(names.map((name) => [name, guard(name)])) }
}
