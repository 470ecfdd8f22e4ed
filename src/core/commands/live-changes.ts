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
/** Every command that has an option `live`, except those of `admit()`. */
type Guarded = Exclude<WithLive, Admitted>

/** Action as a gerund, and its environments; undefined is the current one. */
type Change = readonly [what: string, ...environments: (string | undefined)[]]
type Changes = {
  readonly [K in Guarded]: (input: HandlerInput<K>, services: Services) => Change
}

const ofHook = ({ hooks }: Services, id: string) => hooks.get(id).environment

const changes: Changes = {
  'hooks.import': ({ environment }) => ['importing a hook', environment],
  'hooks.add': ({ environment }) => ['registering a hook', environment],
  'hooks.update': ({ id }, services) => ['changing a hook', ofHook(services, id)],
  'hooks.remove': ({ id, purge }, services) => [
    purge ? 'removing a hook for good' : 'deleting a hook',
    ofHook(services, id),
  ],
  'hooks.rotate': ({ id }, services) => ["changing a hook's secret there", ofHook(services, id)],
  'hooks.answer': ({ id }, services) => ["changing a hook's response there", ofHook(services, id)],
  'hooks.repoint': ({ from }, { hooks }) => [
    're-pointing hooks there',
    ...hooksUnder(hooks.list(), from).map(({ environment }) => environment),
  ],
  'hooks.sync': ({ environment }) => ['sending its key to the service', environment],
  'environments.update': ({ name }) => ['changing it', name],
  'environments.use': ({ name }) => ['using it by default', name],
  'environments.check': ({ name }) => ['sending its key to the service', name],
  // The command rejects these anyway, with a better message.
  'environments.remove': ({ name }, { hooks }) => [
    'removing it',
    ...(hooks.list(name).length > 0 || isSandboxEnvironment(name) ? [] : [name]),
  ],
  'sandbox.trigger': ({ event, environment = SANDBOX_TEST }) => [
    `sending ${event} there`,
    environment,
  ],
  'sandbox.create': ({ kind, environment = SANDBOX_TEST }) => [
    `creating a ${kind} there`,
    environment,
  ],
  'sandbox.update': ({ environment = SANDBOX_TEST }) => ['changing an object there', environment],
  'sandbox.reset': () => ['a reset, which empties it too', SANDBOX_LIVE],
  'sandbox.send': ({ id }, { sandbox }) => [
    'sending there',
    ...sandbox('Sending a delivery')
      .notifications()
      .flatMap((one) => (one.id === id && one.mode === 'live' ? [SANDBOX_LIVE] : [])),
  ],
  // Counts live events that the clock would release; a pause releases nothing.
  'sandbox.setClock': ({ action }, services) => {
    const { notifications, clearings } = services.sandbox("The sandbox's clock")
    const waiting = [
      ...notifications().filter(({ state }) => state === 'pending'),
      ...clearings(),
    ].filter(({ mode }) => mode === 'live').length
    const events = waiting === 1 ? '1 event' : `${waiting} events`
    return [
      `advancing the clock, which ${events} there wait for`,
      ...(waiting > 0 && action !== 'pause' ? [SANDBOX_LIVE] : []),
    ]
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
      const [what, ...names] = changes[name](input, services)
      const concerned = names.map((one) => services.environments.get(one))
      const live = concerned.flatMap(({ mode, name: own }) => (mode === 'live' ? [own] : []))
      confirmLive([...new Set(live)], context.consent, what)
      return handler(input, context)
    }
  }
  const names = Object.keys(changes) as Guarded[]
  return { ...handlers, ...Object.fromEntries(names.map((name) => [name, guard(name)])) }
}
