/**
 * Handler checks: starts, follows, cancels, stores and compares them with the previous check of the same target. Secrets are kept
 * only in memory, so that cases can be retried, and are never stored.
 */
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { withScheme } from '../../shared/http.ts'
import type { Consent } from '../../shared/model/consent.ts'
import {
  countOutcomes,
  FIRST_CASE,
  scoreOf,
  type CheckComparison,
  type CheckResult,
  type CheckRun,
  type CheckSettings,
  type CheckSummary,
} from '../../shared/model/check.ts'
import {
  isShownEventType,
  shownEventTypes,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import { checkHeaders } from '../../shared/service/header-rules.ts'
import { withOrigin } from '../../shared/service/hook-finding.ts'
import { counted } from '../../shared/text/counted.ts'
import type { KnownSecrets } from '../../shared/text/masked.ts'
import { createMutex, createRuns, failureSentence, type ActiveRun } from '../base/async.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { checkPrefix, knownPrefixes, type Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import {
  confirmLivePayloads,
  readTarget,
  type Admission,
  type HandlerSigner,
} from '../outgoing/admit.ts'
import { checkSigners, signerOf, signersOfHooks, type EventSigner } from '../hooks/event-signers.ts'
import { createPacer } from '../outgoing/send.ts'
import { secretKey } from '../signature/sign.ts'
import type { StoredCheck, WholeCheck } from '../store/runs.ts'
import type { Store } from '../store/store.ts'
import { checkCases, selectCases } from './cases.ts'
import { checkHtml, checkJson, checkJunit } from './check-report.ts'
import { mostCauseRequests } from './first-cause.ts'
import { conclude } from './judge.ts'
import { makePayloads } from './payloads.ts'
import { createRequestFactory, type CheckRequest } from './requests.ts'
import { inapplicable, runCases, sendCheck, firstResponseOf, wordsOf } from './run-cases.ts'

export interface ChecksDeps extends KnownSecrets {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly hooks: Pick<Hooks, 'get' | 'headersOf' | 'reveal'>
  readonly environments: Pick<Environments, 'get' | 'all'>
  /** What the saved handler with this URL verifies with; null if the URL isn't saved. */
  signerAt(target: string): Promise<HandlerSigner | null>
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  randomBytes(count: number): Uint8Array
  readonly admission: Pick<Admission, 'admit' | 'liveEnvironments'>
  readonly version: string
  readonly hub: Pick<EventHub, 'emit'>
}

// Prepares a check: validates everything before the first request.

/** Default requests per second: gentle on a laptop, done in seconds. */
const DEFAULT_RATE = 10

export interface CheckInput extends Omit<
  CheckSettings,
  'headerNames' | 'registeredUrl' | 'events'
> {
  /** Instead of the signers' URLs; null for those, or the target itself. */
  readonly registeredUrl: string | null
  /** Empty for all events. */
  readonly events: readonly string[]
  /** At least one. */
  readonly signers: readonly EventSigner[]
  /** Prefixes of header names that the handler may read instead. */
  readonly otherPrefixes: readonly string[]
  readonly consent: Consent
}

/** With the target resolved: a saved handler's name is its URL and signer here. */
interface StartCheck extends Omit<ParsedInputOf<'check.start'>, keyof Consent | 'prefix'> {
  readonly prefix: string
  readonly consent: Consent
}

export type PreparedCheck = Awaited<ReturnType<typeof prepareCheck>>

/** Throws `INVALID_INPUT` for an event without a payload in the spec. */
function readEvents(names: readonly string[]): readonly ShownEventType[] {
  return names.map((name) => {
    if (isShownEventType(name)) return name
    throw new AppError(
      'INVALID_INPUT',
      `The spec shows no payload for ${name}. Choose one of: ${shownEventTypes.join(', ')}.`,
    )
  })
}

