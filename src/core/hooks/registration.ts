/**
 * Makes, changes and deletes hooks at the service (sections 2.1 and 4), and keeps the register of what was made: the interface
 * shows no call that lists hooks. Every rule that the interface tells is checked before the call.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import type { Hook, HookAdd, HookUpdate } from '../../shared/model/hook.ts'
import type { HookFinding } from '../../shared/service/hook-finding.ts'
import { hookKindOf } from '../../shared/service/event-type.ts'
import { checkHook } from '../../shared/service/hook-rules.ts'
import type { Clock } from '../deps.ts'
import type { Sender } from '../dispatch/sender.ts'
import { createApiClient, type ApiClient } from '../service-api/api-client.ts'
import { connectionOf } from '../service-api/connection.ts'
import { withoutSecrets, type ApiAnswer } from '../service-api/exchange.ts'
import type { StoredEnvironment } from '../store/environments-repo.ts'
import type { StoredHook } from '../store/hooks-repo.ts'
import type { Environments } from './environments.ts'
import type { Hooks } from './hooks.ts'
import { checkReachability, type HookWarning } from './reachability.ts'

export interface RegistrationDeps {
  readonly hooks: Hooks
  readonly environments: Environments
  readonly clock: Clock
  /** The authority of this machine, which the sandbox's certificate is of. */
  readonly caPem: string | null
  /** Looks at URLs before they are registered, trusting the system's authorities alone. */
  readonly prober: Pick<Sender, 'send'>
  /** The address that hooks are registered under: the public one where one is set. */
  address(): string | null
  randomBytes(count: number): Uint8Array
}

/** A hook after a call, with what is worth knowing beside it. */
export interface Registered {
  readonly hook: Hook
  readonly warnings: readonly HookWarning[]
}

export interface Registration {
  /** Everything that speaks against registering it: rules broken, and warnings. */
  check(input: HookAdd): Promise<{ findings: readonly HookFinding[]; warnings: readonly HookWarning[]; url: string }>
  add(input: HookAdd): Promise<Registered>
  update(input: HookUpdate): Promise<Registered>
  /** Deletes it at the service; the record and its secret stay, so that old deliveries still verify. */
  remove(id: string, live: boolean): Promise<Hook>
  /** Points every active hook under the address `from` to `to`. One that the service refuses keeps its URL, and says why. */
  repoint(from: string, to: string, live: boolean): Promise<{ hook: Hook; problem: string | null }[]>
  /** The client of an environment; the caller closes it. */
  clientOf(environment: StoredEnvironment): Promise<ApiClient>
}

/** The first value under a name at any depth: the interface shows that the answer carries it, not where. */
function findString(value: unknown, name: string): string | null {
  if (typeof value !== 'object' || value === null) return null
  const own = (value as Record<string, unknown>)[name]
  if (typeof own === 'string' && own !== '') return own
  for (const inner of Object.values(value)) {
    const found = findString(inner, name)
    if (found !== null) return found
  }
  return null
}

/** The record of an answer as it may be kept: unknown fields stay, secrets are cut out. */
function recordOf({ json }: ApiAnswer): string | null {
  return json === undefined ? null : JSON.stringify(withoutSecrets(json))
}

function confirm(environment: StoredEnvironment, live: boolean, what: string): void {
  if (environment.mode !== 'live' || live) return
  throw new AppError(
    'CONFIRMATION_REQUIRED',
    `${environment.name} is a live environment: ${what} there has to be confirmed, with --live on the command line.`,
    {
      details: { environment: environment.name },
    },
  )
}

/** An answer whose own `live` contradicts the environment (test and live never mix). */
function modeWarnings({ json }: ApiAnswer, environment: StoredEnvironment): HookWarning[] {
  const live = typeof json === 'object' && json !== null ? (json as { live?: unknown }).live : undefined
  if (typeof live !== 'boolean' || live === (environment.mode === 'live')) return []
  return [
    {
      rule: 'mode-mismatch',
      section: '5.1',
      field: 'environment',
      message: `The service answered with a ${live ? 'live' : 'test'} hook, but ${environment.name} is a ${environment.mode} environment. Check which key it uses.`,
    },
  ]
}

