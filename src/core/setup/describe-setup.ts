/** Describes a data folder as a setup, with references in place of secrets. */
import type { Delivery } from '../../shared/model/delivery.ts'
import {
  isSandboxEnvironment,
  SANDBOX_LIVE,
  SANDBOX_TEST,
  type Environment,
} from '../../shared/model/environment.ts'
import type { SavedHandler } from '../../shared/model/handler.ts'
import { FLOW_HOOK, type Hook } from '../../shared/model/hook.ts'
import type { Settings } from '../../shared/model/settings.ts'
import type { SecretReference, Setup, SetupHook, SetupRequest } from '../../shared/model/setup.ts'
import type { View } from '../../shared/model/view.ts'
import { isCredentialHeader } from '../../shared/service/credential-headers.ts'
import { DEFAULT_PREFIX, headerNames, signedPrefixes } from '../../shared/service/header-names.ts'
import { secretNames } from '../../shared/snippets/secret-names.ts'
import type { OwnFlow } from '../flows/own-flows.ts'
import { isComposedType } from '../replaying/composed-requests.ts'
import type { StoredTarget } from '../store/forward-targets.ts'
import { hookKey } from './setup-items.ts'

/** Parts of a data folder that a setup has. */
export interface FolderState {
  readonly settings: Settings
  readonly environments: readonly Environment[]
  readonly hooks: readonly Hook[]
  readonly handlers: readonly SavedHandler[]
  readonly targets: readonly StoredTarget[]
  readonly views: readonly View[]
  readonly flows: readonly OwnFlow[]
  /** Named requests, by name. */
  readonly requests: readonly Delivery[]
}

export interface DescribedSetup {
  readonly setup: Setup
  /** Names of variables that the previous file didn't have. */
  readonly variables: readonly string[]
}

const inCapitals = (text: string) => text.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
const byName = (one: { readonly name: string }, other: { readonly name: string }) =>
  one.name < other.name ? -1 : 1

/** Returns the hooks that a setup has: registered ones, without those of flow runs. */
function sharedHooks(hooks: readonly Hook[]): readonly Hook[] {
  return hooks
    .filter(({ status, remoteId }) => status === 'active' && remoteId !== FLOW_HOOK)
    .toSorted((one, other) => (hookKey(one) < hookKey(other) ? -1 : 1))
}

/** Returns the IDs of the hooks that a setup has, by key. */
export function hookIdsByKey(hooks: readonly Hook[]): ReadonlyMap<string, string> {
  return new Map(sharedHooks(hooks).map((hook) => [hookKey(hook), hook.id]))
}

/** Chooses references: those of the previous file, else new variables. */
class References {
  readonly variables = new Set<string>()

  /** @param entry - the entry in the previous file */
  of(
    entry: object | undefined,
    reference: SecretReference | undefined,
    variable: string,
  ): SecretReference | undefined {
    if (entry !== undefined) return reference
    let env = inCapitals(variable).slice(0, 120)
    for (let number = 2; this.variables.has(env); number++)
      env = `${inCapitals(variable)}_${number}`
    this.variables.add(env)
    return { env }
  }
}

function describeHooks(
  { hooks, views, targets }: FolderState,
  previous: Setup | null,
  references: References,
): readonly (SetupHook & { readonly localId: string })[] {
  const shared = sharedHooks(hooks)
  const variables = secretNames(shared)
  const searches = [...views, ...targets.map(({ settings }) => settings)].map(({ query }) => query)
  const names = new Set(previous?.hooks.map(({ name }) => name))
  const freeName = (event: string): string => {
    const base = event.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
    let name = base
    for (let number = 2; names.has(name); number++) name = `${base}-${number}`
    names.add(name)
    return name
  }
  return shared.map((hook, index) => {
    const { id, environment, event, url, programId, offerId, remoteId, answering } = hook
    const before = previous?.hooks.find((other) => hookKey(other) === hookKey(hook))
    const name = before?.name ?? freeName(event)
    const headers = Object.keys(hook.headers)
      .toSorted()
      .map((header) => {
        const known = before?.headers[header]
        return [header, references.of(known, known, `COUNTERSIGN_HEADER_${name}_${header}`) ?? {}]
      })
    return {
      ...{ localId: id, name, environment, event, url, programId, offerId },
      id: before?.id ?? (searches.some((query) => query.includes(id)) ? id : undefined),
      remoteId: isSandboxEnvironment(environment) ? null : remoteId,
      secret: references.of(before, before?.secret, variables[index] ?? name),
      headers: Object.fromEntries(headers) as SetupHook['headers'],
      response: answering,
    }
  })
}