/** Throws `INVALID_INPUT` if header names can't contain the prefix, or for the first header that breaks a rule of section 4.3. */
function checkHeaderNames({ signers, prefix }: Pick<CheckInput, 'signers' | 'prefix'>): void {
  checkPrefix(prefix)
  const [finding] = signers.flatMap(({ headers }) => checkHeaders(headers, prefix))
  if (finding !== undefined) throw new AppError('INVALID_INPUT', withOrigin(finding))
}

/** Anyone who allows a host must know how many requests it gets. */
function withCount(error: unknown, requests: number, rate: number): unknown {
  if (!(error instanceof AppError) || error.code !== 'TARGET_NOT_ALLOWED') return error
  return new AppError(
    error.code,
    `${error.message} The check sends up to ${counted(requests, 'request')} at ${rate} per second.`,
    {
      details: { ...(error.details as object), requests },
    },
  )
}

/** Rejects with `INVALID_INPUT`, `CONFIRMATION_REQUIRED` or `TARGET_NOT_ALLOWED` before anything is sent. */
export async function prepareCheck(
  { clock, admission, mask }: Pick<ChecksDeps, 'clock' | 'admission' | 'mask'>,
  input: CheckInput,
) {
  const { signers, consent, registeredUrl, otherPrefixes, ...rest } = input
  const target = readTarget(input.target)
  const secrets = signers.map(({ secret }) => secret)
  if (secrets.includes(''))
    throw new AppError('INVALID_INPUT', "The secret is empty. Enter the hook's secretKey.")
  checkHeaderNames(input)
  const cases = selectCases(input.only, input.skip)
  const wanted = readEvents(input.events)
  checkSigners(signers, wanted)
  confirmLivePayloads(wanted, input.live)
  if (input.literals['live'] === 'true' && !input.live)
    throw new AppError(
      'CONFIRMATION_REQUIRED',
      'These payloads would be marked live. To confirm, add --live, or leave out --set live=true.',
    )
  const events = wanted.length === 0 ? shownEventTypes : wanted
  const urlOf = ({ url }: EventSigner) => registeredUrl ?? url ?? withScheme(input.target)
  const payloads = await makePayloads({ ...input, now: clock.now(), events })
  payloads.checkLiterals()
  const settings: CheckSettings = {
    ...rest,
    target: target.href,
    registeredUrl: urlOf(signerOf(signers, payloads.base)),
    events: [...events],
    headerNames: [...new Set(signers.flatMap(({ headers }) => Object.keys(headers)))],
  }
  const bench = createRequestFactory({
    payloads,
    settings,
    signers: signers.map((signer) => ({
      ...signer,
      key: secretKey(signer.secret),
      url: urlOf(signer),
    })),
    otherPrefixes: otherPrefixes.filter((prefix) => prefix !== input.prefix),
    now: () => clock.now(),
  })
  const requests = cases
    .filter((one) => inapplicable(one, settings) === null)
    .reduce(
      (sum, one) => sum + one.requests(bench).length + (one.wanted === 'answer' ? 1 : 0),
      mostCauseRequests(bench),
    )
  const { createSender, otherHosts } = await admission
    .admit(
      {
        targets: [input.target],
        targetCa: input.targetCa,
        registeredUrl,
        signers: { hookIds: input.hookIds, secrets },
        what: 'checking with a live secret',
      },
      consent,
    )
    .catch((error: unknown) => {
      throw withCount(error, requests, settings.rate)
    })

  return {
    settings,
    cases,
    /** Maximum number of requests. */
    requests,
    /** The remote host that receives the requests; null for this computer. */
    otherHost: otherHosts[0] ?? null,
    /**
     * Sends all cases, or one of them again; `first` is then the result of the first case, if that responded. Resolves when they are
     * done or the signal aborts.
     */
    async run(
      onResult: (result: CheckResult) => void,
      signal: AbortSignal,
      again?: { readonly name: string; readonly first: CheckResult | undefined },
    ): Promise<void> {
      const some = again === undefined ? cases : cases.filter(({ name }) => name === again.name)
      if (again !== undefined && some.length === 0)
        throw new AppError('NOT_FOUND', `This check has no case "${again.name}".`)
      // Every request has its own connection, so a dropped connection affects no other request.
      const sender = createSender({ keepAlive: false })
      const sending = {
        bench,
        turn: createPacer(clock, settings.rate, signal),
        send: (request: CheckRequest) =>
          sendCheck({ clock, sender, settings, secrets, mask }, request, signal),
        signal,
      }
      try {
        await runCases(some, again?.first, sending, onResult)
      } finally {
        await sender.close()
      }
    },
  }
}

