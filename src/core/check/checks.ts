/**
 * Runs, stores and retries handler checks, and compares them with earlier ones. Secrets stay in
 * memory.
 */
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Consent } from '../../shared/model/consent.ts'
import {
  countOutcomes,
  FIRST_CASE,
  type CheckResult,
  type CheckRun,
  type CheckSummary,
} from '../../shared/model/check.ts'
import type { HandlerCauses } from '../../shared/model/handler-causes.ts'
import type { KnownSecrets } from '../../shared/text/mask.ts'
import { createMutex, failureSentence, unlessRefused } from '../base/async.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { createRuns, type ActiveRun } from '../base/runs.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import type { Admission } from '../outgoing/admit.ts'
import type { StoredCheck, WholeCheck } from '../store/check-runs.ts'
import type { HandlerEvidence } from '../store/handler-evidence.ts'
import type { Store } from '../store/store.ts'
import { checkHtml, checkJson, checkJunit } from './check-report.ts'
import {
  completeInput,
  signingForRetry,
  type CheckSigningDeps,
  type CheckSigning,
  type StartCheck,
} from './check-signing.ts'
import { conclude } from './conclusions.ts'
import { findCauses, maskEvidence, noEvidence } from './handler-causes.ts'
import { prepareCheck, runPrepared, type PreparedCheck } from './prepare-check.ts'
import { firstResponseOf } from './run-cases.ts'
import {
  compareChecks,
  checkRunOf,
  checkSummaryOf,
  withResult,
  withResults,
} from './stored-checks.ts'

interface ChecksDeps extends KnownSecrets, CheckSigningDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly admission: Pick<Admission, 'admit' | 'liveEnvironments'>
  readonly version: string
  readonly hub: Pick<EventHub, 'emit'>
  /** Reads what failed at the saved handler with this target; null if it has a newer check. */
  handlerEvidence(target: string, runId: string): Promise<HandlerEvidence | null>
}

interface RetryCaseInput extends Omit<ParsedInputOf<'check.again'>, keyof Consent> {
  readonly consent: Consent
}

type Run = ActiveRun<{ current: WholeCheck }>

