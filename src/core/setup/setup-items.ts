/** A setup as a list of comparable items, whether it comes from a file or a data folder. */
import { isSandboxEnvironment, SANDBOX_LIVE, SANDBOX_TEST } from '../../shared/model/environment.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { Setup, SetupEntry, SetupHook } from '../../shared/model/setup.ts'

export interface SetupItem {
  readonly kind: SetupEntry['kind']
  /** Identifies the item among those of its kind. */
  readonly key: string
  readonly name: string
  /** Values by field, without secrets. */
  readonly fields: Readonly<Record<string, unknown>>
}

type KeyedHook = Pick<Hook, 'environment' | 'event' | 'url' | 'programId' | 'offerId'>

/** Returns a hook's key: its ID differs between data folders. */
export function hookKey({ environment, event, url, programId, offerId }: KeyedHook): string {
  return JSON.stringify([environment, event, url, programId, offerId])
}

const item = (
  kind: SetupItem['kind'],
  name: string,
  fields: SetupItem['fields'],
  key = name.toLowerCase(),
): SetupItem => ({ kind, key, name, fields })

/** Returns the leaves of an object by path, without undefined ones. */
function leavesOf(value: object, prefix = ''): [path: string, value: unknown][] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (inner === undefined) return []
    const isBranch = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    return isBranch && Object.keys(inner).length > 0
      ? leavesOf(inner, `${prefix}${name}.`)
      : [[`${prefix}${name}`, inner] as [string, unknown]]
  })
}

/** Returns the service's ID; null for the sandbox, which chooses it here. */
export const remoteIdIn = ({ environment, remoteId }: SetupHook): string | null =>
  isSandboxEnvironment(environment) ? null : remoteId

/** Returns what identifies a hook, for people. */
export function hookTitle({ environment, event, url, programId, offerId }: SetupHook): string {
  return [event, environment, url, programId, offerId].filter((part) => part !== null).join(' ')
}

function hookItem(hook: SetupHook): SetupItem {
  const { headers, response } = hook
  return item(
    'hook',
    hookTitle(hook),
    {
      remoteId: remoteIdIn(hook),
      headers: Object.keys(headers).toSorted().join(', '),
      ...Object.fromEntries(leavesOf({ response })),
    },
    hookKey(hook),
  )
}

/** Returns the sandbox's environments that a setup has, by name. */
export function sandboxesIn({ sandbox: { test, live } }: Setup) {
  return [
    ...(test === undefined ? [] : [{ name: SANDBOX_TEST, ...test }]),
    ...(live === undefined ? [] : [{ name: SANDBOX_LIVE, ...live }]),
  ]
}

const bodyText = (body: NamedFiles['bodies'][number] | undefined): string | null =>
  body === undefined ? null : `${body.bodySize} bytes, SHA-256 ${body.bodySha256.slice(0, 16)}`

interface NamedFiles {
  readonly flows: readonly { readonly name: string; readonly text: string }[]
  /** Bodies of the named requests, in their order. */
  readonly bodies: readonly Pick<Delivery, 'bodySize' | 'bodySha256'>[]
}

/** Returns the items of a setup with the files that it names. */
export function setupItems(setup: Setup, { flows, bodies }: NamedFiles): SetupItem[] {
  const { settings, environments, hooks, handlers, forwards, views, requests, current } = setup
  const hookNamed = (name: string | undefined) => {
    const hook = hooks.find((one) => one.name === name)
    return hook === undefined ? null : hookTitle(hook)
  }
  return [
    ...leavesOf(settings).map(([path, value]) => item('setting', path, { value })),
    ...environments.map(({ name, key: _, clientSecret: _secret, ...fields }) =>
      item('environment', name, Object.fromEntries(leavesOf(fields)), name),
    ),
    ...sandboxesIn(setup).map(({ name, ...fields }) => item('environment', name, fields)),
    ...hooks.map(hookItem),
    ...handlers.map(({ name, hook, secret, ...fields }) =>
      item('handler', name, {
        ...fields,
        name,
        hook: hookNamed(hook),
        ownSecret: secret !== undefined,
      }),
    ),
    ...forwards.map(({ name, handler = null, ...fields }) =>
      item('forward target', name, { ...fields, name, handler }),
    ),
    ...views.map(({ name, query }) => item('view', name, { name, query })),
    ...flows.map(({ name, text }) => item('flow', name, { text })),
    ...requests.map(({ name, event, hook, headers }, index) =>
      item('named request', name, {
        name,
        event: event ?? hooks.find((one) => one.name === hook)?.event,
        hook: hookNamed(hook),
        ...Object.fromEntries(leavesOf({ headers })),
        body: bodyText(bodies[index]),
      }),
    ),
    ...Object.entries(current).map(([what, value]) => item('current', what, { value })),
  ]
}
