/**
 * Registers hooks at the service (sections 2.1 and 4) and stores them, after checking the spec's
 * rules.
 */
import type { OutputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import type { Hook, HookAdd, HookImport, HookUpdate } from '../../shared/model/hook.ts'
import { hookFinding, withOrigin, type HookFinding } from '../../shared/service/hook-finding.ts'
import { registeredKindOf, type HookKind } from '../../shared/service/event-type.ts'
import { checkHook, hooksUnder } from '../../shared/service/hook-rules.ts'
import { MAX_HOOKS_PER_EVENT } from '../../shared/service/limits.ts'
import { isUncertain, refusedError, type ApiAnswer } from '../service-api/exchange.ts'
import type { StoredHook } from '../store/hooks.ts'
import type { StoredEnvironment } from '../store/environments.ts'
import type { Environments } from './environments.ts'
import type { ServiceClients } from './service-clients.ts'
import {
  incompleteWarnings,
  modeWarnings,
  readHookSecret,
  remoteIdOf,
  secretWarnings,
} from './hook-record.ts'
import { HOOK_DELETED, type Hooks, type NewHook } from './hooks.ts'
import { checkReachability, type HookWarning, type ReachabilityDeps } from './public-urls.ts'

interface RegistrationDeps {
  readonly hooks: Hooks
  readonly environments: Environments
  readonly clients: Pick<ServiceClients, 'of'>
  /** Checks of public URLs, which trust only the system's CAs. */
  readonly reachability: ReachabilityDeps
  address(): string | null
  randomBytes(count: number): Uint8Array
}

type RegistrationResult = OutputOf<'hooks.add'>

type RequestedHook = Pick<NewHook, 'event' | 'url' | 'programId' | 'offerId' | 'headers'>

export class Registration {
  readonly #deps: RegistrationDeps

  constructor(deps: RegistrationDeps) {
    this.#deps = deps
  }

  async check(input: HookAdd): Promise<OutputOf<'hooks.check'>> {
    const environment = this.#deps.environments.get(input.environment)
    const requested = this.#requestOf(input)
    const { url } = requested
    const { findings, warnings } = this.#checkRules(environment, requested)
    const reachability = await this.#checkReach(environment, url)
    return { findings, warnings: [...warnings, ...reachability], url }
  }

  async add(input: HookAdd): Promise<RegistrationResult> {
    const { clients, environments, hooks } = this.#deps
    const environment = environments.get(input.environment)
    const requested = this.#requestOf(input)
    const warnings = await this.#approve(environment, requested)
    const kind = registeredKindOf(requested.event, requested.programId)
    const base = { ...requested, kind, environment: environment.name }
    const client = await clients.of(environment)
    const programId = kind === 'program' ? requested.programId : null
    const response = await client
      .createHook({ ...requested, programId })
      .catch((error: unknown) => this.#recordUncertain(base, error))
    const { secret } = readHookSecret(response)
    const remoteId = remoteIdOf(response, requested)
    const hook = await hooks.record({
      ...base,
      remoteId,
      // Without its secret, no delivery verifies.
      status: secret === null ? 'unconfirmed' : 'active',
      record: response.record(response.json, Object.values(requested.headers)),
      secret,
    })
    return {
      hook,
      warnings: [
        ...warnings,
        ...ignoredProgramWarnings(kind, input.programId),
        ...modeWarnings(response, environment),
        ...incompleteWarnings(response, remoteId),
      ],
    }
  }

  async update({ id, ...change }: HookUpdate): Promise<RegistrationResult> {
    const { clients, environments, hooks } = this.#deps
    const hook = hooks.get(id)
    const environment = environments.get(hook.environment)
    const { remoteId } = hook
    if (remoteId === null || hook.status === 'deleted') throw notRegistered(hook)
    const next = {
      event: change.event ?? hook.event,
      url: change.url ?? hook.url,
      programId: programFor(hook.kind, change.programId ?? hook.programId),
      offerId: hook.offerId,
      headers: change.headers ?? hooks.headersOf(id),
    }
    const warnings = await this.#approve(environment, next, hook)
    const { event, url, programId, headers } = next
    const client = await clients.of(environment)
    const response = await client.updateHook(remoteId, { programId, event, url, headers })
    if (response.status >= 300) {
      // The service may not know the program, which says nothing about the hook.
      if (programId !== hook.programId)
        throw refusedError(response, 'move the hook to another program')
      throw await this.#markGone(id, response)
    }
    const record = response.record(response.json, Object.values(headers)) ?? hook.record
    const changes = { event, url, programId, headers, status: 'active', record } as const
    const changed = await hooks.change(id, changes)
    const { secret } = readHookSecret(response)
    return {
      hook: secret === null ? changed : await hooks.rotate(id, secret),
      warnings: [
        ...warnings,
        ...ignoredProgramWarnings(hook.kind, change.programId),
        ...modeWarnings(response, environment),
        ...secretWarnings(response),
      ],
    }
  }

  /**
   * Deletes the hook at the service; record and secret stay here, so that old deliveries verify.
   */
  async remove(id: string): Promise<Hook> {
    const { clients, environments, hooks } = this.#deps
    const hook = hooks.get(id)
    const { remoteId, status } = hook
    // Changes nothing, only returns the hook.
    if (status === 'deleted') return hooks.change(id, {})
    // The service can't be asked without an ID, and has no hook that is gone.
    if (remoteId === null || status === 'gone') return hooks.change(id, { status: 'deleted' })
    const client = await clients.of(environments.get(hook.environment))
    const response = await client.deleteHook(remoteId)
    return hooks.change(id, { status: response.status >= 300 ? 'gone' : 'deleted' })
  }

  /** Deletes the hook at the service and here, unless something needs it. */
  async purge(id: string): Promise<Hook> {
    const { hooks } = this.#deps
    await hooks.confirmUnused(id)
    const removed = await this.remove(id)
    await hooks.purge(id)
    return removed
  }

  /** Moves active hooks to another base URL. A hook that the service rejects keeps its URL. */
  async repoint(from: string, to: string): Promise<OutputOf<'hooks.repoint'>['moved']> {
    const oldBase = from.replace(/(?<!\/)\/+$/, '')
    const newBase = to.replace(/(?<!\/)\/+$/, '')
    const moved: OutputOf<'hooks.repoint'>['moved'] = []
    for (const hook of hooksUnder(this.#deps.hooks.list(), from)) {
      try {
        const url = newBase + hook.url.slice(oldBase.length)
        const { hook: changed, warnings } = await this.update({ id: hook.id, url })
        moved.push({ hook: changed, problem: null, warnings })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        moved.push({ hook, problem: error.message, warnings: [] })
      }
    }
    return moved
  }

  importWarnings(input: HookImport): HookWarning[] {
    const { event, url, programId = null } = input
    const environment = this.#deps.environments.get(input.environment)
    const imported = { event, url, programId, offerId: null, headers: {} }
    const { findings, warnings } = this.#checkRules(environment, imported)
    if (this.#deps.hooks.findImported(input) !== null)
      return [
        hookFinding(
          'already-imported',
          'This hook is already here with this secret. Nothing was changed.',
        ),
      ]
    return [...findings, ...warnings]
      .filter(({ rule }) => rule === 'url-limit' && programId !== null)
      .map((finding) => ({
        ...finding,
        message: `The service allows ${MAX_HOOKS_PER_EVENT} hooks per event and program, and you already have that many. Check there that it has this one.`,
      }))
  }

  #requestOf(input: HookAdd) {
    const { event, headers } = input
    const kind = registeredKindOf(event, input.programId ?? null)
    return {
      event,
      url: input.url ?? this.#ownUrl(event),
      programId: programFor(kind, input.programId),
      offerId: input.offerId ?? null,
      headers,
    }
  }

  /** Returns a URL with a readable path that can't be guessed. */
  #ownUrl(event: string): string {
    const address = this.#deps.address()
    if (address === null)
      throw new AppError(
        'NOT_RUNNING',
        'The receiver isn\'t running, so it has no URL to register. Run "countersign serve" (or open the app), or give a URL with --url.',
      )
    const slug = event
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
    const suffix = Buffer.from(this.#deps.randomBytes(4)).toString('hex')
    return `${address}/h/${slug === '' ? 'hook' : slug}-${suffix}`
  }

  /** Resolves with warnings. Rejects with `INVALID_HOOK` if the hook breaks a rule. */
  async #approve(
    environment: StoredEnvironment,
    requested: RequestedHook,
    changed?: StoredHook,
  ): Promise<HookWarning[]> {
    const { findings, warnings } = this.#checkRules(environment, requested, changed)
    if (findings.length === 0)
      return [...warnings, ...(await this.#checkReach(environment, requested.url))]
    throw new AppError('INVALID_HOOK', findings.map(withOrigin).join(' '), { details: findings })
  }

  /** Returns broken rules as findings, and those that a real account decides as warnings. */
  #checkRules(
    { name, prefix }: StoredEnvironment,
    requested: RequestedHook,
    changed?: StoredHook,
  ): { findings: HookFinding[]; warnings: HookWarning[] } {
    const kind = changed?.kind ?? registeredKindOf(requested.event, requested.programId)
    const isSandbox = isSandboxEnvironment(name)
    const siblings = this.#deps.hooks
      .list(name)
      .filter((hook) => hook.status === 'active' && hook.id !== changed?.id)
    // The sandbox accepts hooks imported without a program.
    const needsProgram =
      changed === undefined ? kind !== null : changed.programId !== null || !isSandbox
    // An event without documented registration is checked as a program hook's, for the finding
    // "The spec doesn't show how to register …".
    const all = checkHook(
      { ...requested, kind: kind ?? 'program' },
      { prefix, siblings, needsProgram },
    )
    const isDecidedByAccount = ({ rule }: HookFinding) => !isSandbox && ACCOUNT_RULES.has(rule)
    return {
      findings: all.filter((finding) => !isDecidedByAccount(finding)),
      warnings: all.filter(isDecidedByAccount).map(asWarning),
    }
  }

  async #checkReach({ name }: StoredEnvironment, url: string): Promise<HookWarning[]> {
    return isSandboxEnvironment(name) ? [] : checkReachability(url, this.#deps.reachability)
  }

  /** Stores a hook that may exist at the service, so that its deliveries are recognized. */
  async #recordUncertain(
    hook: Omit<NewHook, 'remoteId' | 'status' | 'record' | 'secret'>,
    error: unknown,
  ): Promise<never> {
    if (!isUncertain(error)) throw error
    const unconfirmed = {
      remoteId: null,
      status: 'unconfirmed',
      record: null,
      secret: null,
    } as const
    const { id } = await this.#deps.hooks.record({ ...hook, ...unconfirmed })
    throw new AppError(
      error.code,
      `${error.message} The hook may exist, so it is stored here as unconfirmed (${id}). Check the service before you register it again.`,
      { details: { ...(error.details as object), hookId: id }, cause: error },
    )
  }

  async #markGone(id: string, { status, shown, sent }: ApiAnswer): Promise<AppError> {
    await this.#deps.hooks.change(id, { status: 'gone' })
    return new AppError(
      'NOT_FOUND',
      `The service no longer knows this hook (it returned ${status}), so it is marked as gone. Register it again, or delete the entry.`,
      { details: { status, body: shown(), sent } },
    )
  }
}

/** Returns null for a brand hook, which has no program (section 4.2). */
function programFor(kind: HookKind | null, programId: string | null | undefined): string | null {
  return kind === 'brand' ? null : (programId ?? null)
}

function ignoredProgramWarnings(
  kind: HookKind | null,
  programId: string | null | undefined,
): HookWarning[] {
  if (kind !== 'brand' || programId == null) return []
  const message = "Brand hooks don't belong to a program, so the program was ignored."
  return [{ rule: 'program-left-out', section: '4.2', field: 'programId', message }]
}

/** Rules that only warn, because a real account decides them. */
const ACCOUNT_RULES: ReadonlySet<HookFinding['rule']> = new Set([
  'event-unknown',
  'url-limit',
  'header-name-unsendable',
])

function asWarning(finding: HookFinding): HookWarning {
  if (finding.rule === 'event-unknown')
    return { ...finding, message: `${finding.message} The service may reject this hook.` }
  if (finding.rule !== 'url-limit') return { ...finding }
  const { rule, section, field } = finding
  const message = `You already have ${MAX_HOOKS_PER_EVENT} or more hooks for this event and program. The service allows ${MAX_HOOKS_PER_EVENT} and may reject this one.`
  return { rule, section, field, message }
}

function notRegistered(hook: StoredHook): AppError {
  return new AppError(
    'INVALID_HOOK',
    hook.status === 'deleted'
      ? HOOK_DELETED
      : 'The service\'s ID of this hook is unknown, so it can\'t be changed here. Import the hook with "countersign hooks import --event EVENT --url URL --remote-id ID", or change it where you created it.',
  )
}
