/**
 * Handler checks: starts, follows, cancels, stores and compares them with the previous check of the same target. Secrets are kept
 * only in memory, so that cases can be retried, and are never stored.
 */
import { AppError } from '../../shared/contract/errors.ts'
import {
  countOutcomes,
  FIRST_CASE,
  scoreOf,
  type CheckComparison,
  type CheckResult,
  type CheckRun,
  type CheckSummary,
} from '../../shared/model/check.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { Admission, Consent } from '../outgoing/admit.ts'
import { createMutex } from '../base/async.ts'
import { createRuns, failureSentence, type ActiveRun, type Runs } from '../base/runs.ts'
import type { StoredCheck, WholeCheck } from '../store/runs-repo.ts'
import type { Store } from '../store/store.ts'
import {
  createCheckGiven,
  type CheckGivenDeps,
  type Given,
  type StartCheck,
  prepareCheck,
  type PreparedCheck,
} from './prepare-check.ts'
import { checkHtml, checkJson, checkJunit } from './check-report.ts'
import { conclude } from './conclude.ts'
import { standingAfter, wordsOf } from './run-check.ts'
import { checkCases } from './cases/all.ts'

export interface ChecksDeps extends CheckGivenDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly admit: Admission['admit']
  readonly version: string
  /** Called with the progress of a check, at most ten times per second, and at its end. */
  onChanged(run: CheckSummary): void
}

export interface CheckAgain {
  readonly runId: string
  readonly name: string
  readonly secret?: string | undefined
  readonly consent: Consent
}

export type Checks = ReturnType<typeof createChecks>

type Run = ActiveRun<{ current: WholeCheck }>

export function createChecks(deps: ChecksDeps) {
  const { store, clock, log } = deps
  const givens = createCheckGiven(deps)
  const announce = ({ state }: Run): void => deps.onChanged(summary(state.current))
  const runs: Runs<{ current: WholeCheck }, void> = createRuns({
    onProgress: announce,
    onFailed: (error, failed) => end(failed, failureSentence(error, log, 'a handler check')),
    onEnded: announce,
  })
  // Two results stored concurrently would overwrite each other.
  const exclusive = createMutex()
  /** Secrets of this session's checks, by check id. */
  const given = new Map<string, Given>()

  const summary = (check: StoredCheck) => summaryOf(check, runs.isRunning(check.id))
  const show = (check: WholeCheck) => runOf(check, runs.isRunning(check.id))

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
    const again = await givens.again(check, given.get(runId), secret)
    const prepared = await prepareCheck(deps, { ...settings, consent, ...again })
    const first = check.results.find(
      (result) =>
        name !== FIRST_CASE &&
        result.name === FIRST_CASE &&
        standingAfter(result) !== 'unreachable',
    )
    const result = await prepared.runOne(name, first, runs.closing)
    if (result === null) return show(check)
    return exclusive(async () => {
      const changed = await concluded(withResult(await find(runId), result))
      await store.write('putCheckRun', changed)
      deps.onChanged(summary(changed))
      return show(changed)
    })
  }

  return {
    /**
     * Resolves once the check is stored and running. Rejects before anything is sent, with `INVALID_INPUT`, `NOT_FOUND`,
     * `TARGET_NOT_ALLOWED`, `CONFIRMATION_REQUIRED` or `SECRET_UNREADABLE`.
     */
    async start(input: StartCheck): Promise<CheckRun> {
      const wanted = await givens.inputOf(input)
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
      given.set(check.id, { secret: wanted.secret, headers: wanted.headers })
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
      if (format === 'junit')
        return { fileName: `${name}.xml`, mediaType: 'application/xml', text: checkJunit(check) }
      if (format === 'html')
        return {
          fileName: `${name}.html`,
          mediaType: 'text/html',
          text: checkHtml(check, { at: clock.now(), version: deps.version }),
        }
      return {
        fileName: `${name}.json`,
        mediaType: 'application/json',
        text: `${JSON.stringify(checkJson(check), null, 2)}\n`,
      }
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

/** Replaces the result of one case. */
function withResult(check: WholeCheck, result: CheckResult): WholeCheck {
  const placeOf = ({ name }: CheckResult) => check.cases.indexOf(name)
  const others = check.results.filter(({ name }) => name !== result.name)
  return withResults(
    check,
    [...others, result].toSorted((left, right) => placeOf(left) - placeOf(right)),
  )
}

/** Compares the cases of both checks: which regressed and which were fixed. */
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