/**
 * Completes the input of a check with its signers: the secret entered, or the hooks'. Rejects with
 * `INVALID_INPUT`, `NOT_FOUND` or `SECRET_UNREADABLE`.
 */
async function inputOf(
  { hooks, environments, admission, randomBytes }: ChecksDeps,
  { hookIds, secret, programStatus, headers, literals = {}, ...input }: StartCheck,
): Promise<CheckInput> {
  const secrets = secret === undefined ? [] : [secret]
  const liveSigners = admission.liveEnvironments({ hookIds, secrets })
  const common = {
    ...input,
    otherPrefixes: knownPrefixes(environments),
    hookIds,
    literals,
    live: programStatus || input.consent.live === true || liveSigners.length > 0,
    rate: input.rate ?? DEFAULT_RATE,
    seed: input.seed ?? Buffer.from(randomBytes(6)).readUIntBE(0, 6),
  }
  const [hookId] = hookIds
  if (hookId === undefined) {
    if (secret === undefined)
      throw new AppError(
        'INVALID_INPUT',
        "Enter the hook's secret, or choose a hook whose secret is stored here.",
      )
    return { ...common, signers: [{ event: null, secret, url: null, headers }], ack: '200' }
  }
  const signers = await signersOfHooks(hooks, hookIds, secret)
  const own = signers.flatMap(({ event }) => event ?? [])
  return {
    ...common,
    signers: signers.map((signer) => ({ ...signer, headers: { ...signer.headers, ...headers } })),
    ack: environments.get(hooks.get(hookId).environment).ack,
    events: input.events.length > 0 ? input.events : own.filter(isShownEventType),
  }
}

type Signing = Pick<CheckInput, 'signers' | 'registeredUrl'>

/**
 * Finds the signers to retry an earlier check with: this session's, the secret entered again, the
 * hooks', or the saved handler's. Rejects like `inputOf`.
 */
async function signingAgain(
  { hooks, signerAt }: ChecksDeps,
  { settings: { target, hookIds, headerNames, registeredUrl } }: WholeCheck,
  known: Signing | undefined,
  given: string | undefined,
): Promise<Signing> {
  if (known !== undefined) {
    const signers = known.signers.map((one) => ({ ...one, secret: given ?? one.secret }))
    return { ...known, signers }
  }
  if (hookIds.length > 0) {
    const signers = await signersOfHooks(hooks, hookIds, given)
    const isOwn = signers.some(({ url }) => url === registeredUrl)
    return { signers, registeredUrl: isOwn ? null : registeredUrl }
  }
  const signer = given === undefined ? await signerAt(target) : null
  const secret = signer !== null && 'secret' in signer ? signer.secret : given
  if (secret === undefined || headerNames.length > 0)
    throw new AppError(
      'INVALID_INPUT',
      "The secret of this check isn't stored. Run a new check with the secret.",
    )
  return { signers: [{ event: null, secret, url: null, headers: {} }], registeredUrl }
}

interface CheckAgain extends Omit<ParsedInputOf<'check.again'>, keyof Consent> {
  readonly consent: Consent
}

export type Checks = ReturnType<typeof createChecks>

type Run = ActiveRun<{ current: WholeCheck }>

