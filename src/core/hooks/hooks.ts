/**
 * The hooks of a data folder, over its environments: stored, shown without secrets, and ready for the receiver. `registration.ts`
 * changes them at the service.
 */
import { AppError } from '../../shared/contract/errors.ts'
import {
  type AnsweringRule,
  answeringInputSchema,
  PLAIN_ANSWER,
  type Hook,
  type HookImport,
  isDeletedHook,
} from '../../shared/model/hook.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import { counted, deliveryCount, listed } from '../../shared/text/counted.ts'
import { hookKindOf } from '../../shared/service/event-type.ts'
import { checkHook } from '../../shared/service/hook-rules.ts'
import type { Deps } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { createMutex } from '../base/async.ts'
import { isSameKey, secretKey } from '../signature/sign.ts'
import type { HookUse, StoredHook } from '../store/hooks.ts'
import type { Store } from '../store/store.ts'
import { secretHint, type Vault } from './vault.ts'
import type { Environments } from './environments.ts'
import { openHeaders, sealHeaders, type HookHeaders } from './hook-record.ts'
import { pathOfUrl, type Registry } from './registry.ts'
import type { KeyObject } from 'node:crypto'
import type { Mode } from '../../shared/model/delivery.ts'

interface HooksDeps extends Pick<Deps, 'clock' | 'ids' | 'log'> {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Vault
  readonly environments: Environments
  readonly registry: Registry
  readonly hub: Pick<EventHub, 'emit' | 'on'>
}

/** The parts of a hook that can change. */
type HookParts = Omit<
  StoredHook,
  'id' | 'createdAt' | 'secrets' | 'headerNames' | 'sealedHeaders'
> & { readonly headers: HookHeaders }

/** Everything known about a hook when it is first stored. `secret`: null if the response with it never arrived. */
export type NewHook = Omit<HookParts, 'answering'> & { readonly secret: string | null }

export type Hooks = Awaited<ReturnType<typeof openHooks>>

