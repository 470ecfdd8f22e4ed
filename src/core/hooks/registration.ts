/**
 * Creates, updates and deletes hooks at the service (sections 2.1 and 4) and stores them, because the spec has no call that lists
 * hooks (`sync-hooks.ts` tries one). All rules of the spec are checked before the call.
 */
import type { OutputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import type { Hook, HookAdd, HookImport, HookUpdate } from '../../shared/model/hook.ts'
import { hookFinding, withOrigin, type HookFinding } from '../../shared/service/hook-finding.ts'
import { registeredKindOf, type HookKind } from '../../shared/service/event-type.ts'
import { checkHook, hooksUnder } from '../../shared/service/hook-rules.ts'
import { MAX_HOOKS_PER_EVENT } from '../../shared/service/limits.ts'
import { isUncertain, refusal } from '../service-api/exchange.ts'
import type { StoredHook, StoredEnvironment } from '../store/hooks.ts'
import type { Environments, ServiceClients } from './environments.ts'
import {
  incompleteWarnings,
  modeWarnings,
  readHookSecret,
  remoteIdOf,
  secretWarnings,
} from './hook-record.ts'
import { DELETED, type Hooks, type NewHook } from './hooks.ts'
import { confirmLive } from './live-guard.ts'
import { checkReachability, type HookWarning, type ReachabilityDeps } from './environment-rules.ts'

interface RegistrationDeps {
  readonly hooks: Hooks
  readonly environments: Environments
  readonly clients: Pick<ServiceClients, 'of'>
  /** Checks URLs before registration, trusting only the system's CAs. */
  readonly reachability: ReachabilityDeps
  /** The base URL to register hooks under: the public URL if one is set. */
  address(): string | null
  randomBytes(count: number): Uint8Array
}

type Registered = OutputOf<'hooks.add'>

type WantedHook = Pick<NewHook, 'event' | 'url' | 'programId' | 'offerId' | 'headers'>

export type Registration = ReturnType<typeof createRegistration>

export function createRegistration(deps: RegistrationDeps) {
  const { hooks, environments, clients } = deps

  /** A path for a new hook: readable but not guessable. */
  function ownUrl(event: string): string {
    const address = deps.address()
    if (address === null)
      throw new AppError(
        'NOT_RUNNING',
        'The receiver isn\'t running, so it has no URL to register. Run "countersign serve" (or open the app), or give a URL with --url.',
      )
    const slug = event
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
    return `${address}/h/${slug === '' ? 'hook' : slug}-${Buffer.from(deps.randomBytes(4)).toString('hex')}`
  }

  /** The rules that the hook breaks; for a real account, those that only the account decides are warnings. `self`: a changed hook. */
  function judge(
    { name, prefix }: StoredEnvironment,
    wanted: WantedHook,
    self?: StoredHook,
  ): { findings: HookFinding[]; warnings: HookWarning[] } {
    const kind = self?.kind ?? registeredKindOf(wanted.event, wanted.programId)
    const isSandbox = isSandboxEnvironment(name)
    const siblings = hooks
      .list(name)
      .filter((hook) => hook.status === 'active' && hook.id !== self?.id)
    // The sandbox accepts hooks imported without a program.
    const needsProgram = self === undefined ? kind !== null : self.programId !== null || !isSandbox
    // Events without documented registration are checked as program hooks, and the finding says so.
    const all = checkHook(
      { ...wanted, kind: kind ?? 'program' },
      { prefix, siblings, needsProgram },
    )
    const isOpen = ({ rule }: HookFinding) => !isSandbox && OPEN_RULES.has(rule)
    return {
      findings: all.filter((finding) => !isOpen(finding)),
      warnings: all.filter(isOpen).map(asWarning),
    }
  }

  const reachOf = ({ name }: StoredEnvironment, url: string) =>
    isSandboxEnvironment(name) ? [] : checkReachability(url, deps.reachability)

  /** The warnings about a hook. Rejects with `INVALID_HOOK` if it breaks a rule. */
  async function approve(...judged: Parameters<typeof judge>): Promise<HookWarning[]> {
    const [environment, { url }] = judged
    const { findings, warnings } = judge(...judged)
    if (findings.length === 0) return [...warnings, ...(await reachOf(environment, url))]
    throw new AppError('INVALID_HOOK', findings.map(withOrigin).join(' '), { details: findings })
  }

  function wantedOf(input: HookAdd) {
    return {
      event: input.event,
      url: input.url ?? ownUrl(input.event),
      programId: programFor(
        registeredKindOf(input.event, input.programId ?? null),
        input.programId,
      ),
      offerId: input.offerId ?? null,
      headers: input.headers,
    }
  }

  async function update({ id, live, ...change }: HookUpdate): Promise<Registered> {
    const hook = hooks.get(id)
    const environment = environments.get(hook.environment)
    confirmLive(environment, live, 'changing a hook')
    const { remoteId } = hook
    if (remoteId === null || hook.status === 'deleted') throw notRegistered(hook)
    const next = {
      event: change.event ?? hook.event,
      url: change.url ?? hook.url,
      programId: programFor(hook.kind, change.programId ?? hook.programId),
      offerId: hook.offerId,
      headers: change.headers ?? hooks.headersOf(id),
    }
    const warnings = await approve(environment, next, hook)
    const { event, url, programId, headers } = next
    const client = await clients.of(environment)
    const answer = await client.updateHook(remoteId, { programId, event, url, headers })
    if (answer.status >= 300) {
      // The service may not know the program rather than the hook, so this says nothing about the hook.
      if (programId !== hook.programId) throw refusal(answer, 'move the hook to another program')
      const { status, sent } = answer
      await hooks.change(id, { status: 'gone' })
      throw new AppError(
        'NOT_FOUND',
        `The service no longer knows this hook (it returned ${status}), so it is marked as gone. Register it again, or delete the entry.`,
        { details: { status, body: answer.shown(), sent } },
      )
    }
    const record = answer.record(answer.json, Object.values(headers)) ?? hook.record
    const kept = await hooks.change(id, {
      event,
      url,
      programId,
      headers,
      status: 'active',
      record,
    })
    const { secret } = readHookSecret(answer)
    const changed = secret === null ? kept : await hooks.rotate(id, secret)
    return {
      hook: changed,
      warnings: [
        ...warnings,
        ...leftOut(hook.kind, change.programId),
        ...modeWarnings(answer, environment),
        ...secretWarnings(answer),
      ],
    }
  }

  /** Deletes the hook at the service. The record and its secret are kept, so that old deliveries still verify. */
  async function remove(id: string, live: boolean): Promise<Hook> {
    const hook = hooks.get(id)
    const environment = environments.get(hook.environment)
    confirmLive(environment, live, 'deleting a hook')
    const { remoteId, status } = hook
    if (status === 'deleted') return hooks.change(id, {})
    // Without an ID the service can't be asked, and it no longer has one that is gone. Only the local record is closed.
    if (remoteId === null || status === 'gone') return hooks.change(id, { status: 'deleted' })
    const client = await clients.of(environment)
    const answer = await client.deleteHook(remoteId)
    return hooks.change(id, { status: answer.status >= 300 ? 'gone' : 'deleted' })
  }

  return {
    /** All broken rules and warnings for a registration. */
    async check(input: HookAdd): Promise<OutputOf<'hooks.check'>> {
      const environment = environments.get(input.environment)
      const wanted = wantedOf(input)
      const { findings, warnings } = judge(environment, wanted)
      const { url } = wanted
      return { findings, warnings: [...warnings, ...(await reachOf(environment, url))], url }
    },
    async add(input: HookAdd): Promise<Registered> {
      const environment = environments.get(input.environment)
      confirmLive(environment, input.live, 'registering a hook')
      const wanted = wantedOf(input)
      const warnings = await approve(environment, wanted)
      const kind = registeredKindOf(wanted.event, wanted.programId)
      const base = { ...wanted, kind, environment: environment.name }
      const client = await clients.of(environment)
      try {
        const answer = await client.createHook({
          ...wanted,
          programId: kind === 'program' ? wanted.programId : null,
        })
        const { secret } = readHookSecret(answer)
        const remoteId = remoteIdOf(answer, wanted)
        const hook = await hooks.record({
          ...base,
          remoteId,
          // Without its secret, no delivery verifies.
          status: secret === null ? 'unconfirmed' : 'active',
          record: answer.record(answer.json, Object.values(wanted.headers)),
          secret,
        })
        return {
          hook,
          warnings: [
            ...warnings,
            ...leftOut(kind, input.programId),
            ...modeWarnings(answer, environment),
            ...incompleteWarnings(answer, remoteId),
          ],
        }
      } catch (error) {
        if (!isUncertain(error)) throw error
        // The hook may exist at the service. It is stored so that its deliveries are recognized.
        const hook = await hooks.record({
          ...base,
          remoteId: null,
          status: 'unconfirmed',
          record: null,
          secret: null,
        })
        throw new AppError(
          error.code,
          `${error.message} The hook may exist, so it is stored here as unconfirmed (${hook.id}). Check the service before you register it again.`,
          { details: { ...(error.details as object), hookId: hook.id }, cause: error },
        )
      }
    },
    update,
    /** Warnings about a hook to import, which the service may not have. Calls nothing. */
    importWarnings(input: HookImport): HookWarning[] {
      const { event, url, programId = null } = input
      const wanted = { event, url, programId, offerId: null, headers: {} }
      const { findings, warnings } = judge(environments.get(input.environment), wanted)
      if (hooks.findImported(input) !== null)
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
    },
    remove,
    /** Deletes the hook at the service, then its record and secret here. Changes nothing if something still needs the hook. */
    async purge(id: string, live: boolean): Promise<Hook> {
      confirmLive(environments.get(hooks.get(id).environment), live, 'removing a hook for good')
      await hooks.confirmUnused(id)
      const removed = await remove(id, live)
      await hooks.purge(id)
      return removed
    },
    /** Changes the URL of every active hook under `from` to `to`. A hook that the service rejects keeps its URL and says why. */
    async repoint(
      from: string,
      to: string,
      live: boolean,
    ): Promise<OutputOf<'hooks.repoint'>['moved']> {
      const under = from.replace(/(?<!\/)\/+$/, '')
      const concerned = hooksUnder(hooks.list(), from)
      // Checked before the first hook is moved, so that a missing confirmation leaves none half-moved.
      for (const hook of concerned)
        confirmLive(environments.get(hook.environment), live, 're-pointing hooks there')
      const moved: OutputOf<'hooks.repoint'>['moved'] = []
      for (const hook of concerned) {
        try {
          const { hook: changed, warnings } = await update({
            id: hook.id,
            url: to.replace(/(?<!\/)\/+$/, '') + hook.url.slice(under.length),
            live,
          })
          moved.push({ hook: changed, problem: null, warnings })
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          moved.push({ hook, problem: error.message, warnings: [] })
        }
      }
      return moved
    },
  }
}

/** Brand hooks have no program (section 4.2). A given program isn't stored, or later deliveries would be checked against it. */
function programFor(kind: HookKind | null, programId: string | null | undefined): string | null {
  return kind === 'brand' ? null : (programId ?? null)
}

function leftOut(kind: HookKind | null, programId: string | null | undefined): HookWarning[] {
  if (kind !== 'brand' || programId == null) return []
  const message = "Brand hooks don't belong to a program, so the program was ignored."
  return [{ rule: 'program-left-out', section: '4.2', field: 'programId', message }]
}

/** Rules that a real account decides: it may have events that the spec doesn't list, its hook count may differ from ours, and it can send headers that the sandbox can't. */
const OPEN_RULES: ReadonlySet<HookFinding['rule']> = new Set([
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
      ? DELETED
      : 'The service\'s ID of this hook is unknown, so it can\'t be changed here. Import the hook with "countersign hooks import --event EVENT --url URL --remote-id ID", or change it where you created it.',
  )
}