function describeEnvironments(
  { environments }: FolderState,
  previous: Setup | null,
  references: References,
): Setup['environments'] {
  return environments
    .filter(({ name }) => !isSandboxEnvironment(name))
    .toSorted(byName)
    .map(({ current: _, key: _key, publicKey: _public, clientId, tokenUrl, ...environment }) => {
      const { name, auth } = environment
      const before = previous?.environments.find((other) => other.name === name)
      const secret = auth === 'bearer' ? 'clientSecret' : 'key'
      const variable = auth === 'bearer' ? 'COUNTERSIGN_CLIENT_SECRET' : 'COUNTERSIGN_KEY'
      return {
        ...environment,
        clientId: clientId ?? undefined,
        tokenUrl: tokenUrl ?? undefined,
        [secret]: references.of(before, before?.[secret], `${variable}_${name}`),
      }
    })
}

function describeSandbox({ environments }: FolderState): Setup['sandbox'] {
  const of = (searched: string) => {
    const { prefix = DEFAULT_PREFIX, caPem = null } =
      environments.find(({ name }) => name === searched) ?? {}
    return { prefix, caPem }
  }
  return { test: of(SANDBOX_TEST), live: of(SANDBOX_LIVE) }
}

/** Returns the headers that a request doesn't get when it is signed, without secrets. */
function ownHeaders({ headers }: Delivery, hook: Hook | undefined): SetupRequest['headers'] {
  const signed = signedPrefixes(headers).flatMap((prefix) => {
    const { signature, timestamp } = headerNames(prefix)
    return [signature, timestamp]
  })
  const others = [...signed, ...Object.keys(hook?.headers ?? {}).map((name) => name.toLowerCase())]
  return Object.fromEntries(
    headers.filter(
      ([name, value]) =>
        !others.includes(name.toLowerCase()) &&
        !isCredentialHeader(name, value) &&
        !isComposedType([name, value]),
    ),
  )
}

function describeRequests(
  { requests, hooks }: FolderState,
  named: readonly (SetupHook & { readonly localId: string })[],
  previous: Setup | null,
): Setup['requests'] {
  return requests.map((request) => {
    const { name, event, hookId } = request
    const isJson = request.headers.some(isComposedType)
    const hook = named.find(({ localId }) => localId === hookId)
    const before = previous?.requests.find((other) => other.name === name)
    const headers = ownHeaders(
      request,
      hooks.find(({ id }) => id === hookId),
    )
    return {
      name: name ?? '',
      file: before?.file ?? `requests/${name}.${isJson ? 'json' : 'body'}`,
      event: event === hook?.event ? undefined : (event ?? undefined),
      hook: hook?.name,
      headers,
    }
  })
}

/** Returns all of a data folder as a setup, sorted. */
export function describeFolder(state: FolderState, previous: Setup | null): DescribedSetup {
  const references = new References()
  const environments = describeEnvironments(state, previous, references)
  const hooks = describeHooks(state, previous, references)
  const handlers = state.handlers.toSorted(byName).map((handler) => {
    const { name, url, registeredUrl, hookId, hasSecret, prefix, targetCa } = handler
    const before = previous?.handlers.find((other) => other.name === name)
    const hasOwn = hookId === null && hasSecret
    return {
      ...{ name, url, registeredUrl, prefix, targetCa },
      hook: hooks.find(({ localId }) => localId === hookId)?.name,
      secret: hasOwn
        ? references.of(before?.secret, before?.secret, `COUNTERSIGN_SECRET_HANDLER_${name}`)
        : undefined,
    }
  })
  const forwards = state.targets
    .filter(({ temporary }) => !temporary)
    .map(({ settings: { handlerId, answer, ...settings } }) => ({
      ...settings,
      response: answer,
      handler: state.handlers.find(({ id }) => id === handlerId)?.name,
    }))
    .toSorted(byName)
  const { limitDismissed: _, ...window } = state.settings.window
  const setup: Setup = {
    ...(previous?.$schema === undefined ? {} : { $schema: previous.$schema }),
    countersign: 1,
    ...(previous?.data === undefined ? {} : { data: previous.data }),
    settings: { ...state.settings, window },
    environments,
    sandbox: describeSandbox(state),
    hooks: hooks.map(({ localId: _id, ...hook }) => hook),
    handlers,
    forwards,
    views: state.views.map(({ name, query }) => ({ name, query })),
    flows: state.flows.map(({ path }) => path).toSorted(),
    requests: describeRequests(state, hooks, previous),
    current: {
      environment: state.environments.find(({ current }) => current)?.name,
      handler: state.handlers.find(({ current }) => current)?.name,
    },
  }
  return { setup, variables: [...references.variables] }
}