export class HandlerChecks {
  readonly #deps: ChecksDeps
  readonly #runs = createRuns<{ current: WholeCheck }, void>({
    onProgress: (run) => this.#announce(run),
    onFailed: (error, run) =>
      this.#end(run, failureSentence(error, this.#deps.log, 'a handler check')),
    onEnded: (run) => this.#announce(run),
  })
  // Two results stored concurrently would overwrite each other.
  readonly #exclusive = createMutex()
  /** Signers of this session's checks, by check id. */
  readonly #signings = new Map<string, CheckSigning>()
  readonly close = this.#runs.close

  constructor(deps: ChecksDeps) {
    this.#deps = deps
  }

  /**
   * Resolves once the check is stored and running. Rejects, before anything is sent, with
   * `INVALID_INPUT`, `NOT_FOUND`, `TARGET_NOT_ALLOWED`, `CONFIRMATION_REQUIRED` or
   * `SECRET_UNREADABLE`.
   */
  async start(input: StartCheck): Promise<CheckRun> {
    const { clock, ids, store } = this.#deps
    const completed = await completeInput(this.#deps, input)
    const prepared = await prepareCheck(this.#deps, completed)
    const { factory, cases, requests, otherHost } = prepared
    const check: WholeCheck = {
      id: ids.next(),
      createdAt: clock.now(),
      settings: factory.settings,
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
    const { signers, registeredUrl } = completed
    this.#signings.set(check.id, { signers, registeredUrl })
    this.#run(check, prepared)
    return this.#show(check)
  }

  readonly cancel = async (runId: string): Promise<CheckRun> => {
    const active = this.#runs.get(runId)
    await this.#runs.cancel(runId)
    return this.#show(active?.state.current ?? (await this.#read(runId)))
  }

  readonly get = async (runId: string): Promise<CheckRun> => this.#show(await this.#read(runId))

  /** Finds the causes of a handler's failures in its last check, if any, and the evidence. */
  async causes({
    lastRunId,
    evidence,
  }: {
    readonly lastRunId: string | undefined
    readonly evidence: HandlerEvidence
  }): Promise<HandlerCauses> {
    const check = lastRunId === undefined ? null : await unlessRefused(this.#read(lastRunId))
    return findCauses(check ?? { results: [], conclusions: [] }, await this.#masked(evidence))
  }

  /** Lists checks, newest first. */
  async list(limit: number): Promise<CheckSummary[]> {
    const checks = await this.#deps.store.read('checkRuns', limit)
    return checks.map((check) => this.#summary(this.#runs.get(check.id)?.state.current ?? check))
  }

  /** Runs one case again, and replaces its result. */
  again(input: RetryCaseInput): Promise<CheckRun> {
    return this.#runs.track(this.#runAgain(input))
  }

  readonly report = async ({
    runId,
    format,
  }: {
    runId: string
    format: 'json' | 'junit' | 'html'
  }) => {
    const { clock, version } = this.#deps
    const check = await this.#show(await this.#read(runId))
    const name = `handler-check-${check.createdAt.slice(0, 19).replaceAll(':', '-')}`
    const [extension, mediaType, text] =
      format === 'junit'
        ? ['xml', 'application/xml', checkJunit(check)]
        : format === 'html'
          ? ['html', 'text/html', checkHtml(check, { at: clock.now(), version })]
          : ['json', 'application/json', `${JSON.stringify(checkJson(check), null, 2)}\n`]
    return { fileName: `${name}.${extension}`, mediaType, text }
  }

  #summary(check: StoredCheck): CheckSummary {
    return checkSummaryOf(check, this.#runs.isRunning(check.id))
  }

  async #show(check: WholeCheck): Promise<CheckRun> {
    const isRunning = this.#runs.isRunning(check.id)
    const evidence = isRunning
      ? null
      : await this.#deps.handlerEvidence(check.settings.target, check.id)
    return checkRunOf(check, isRunning, await this.#masked(evidence ?? noEvidence))
  }

  async #masked(evidence: HandlerEvidence): Promise<HandlerEvidence> {
    return evidence === noEvidence ? evidence : maskEvidence(evidence, await this.#deps.mask())
  }

  #announce({ state }: Run): void {
    this.#deps.hub.emit('check.changed', { run: this.#summary(state.current) })
  }

  async #read(runId: string): Promise<WholeCheck> {
    return this.#runs.get(runId)?.state.current ?? this.#deps.store.read('checkRun', runId)
  }

  #run(check: WholeCheck, prepared: PreparedCheck): void {
    this.#runs.start(check.id, { current: check }, async (active) => {
      const onResult = (result: CheckResult) => {
        const { current } = active.state
        active.state.current = withResults(current, [...current.results, result])
        active.progress()
      }
      await runPrepared(this.#deps, prepared, onResult, active.stopped)
      await this.#end(active, null)
    })
  }

  async #end({ state: progress, stopped }: Run, problem: string | null): Promise<void> {
    try {
      const state = stopped.aborted || problem !== null ? 'cancelled' : 'done'
      const last: WholeCheck = {
        ...(await this.#withConclusions(progress.current)),
        state,
        problem,
      }
      await this.#deps.store.write('putCheckRun', last)
      progress.current = last
    } catch (error) {
      const { message } = error as Error
      this.#deps.log.warn("Couldn't store a handler check.", { reason: message })
      progress.current = {
        ...progress.current,
        state: 'cancelled',
        problem: `Couldn't store the check: ${message}`,
      }
    }
  }

  /** Adds the conclusions and the comparison with the check before, which need all results. */
  async #withConclusions(check: WholeCheck): Promise<WholeCheck> {
    const before = await this.#deps.store.read('previousCheckRun', {
      id: check.id,
      target: check.settings.target,
    })
    const comparison = before === null ? null : compareChecks(check.results, before)
    return { ...check, conclusions: conclude(check.results, check.settings.ack), comparison }
  }

  async #runAgain({ runId, name, secret, consent }: RetryCaseInput): Promise<CheckRun> {
    const { store, environments, hub } = this.#deps
    const check = await this.#read(runId)
    if (this.#runs.isRunning(runId))
      throw new AppError(
        'INVALID_INPUT',
        'This check is still running. Wait until it finishes, or cancel it, then retry the case.',
      )
    const signing = await signingForRetry(this.#deps, check, this.#signings.get(runId), secret)
    const prepared = await prepareCheck(this.#deps, {
      ...check.settings,
      consent,
      otherPrefixes: knownPrefixes(environments),
      ...signing,
    })
    const first = check.results.find(
      (result) =>
        name !== FIRST_CASE &&
        result.name === FIRST_CASE &&
        firstResponseOf(result) !== 'unreachable',
    )
    const results: CheckResult[] = []
    const onResult = (result: CheckResult) => results.push(result)
    await runPrepared(this.#deps, prepared, onResult, this.#runs.closing, { name, first })
    const [result] = results
    if (result === undefined) return this.#show(check)
    return this.#exclusive(async () => {
      const stored = await this.#withConclusions(withResult(await this.#read(runId), result))
      await store.write('putCheckRun', stored)
      hub.emit('check.changed', { run: this.#summary(stored) })
      return this.#show(stored)
    })
  }
}