/** Loads the hooks and builds the registry. */
export async function openHooks(deps: HooksDeps) {
  const { store, vault, environments, registry, clock, ids, log, hub } = deps
  const opened = new Map<string, OpenedHook>()
  // A concurrent change and rotation would overwrite each other.
  const exclusive = createMutex()

  /** Null, with a warning, if this computer can't decrypt it. */
  const unlessSealed = <T>(hook: string, what: string, opening: Promise<T>): Promise<T | null> =>
    opening.catch((error: unknown) => {
      const reason = (error as Error).message
      log.warn(`This computer can't decrypt a hook's ${what}.`, { hook, reason })
      return null
    })

  async function openOne(stored: StoredHook): Promise<OpenedHook> {
    const { id, sealedHeaders } = stored
    const secrets: OpenedSecret[] = []
    for (const sealed of stored.secrets) {
      const secret = await unlessSealed(id, 'secret', vault.open(sealed))
      if (secret !== null) secrets.push(openedSecret(secret))
    }
    const headers =
      sealedHeaders === null
        ? {}
        : await unlessSealed(id, 'custom headers', openHeaders(vault, sealedHeaders))
    return { stored, secrets, headers }
  }

  const show = (hook: OpenedHook): Hook =>
    toHook(hook, environments.get(hook.stored.environment).mode)

  /** Updates a hook in memory and in the receiver's registry. */
  function settle(hook: OpenedHook): Hook {
    const before = opened.get(hook.stored.id)
    opened.set(hook.stored.id, hook)
    register()
    const shown = show(hook)
    hub.emit('hooks.changed', { hook: shown })
    const isSameUrl = before !== undefined && before.stored.url === hook.stored.url
    if (hook.secrets.length > (isSameUrl ? before.secrets.length : 0)) hub.emit('hook.keyed', shown)
    return shown
  }

  function register(): void {
    registry.replace(
      [...opened.values()].map(({ stored, secrets }) => {
        const { id, event, url, createdAt, status } = stored
        const { name: environment, mode, prefix } = environments.get(stored.environment)
        const isActive = !isDeletedHook({ status })
        const keys = secrets.map(({ key }) => key)
        const answering = answeringOf(stored)
        return { id, event, url, environment, mode, prefix, createdAt, isActive, keys, answering }
      }),
      environments.all().map(({ prefix }) => prefix),
    )
  }

  function find(id: string): OpenedHook {
    const found = opened.get(id)
    if (found !== undefined) return found
    throw new AppError(
      'NOT_FOUND',
      `Hook ${id} not found. "countersign hooks list" lists your hooks.`,
    )
  }

  const sealed = async (headers: HookHeaders) => ({
    headerNames: Object.keys(headers),
    sealedHeaders: await sealHeaders(vault, headers),
  })

  async function record({ secret, headers, ...hook }: NewHook): Promise<Hook> {
    const stored: StoredHook = {
      ...hook,
      ...(await sealed(headers)),
      id: ids.next(),
      answering: '{}',
      createdAt: clock.now(),
      secrets: secret === null ? [] : [await vault.seal(secret)],
    }
    await store.write('insertHook', stored)
    return settle({ stored, secrets: secret === null ? [] : [openedSecret(secret)], headers })
  }

  function change(id: string, { headers, ...changed }: Partial<HookParts>): Promise<Hook> {
    return exclusive(async () => {
      const hook = find(id)
      const changedHeaders = headers === undefined ? {} : await sealed(headers)
      const stored = { ...hook.stored, ...changed, ...changedHeaders }
      await store.write('updateHook', stored)
      return settle({ ...hook, stored, headers: headers ?? hook.headers })
    })
  }

  async function rotate(id: string, secret: string): Promise<Hook> {
    const hook = find(id)
    const [present] = hook.secrets
    const areAllOpen = hook.secrets.length === hook.stored.secrets.length
    // Entering the current secret again isn't a rotation: the previous secret would be a copy of it.
    if (areAllOpen && present !== undefined && isSameKey(present.key, secretKey(secret)))
      return show(hook)
    const added = await vault.seal(secret)
    await store.write('addHookSecret', { hookId: id, secret: added, createdAt: clock.now() })
    // Anyone who has the secret of an unconfirmed hook knows that it exists.
    const status = hook.stored.status === 'unconfirmed' ? 'active' : hook.stored.status
    const stored = { ...hook.stored, status, secrets: [added, ...hook.stored.secrets] }
    if (status !== hook.stored.status) await store.write('updateHook', stored)
    return settle({
      ...hook,
      stored,
      secrets: [openedSecret(secret), ...hook.secrets],
    })
  }

  /** Finds the hook with the event, URL, program and current secret of an import. */
  function findImported(input: HookImport): Hook | null {
    const { event, url, programId = null, secret } = input
    const environment = environments.get(input.environment).name
    const key = secretKey(secret)
    const same = opened.values().find(({ stored, secrets: [present] }) => {
      const isSame =
        stored.environment === environment &&
        stored.event === event &&
        stored.url === url &&
        stored.programId === programId &&
        stored.status !== 'deleted'
      return isSame && present !== undefined && isSameKey(present.key, key)
    })
    return same === undefined ? null : show(same)
  }

  for (const stored of await store.read('hooks', null)) opened.set(stored.id, await openOne(stored))
  register()
  // An environment's prefix is part of header names: the receiver knows a new one before anyone acts on it.
  hub.on('environments.changed', register)

  return {
    list: (environment?: string): Hook[] =>
      [...opened.values()]
        .filter(({ stored }) => environment === undefined || stored.environment === environment)
        .map(show),
    /** A stored hook. Rejects with `NOT_FOUND`. */
    get: (id: string): StoredHook => find(id).stored,
    findImported,
    /**
     * Stores a hook created elsewhere, unless it is already here. Rejects with `NOT_FOUND` or
     * `INVALID_HOOK`.
     */
    async import(input: HookImport): Promise<Hook> {
      const environment = environments.get(input.environment)
      const hook = {
        kind: hookKindOf(input.event),
        event: input.event,
        url: input.url,
        programId: input.programId ?? null,
        offerId: input.offerId ?? null,
        headers: {},
      }
      // The hook exists, so the service has its event, whether the spec lists it or not.
      const findings = checkHook(hook, { prefix: environment.prefix, siblings: [] }).filter(
        ({ rule }) => rule !== 'event-unknown',
      )
      if (findings.length > 0) {
        throw new AppError('INVALID_HOOK', findings.map((finding) => finding.message).join(' '), {
          details: findings,
        })
      }
      const stored = findImported(input)
      if (stored !== null) return stored
      const made = await record({
        ...hook,
        remoteId: input.remoteId ?? null,
        environment: environment.name,
        status: 'active',
        record: null,
        secret: input.secret,
      })
      if (!isSandboxEnvironment(environment.name)) return made
      const registered: Promise<void>[] = []
      hub.emit('hook.imported', {
        hook: made,
        secret: input.secret,
        waitFor: (work) => registered.push(work),
      })
      await Promise.all(registered)
      // The sandbox uses the same ID, so the hook can be changed there. While the sandbox is stopped, it learns of changes at its
      // next start.
      return registered.length === 0 ? made : change(made.id, { remoteId: made.id })
    },
    /** Stores a hook that the service just created. */
    record,
    change,
    /** Makes a secret the current one. Signatures with previous secrets still verify. */
    rotate: (id: string, secret: string): Promise<Hook> => exclusive(() => rotate(id, secret)),
    /** Rejects with `INVALID_HOOK`, naming what still needs the hook and how to clear that. */
    async confirmUnused(id: string): Promise<void> {
      const needs = needsOf(id, await store.read('hookUse', find(id).stored.id))
      if (needs.length === 0) return
      const [whose, todos] = [needs.map(([who]) => who), needs.map(([, todo]) => todo)]
      throw new AppError(
        'INVALID_HOOK',
        `This hook is still needed by ${listed(whose, 'and')}. First ${listed(todos, 'and')}, then remove it.`,
      )
    },
    /** Removes a hook that nothing uses, with its secrets, from this computer. Its deliveries no longer verify. */
    purge: (id: string): Promise<void> =>
      exclusive(async () => {
        await store.write('deleteHook', find(id).stored.id)
        opened.delete(id)
        register()
        hub.emit('hooks.removed', { id })
      }),
    /** Rejects with `INVALID_HOOK` if the hook was deleted. */
    async setAnswering(id: string, rule: AnsweringRule): Promise<Hook> {
      if (find(id).stored.status === 'deleted') throw new AppError('INVALID_HOOK', DELETED)
      return change(id, { answering: JSON.stringify(rule) })
    },
    /** The current secret in clear. Rejects with `NOT_FOUND` or `SECRET_UNREADABLE`. */
    async reveal(id: string) {
      const [present] = find(id).stored.secrets
      if (present === undefined) {
        throw new AppError(
          'SECRET_UNREADABLE',
          'This hook\'s secret isn\'t stored here, because the response with it never arrived. Add the secret with "hooks rotate".',
        )
      }
      return vault.open(present)
    },
    /** The custom headers. Throws `NOT_FOUND`, or `SECRET_UNREADABLE` if this computer can't decrypt them. */
    headersOf(id: string): HookHeaders {
      const { headers } = find(id)
      if (headers !== null) return headers
      throw new AppError(
        'SECRET_UNREADABLE',
        'This computer can\'t decrypt the hook\'s custom header values. Set them again with "countersign hooks update HOOK --header NAME:VALUE", or remove them with "countersign hooks update HOOK --no-headers".',
      )
    },
    /** A hook's secrets, current one first, without those this computer can't decrypt. */
    secretsOf: (id: string): readonly OpenedSecret[] => opened.get(id)?.secrets ?? [],
  }
}