export function createChecks(deps: ChecksDeps) {
  const { store, clock, log } = deps
  const announce = ({ state }: Run): void =>
    deps.hub.emit('check.changed', { run: summary(state.current) })
  const runs = createRuns<{ current: WholeCheck }, void>({
    onProgress: announce,
    onFailed: (error, failed) => end(failed, failureSentence(error, log, 'a handler check')),
    onEnded: announce,
  })
  // Two results stored concurrently would overwrite each other.
  const exclusive = createMutex()
  /** The signers of this session's checks, by check id. */
  const given = new Map<string, Signing>()

  const summary = (check: StoredCheck): CheckSummary => summaryOf(check, runs.isRunning(check.id))
  const show = (check: WholeCheck): CheckRun => runOf(check, runs.isRunning(check.id))

  const find = async (runId: string): Promise<WholeCheck> =>
    runs.get(runId)?.state.current ?? store.read('checkRun', runId)

  /** Adds what needs all results, such as the comparison. */
  async function concluded(check: WholeCheck): Promise<WholeCheck> {
    const before = await store.read('checkRunBefore', {
      id: check.id,
      target: check.settings.target,
    })
    const comparison = before === null ? null : compareChecks(check.results, before)
    return { ...check, conclusions: conclude(check.results, check.settings.ack), comparison }
  }

  async function end({ state: held, stopped }: Run, problem: string | null): Promise<void> {
    try {
      const state = stopped.aborted || problem !== null ? 'cancelled' : 'done'
      const last: WholeCheck = { ...(await concluded(held.current)), state, problem }
      await store.write('putCheckRun', last)
      held.current = last
    } catch (error) {
      const { message } = error as Error
      log.warn("Couldn't store a handler check.", { reason: message })
      held.current = {
        ...held.current,
        state: 'cancelled',
        problem: `Couldn't store the check: ${message}`,
      }
    }
  }

  function run(check: WholeCheck, prepared: PreparedCheck): CheckRun {
    runs.start(check.id, { current: check }, async (mine) => {
      const onResult = (result: CheckResult) => {
        const { current } = mine.state
        mine.state.current = withResults(current, [...current.results, result])
        mine.progress()
      }
      await prepared.run(onResult, mine.stopped)
      await end(mine, null)
    })
    return show(check)
  }

  async function tryAgain({ runId, name, secret, consent }: CheckAgain): Promise<CheckRun> {
    const check = await find(runId)
    if (runs.isRunning(runId))
      throw new AppError(
        'INVALID_INPUT',
        'This check is still running. Wait until it finishes, or cancel it, then retry the case.',
      )
    const { settings } = check
    const again = await signingAgain(deps, check, given.get(runId), secret)
    const prepared = await prepareCheck(deps, {
      ...settings,
      consent,
      otherPrefixes: knownPrefixes(deps.environments),
      ...again,
    })
    const first = check.results.find(
      (result) =>
        name !== FIRST_CASE &&
        result.name === FIRST_CASE &&
        firstResponseOf(result) !== 'unreachable',
    )
    const results: CheckResult[] = []
    await prepared.run((one) => results.push(one), runs.closing, { name, first })
    const [result] = results
    if (result === undefined) return show(check)
    return exclusive(async () => {
      const changed = await concluded(withResult(await find(runId), result))
      await store.write('putCheckRun', changed)
      deps.hub.emit('check.changed', { run: summary(changed) })
      return show(changed)
    })
  }

  return {
    /**
     * Resolves once the check is stored and running. Rejects before anything is sent, with `INVALID_INPUT`, `NOT_FOUND`,
     * `TARGET_NOT_ALLOWED`, `CONFIRMATION_REQUIRED` or `SECRET_UNREADABLE`.
     */
    async start(input: StartCheck): Promise<CheckRun> {
      const wanted = await inputOf(deps, input)
      const prepared = await prepareCheck(deps, wanted)
      const { settings, cases, requests, otherHost } = prepared
      const check: WholeCheck = {
        id: deps.ids.next(),
        createdAt: clock.now(),
        settings,
        state: 'running',
        problem: null,
        requests,
        otherHost,
        cases: cases.map(({ name }) => name),
        counts: countOutcomes([]),
        score: null,
        results: [],
        conclusions: [],
        comparison: null,
      }
      await store.write('putCheckRun', check)
      given.set(check.id, { signers: wanted.signers, registeredUrl: wanted.registeredUrl })
      return run(check, prepared)
    },
    async cancel(runId: string): Promise<CheckRun> {
      const mine = runs.get(runId)
      await runs.cancel(runId)
      return show(mine?.state.current ?? (await find(runId)))
    },
    get: async (runId: string): Promise<CheckRun> => show(await find(runId)),
    /** Newest first. */
    list: async (limit: number): Promise<CheckSummary[]> =>
      (await store.read('checkRuns', limit)).map((check) =>
        summary(runs.get(check.id)?.state.current ?? check),
      ),
    again: (input: CheckAgain): Promise<CheckRun> => runs.track(tryAgain(input)),
    async report({ runId, format }: { runId: string; format: 'json' | 'junit' | 'html' }) {
      const check = show(await find(runId))
      const name = `handler-check-${check.createdAt.slice(0, 19).replaceAll(':', '-')}`
      const [extension, mediaType, text] =
        format === 'junit'
          ? ['xml', 'application/xml', checkJunit(check)]
          : format === 'html'
            ? ['html', 'text/html', checkHtml(check, { at: clock.now(), version: deps.version })]
            : ['json', 'application/json', `${JSON.stringify(checkJson(check), null, 2)}\n`]
      return { fileName: `${name}.${extension}`, mediaType, text }
    },
    /** Aborts running checks. */
    close: runs.close,
  }
}