export function createRegistration(deps: RegistrationDeps): Registration {
  const { hooks, environments, clock } = deps

  async function clientOf(environment: StoredEnvironment): Promise<ApiClient> {
    const baseUrl = environments.baseUrlOf(environment)
    if (baseUrl === '') {
      throw new AppError(
        'NOT_RUNNING',
        `${environment.name} is served by the sandbox, which does not run. Start it with "countersign serve" and try again.`,
      )
    }
    const secret = await environments.openKey(environment)
    if (secret === null)
      throw new AppError('INVALID_ENVIRONMENT', `${environment.name} has no secret key. Give it one with "environments update".`)
    const isSandbox = isSandboxEnvironment(environment.name)
    return createApiClient(
      {
        baseUrl,
        prefix: environment.prefix,
        auth: environment.auth,
        secret,
        connection: connectionOf(environment),
        authorities: isSandbox && deps.caPem !== null ? [deps.caPem] : [],
      },
      clock,
    )
  }

  async function withClient<T>(environment: StoredEnvironment, use: (client: ApiClient) => Promise<T>): Promise<T> {
    const client = await clientOf(environment)
    try {
      return await use(client)
    } finally {
      await client.close()
    }
  }

  /** A path of its own for a new hook: readable, and not to be guessed. */
  function ownUrl(event: string): string {
    const address = deps.address()
    if (address === null)
      throw new AppError('NOT_RUNNING', 'The receiver does not listen, so there is no address to register. Give one with --url.')
    const slug = event
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
    return `${address}/h/${slug === '' ? 'hook' : slug}-${Buffer.from(deps.randomBytes(4)).toString('hex')}`
  }

  function rulesBroken(
    environment: StoredEnvironment,
    wanted: Pick<StoredHook, 'event' | 'url' | 'programId' | 'offerId' | 'headers'>,
    self?: string,
  ): HookFinding[] {
    // An event whose registration is not shown is held against a program hook: the finding then says so.
    const kind = hookKindOf(wanted.event) ?? 'program'
    return checkHook(
      { ...wanted, kind },
      {
        prefix: environment.prefix,
        siblings: hooks.list(environment.name).filter((hook) => hook.status === 'active' && hook.id !== self),
        needsProgram: true,
      },
    )
  }

  function refuse(findings: readonly HookFinding[]): void {
    if (findings.length === 0) return
    throw new AppError('INVALID_HOOK', findings.map(({ message, section }) => `${message} (section ${section})`).join(' '), {
      details: findings,
    })
  }

  const warningsOf = (environment: StoredEnvironment, url: string) =>
    isSandboxEnvironment(environment.name) ? Promise.resolve([]) : checkReachability(url, deps.prober)

  function wantedOf(input: HookAdd) {
    return {
      event: input.event,
      url: input.url ?? ownUrl(input.event),
      programId: input.programId ?? null,
      offerId: input.offerId ?? null,
      headers: input.headers,
    }
  }

  async function update({ id, live, ...change }: HookUpdate): Promise<Registered> {
    const hook = hooks.get(id)
    const environment = environments.get(hook.environment)
    confirm(environment, live, 'changing a hook')
    const { remoteId } = hook
    if (remoteId === null || hook.status === 'deleted') throw notRegistered(hook)
    const next = {
      event: change.event ?? hook.event,
      url: change.url ?? hook.url,
      programId: change.programId ?? hook.programId,
      offerId: hook.offerId,
      headers: change.headers ?? hook.headers,
    }
    refuse(rulesBroken(environment, next, id))
    const warnings = await warningsOf(environment, next.url)
    const { event, url, programId, headers } = next
    const answer = await withClient(environment, (client) => client.updateHook(remoteId, { programId, event, url, headers }))
    if (answer.status >= 300) {
      await hooks.change(id, { status: 'gone' })
      throw new AppError(
        'NOT_FOUND',
        `The service no longer knows this hook (it answered ${answer.status}): it was deleted elsewhere, and is marked as gone here.`,
      )
    }
    const changed = await hooks.change(id, {
      event,
      url,
      programId,
      headers,
      status: 'active',
      record: recordOf(answer) ?? hook.record,
    })
    return { hook: changed, warnings: [...warnings, ...modeWarnings(answer, environment)] }
  }

  return {
    clientOf,
    async check(input) {
      const environment = environments.get(input.environment)
      const wanted = wantedOf(input)
      return { findings: rulesBroken(environment, wanted), warnings: await warningsOf(environment, wanted.url), url: wanted.url }
    },
    async add(input) {
      const environment = environments.get(input.environment)
      confirm(environment, input.live, 'registering a hook')
      const wanted = wantedOf(input)
      refuse(rulesBroken(environment, wanted))
      const warnings = await warningsOf(environment, wanted.url)
      const kind = hookKindOf(wanted.event)
      const { event, url, headers, offerId } = wanted
      const base = { ...wanted, kind, environment: environment.name }
      try {
        const answer = await withClient(environment, (client) =>
          client.createHook(kind === 'program' ? wanted.programId : null, {
            event,
            url,
            ...(Object.keys(headers).length === 0 ? {} : { headers }),
            ...(offerId === null ? {} : { offerId }),
          }),
        )
        const secret = findString(answer.json, 'secretKey')
        const hook = await hooks.record({
          ...base,
          remoteId: findString(answer.json, 'id'),
          status: 'active',
          record: recordOf(answer),
          secret,
        })
        const noSecret = {
          rule: 'secret-missing',
          section: '2.1',
          field: 'secretKey',
          message: 'The answer carried no secretKey: signatures of this hook cannot be proved until "hooks rotate" gives it one.',
        }
        return { hook, warnings: [...warnings, ...modeWarnings(answer, environment), ...(secret === null ? [noSecret] : [])] }
      } catch (error) {
        if (error instanceof AppError && error.code === 'SERVICE_TIMEOUT') {
          // The hook may exist: it is kept, so that what arrives for it is recognised.
          await hooks.record({ ...base, remoteId: null, status: 'unconfirmed', record: null, secret: null })
        }
        throw error
      }
    },
    update,
    async remove(id, live) {
      const hook = hooks.get(id)
      const environment = environments.get(hook.environment)
      confirm(environment, live, 'deleting a hook')
      const { remoteId } = hook
      if (remoteId === null) return hooks.change(id, { status: 'deleted' })
      const answer = await withClient(environment, (client) => client.deleteHook(remoteId))
      return hooks.change(id, { status: answer.status >= 300 ? 'gone' : 'deleted' })
    },
    async repoint(from, to, live) {
      const under = from.replace(/\/+$/, '')
      const moved: { hook: Hook; problem: string | null }[] = []
      for (const hook of hooks.list()) {
        if (hook.status !== 'active' || !(hook.url === under || hook.url.startsWith(`${under}/`))) continue
        try {
          const { hook: changed } = await update({
            id: hook.id,
            url: to.replace(/\/+$/, '') + hook.url.slice(under.length),
            live,
          })
          moved.push({ hook: changed, problem: null })
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          moved.push({ hook, problem: error.message })
        }
      }
      return moved
    },
  }
}

function notRegistered(hook: StoredHook): AppError {
  return new AppError(
    'INVALID_HOOK',
    hook.status === 'deleted'
      ? 'This hook was deleted. Register a new one.'
      : "The service's id of this hook is not known here, so it cannot be changed there. Import it with --remote-id, or change it where it was made.",
  )
}