export const DELETED = 'This hook was deleted. Register a new one.'

/** A secret in memory, ready to sign with. */
interface OpenedSecret {
  readonly key: KeyObject
  readonly hint: string
}

const openedSecret = (secret: string): OpenedSecret => ({
  key: secretKey(secret),
  hint: secretHint(secret),
})

interface OpenedHook {
  readonly stored: StoredHook
  /** Current secret first, without those this computer can't decrypt. */
  readonly secrets: readonly OpenedSecret[]
  /** The custom headers; null if this computer can't decrypt them. */
  readonly headers: HookHeaders | null
}

/** Who needs a hook, and what to do about it. */
function needsOf(id: string, use: HookUse): [string, string][] {
  const { deliveries, restorable, handlers, replays } = use
  const needs: [boolean, string, string][] = [
    [deliveries > 0, deliveryCount(deliveries), `delete the deliveries (search for hook:${id})`],
    [
      deliveries === 0 && restorable > 0,
      `${deliveryCount(restorable)} that can be restored`,
      'wait ten seconds',
    ],
    [
      handlers.length > 0,
      `the handler${handlers.length === 1 ? '' : 's'} ${listed(handlers, 'and')}`,
      'choose another secret for the handler',
    ],
    [replays > 0, counted(replays, 'unfinished replay'), 'finish or cancel the replay'],
  ]
  return needs.filter(([isNeeded]) => isNeeded).map(([, who, todo]) => [who, todo])
}

/** A damaged rule counts as none. */
function answeringOf({ answering }: StoredHook): AnsweringRule {
  // Most hooks lack a rule, and each change reads the rules of all hooks.
  if (answering === '{}') return PLAIN_ANSWER
  return answeringInputSchema.safeParse(JSON.parse(answering)).data ?? PLAIN_ANSWER
}

/** The hook as shown: its secret by its last characters. Header values that can't be decrypted are empty. */
function toHook({ stored, secrets, headers }: OpenedHook, mode: Mode): Hook {
  const { id, remoteId, kind, event, url, programId, offerId, environment, status, record } = stored
  const shownHeaders = headers ?? Object.fromEntries(stored.headerNames.map((name) => [name, '']))
  return {
    ...{ id, remoteId, kind, event, url, programId, offerId },
    headers: { ...shownHeaders },
    environment,
    mode,
    path: pathOfUrl(url),
    status,
    createdAt: new Date(stored.createdAt).toISOString(),
    secretHint: secrets[0]?.hint ?? null,
    previousSecrets: Math.max(0, stored.secrets.length - 1),
    answering: answeringOf(stored),
    record: record === null ? null : (JSON.parse(record) as Hook['record']),
  }
}