// A stored check as people and programs see it.

/** `isGoing` says whether this process runs the check. A check stored as running that isn't was interrupted. */
function summaryOf(check: StoredCheck, isGoing: boolean): CheckSummary {
  const { id, problem, requests, otherHost, score, cases, counts, createdAt, state } = check
  const { targetCa: _, ...settings } = check.settings
  return {
    id,
    createdAt: new Date(createdAt).toISOString(),
    ...settings,
    state: state === 'running' && !isGoing ? 'interrupted' : state,
    problem,
    requests,
    otherHost,
    total: cases.length,
    ended: counts.passed + counts.failed + counts.skipped,
    ...counts,
    score,
  }
}

function runOf(check: WholeCheck, isGoing: boolean): CheckRun {
  const { results, conclusions, comparison, cases } = check
  const ended = new Set(results.map(({ name }) => name))
  return {
    ...summaryOf(check, isGoing),
    results: [...results],
    waiting: checkCases.filter(({ name }) => cases.includes(name) && !ended.has(name)).map(wordsOf),
    conclusions: [...conclusions],
    comparison,
  }
}

function withResults(check: WholeCheck, results: readonly CheckResult[]): WholeCheck {
  return { ...check, results, counts: countOutcomes(results), score: scoreOf(results) }
}

function withResult(check: WholeCheck, result: CheckResult): WholeCheck {
  const placeOf = ({ name }: CheckResult) => check.cases.indexOf(name)
  const others = check.results.filter(({ name }) => name !== result.name)
  return withResults(
    check,
    [...others, result].toSorted((left, right) => placeOf(left) - placeOf(right)),
  )
}

function compareChecks(results: readonly CheckResult[], before: WholeCheck): CheckComparison {
  const outcomes = new Map(before.results.map(({ name, outcome }) => [name, outcome]))
  const namesOf = (now: CheckResult['outcome'], then: CheckResult['outcome']) =>
    results
      .filter(({ name, outcome }) => outcome === now && outcomes.get(name) === then)
      .map(({ name }) => name)
  return {
    runId: before.id,
    createdAt: new Date(before.createdAt).toISOString(),
    newlyFailing: namesOf('fail', 'pass'),
    fixed: namesOf('pass', 'fail'),
  }
}
