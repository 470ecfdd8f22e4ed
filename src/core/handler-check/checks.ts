/**
 * Handler checks as the window has them: started, told of while they go, cancelled, kept, held against the last one of the same
 * target. The secret stays in memory for as long as the program runs, so that a case can be tried again, and is kept nowhere.
 */
import { AppError } from '../../shared/contract/errors.ts'
import {
  countOutcomes,
  scoreOf,
  type CheckComparison,
  type CheckResult,
  type CheckRun,
  type CheckSummary,
} from '../../shared/model/check.ts'
import { isShownEventType } from '../../shared/service/event-type.ts'
import type { Clock, Ids, Log } from '../deps.ts'
import type { Guard } from '../dispatch/guarded-sender.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { confirmLive } from '../hooks/live-guard.ts'
import type { StoredCheck, WholeCheck } from '../store/check-runs-repo.ts'
import type { Store } from '../store/store.ts'
import { checkCases } from './cases/all.ts'
import { FIRST_CASE } from './cases/genuine.ts'
import { checkHtml, checkJson, checkJunit } from './check-report.ts'
import { conclude } from './conclude.ts'
import { DEFAULT_RATE, prepareCheck, type CheckInput, type PreparedCheck } from './prepare-check.ts'
import { standingAfter, wordsOf } from './run-check.ts'

export interface ChecksDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly hooks: Pick<Hooks, 'get' | 'reveal'>
  readonly environments: Pick<Environments, 'get'>
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly guard: Guard
  readonly version: string
  randomBytes(count: number): Uint8Array
  /** Hears how far a check is, at most ten times a second, and of its end. */
  onChanged(run: CheckSummary): void
}

export interface StartCheck extends Omit<CheckInput, 'secret' | 'hookId' | 'ack' | 'rate' | 'seed'> {
  readonly secret?: string | undefined
  readonly hookId?: string | undefined
  readonly rate?: number | undefined
  readonly seed?: number | undefined
}

export interface CheckAgain {
  readonly runId: string
  readonly name: string
  readonly secret?: string | undefined
  readonly allowHosts: readonly string[]
  readonly live: boolean
}

export interface Checks {
  /**
   * Resolves once the check is written down and goes. Rejects, with nothing sent, with `INVALID_INPUT`, `NOT_FOUND`,
   * `TARGET_NOT_ALLOWED`, `CONFIRMATION_REQUIRED` or `SECRET_UNREADABLE`.
   */
  start(input: StartCheck): Promise<CheckRun>
  cancel(runId: string): Promise<CheckRun>
  get(runId: string): Promise<CheckRun>
  /** Newest first. */
  list(limit: number): Promise<CheckSummary[]>
  again(input: CheckAgain): Promise<CheckRun>
  report(input: { readonly runId: string; readonly format: 'json' | 'junit' | 'html' }): Promise<{
    fileName: string
    mediaType: string
    text: string
  }>
  /** Cuts off what is under way. */
  close(): Promise<void>
}

interface Going {
  current: WholeCheck
  readonly stop: AbortController
  ended: Promise<void>
}

type Given = Pick<CheckInput, 'secret' | 'headers'>

const TELL_MS = 100

function compare(results: readonly CheckResult[], before: WholeCheck): CheckComparison {
  const outcomes = new Map(before.results.map(({ name, outcome }) => [name, outcome]))
  const namesOf = (now: CheckResult['outcome'], then: CheckResult['outcome']) =>
    results.filter(({ name, outcome }) => outcome === now && outcomes.get(name) === then).map(({ name }) => name)
  return {
    runId: before.id,
    createdAt: new Date(before.createdAt).toISOString(),
    newlyFailing: namesOf('fail', 'pass'),
    fixed: namesOf('pass', 'fail'),
  }
}

export function createChecks(deps: ChecksDeps): Checks {
  const { store, hooks, environments, clock, log } = deps
  const going = new Map<string, Going>()
  /** What the checks of this session were given, by their ids. */
  const given = new Map<string, Given>()

  function summary({ cases, counts, settings, createdAt, ...rest }: StoredCheck): CheckSummary {
    const { targetCa: _, ...shown } = settings
    const { id, problem, requests, otherHost, score } = rest
    return {
      id,
      createdAt: new Date(createdAt).toISOString(),
      ...shown,
      state: rest.state === 'running' && !going.has(id) ? 'interrupted' : rest.state,
      problem,
      requests,
      otherHost,
      total: cases.length,
      ended: counts.passed + counts.failed + counts.skipped,
      ...counts,
      score,
    }
  }

  function show(check: WholeCheck): CheckRun {
    const { results, conclusions, comparison, cases } = check
    const ended = new Set(results.map(({ name }) => name))
    return {
      ...summary(check),
      results: [...results],
      waiting: checkCases.filter(({ name }) => cases.includes(name) && !ended.has(name)).map(wordsOf),
      conclusions: [...conclusions],
      comparison,
    }
  }

  const find = async (runId: string): Promise<WholeCheck> => going.get(runId)?.current ?? store.read('checkRun', runId)

  function withResults(check: WholeCheck, results: readonly CheckResult[]): WholeCheck {
    return { ...check, results, counts: countOutcomes(results), score: scoreOf(results) }
  }

  /** With what only makes sense once all is there. */
  async function concluded(check: WholeCheck): Promise<WholeCheck> {
    const before = await store.read('checkRunBefore', { id: check.id, target: check.settings.target })
    const comparison = before === null ? null : compare(check.results, before)
    return { ...check, conclusions: conclude(check.results), comparison }
  }

  function run(check: WholeCheck, prepared: PreparedCheck): CheckRun {
    const mine: Going = { current: check, stop: new AbortController(), ended: Promise.resolve() }
    going.set(check.id, mine)
    let toldAt = Number.NEGATIVE_INFINITY
    const onResult = (result: CheckResult) => {
      mine.current = withResults(mine.current, [...mine.current.results, result])
      const now = clock.monotonic()
      if (now - toldAt < TELL_MS) return
      toldAt = now
      deps.onChanged(summary(mine.current))
    }
    const end = async (problem: string | null) => {
      const state = mine.stop.signal.aborted || problem !== null ? 'cancelled' : 'done'
      const last: WholeCheck = { ...(await concluded(mine.current)), state, problem }
      await store.write('putCheckRun', last)
      mine.current = last
    }
    mine.ended = prepared
      .run(onResult, mine.stop.signal)
      .then(
        () => end(null),
        (error: unknown) => end(`It stopped for a bug (reference ${log.bug(error, 'a handler check')}).`),
      )
      .catch((error: unknown) => {
        const { message } = error as Error
        log.warn('A handler check could not be kept.', { reason: message })
        mine.current = { ...mine.current, state: 'cancelled', problem: `It could not be kept: ${message}` }
      })
      .finally(() => {
        // In the same turn as its last state: who reads that may already ask for more.
        going.delete(check.id)
        deps.onChanged(summary(mine.current))
      })
    return show(check)
  }

  /** What a hook brings along, or what was given in its place. */
  async function read({ hookId, secret, live, ...input }: StartCheck): Promise<CheckInput> {
    const common = {
      ...input,
      live,
      rate: input.rate ?? DEFAULT_RATE,
      seed: input.seed ?? Buffer.from(deps.randomBytes(6)).readUIntBE(0, 6),
    }
    if (hookId === undefined) {
      if (secret === undefined)
        throw new AppError('INVALID_INPUT', 'Give the secret of the hook, or choose a hook whose secret is known here.')
      return { ...common, secret, hookId: null, ack: '200' }
    }
    const hook = hooks.get(hookId)
    const environment = environments.get(hook.environment)
    confirmLive(environment, live, 'checking the handler of its hook')
    return {
      ...common,
      secret: secret ?? (await hooks.reveal(hookId)),
      hookId,
      prefix: environment.prefix,
      ack: environment.ack,
      registeredUrl: input.registeredUrl ?? hook.url,
      headers: { ...hook.headers, ...input.headers },
      events: input.events.length > 0 || !isShownEventType(hook.event) ? input.events : [hook.event],
    }
  }

  /** The secret of a check that was made before: that of its hook, one given anew, or one still in memory. */
  async function givenOf(check: WholeCheck, secret: string | undefined): Promise<Given> {
    const { hookId, headerNames } = check.settings
    const known = given.get(check.id)
    if (known !== undefined) return { ...known, secret: secret ?? known.secret }
    if (hookId === null && (secret === undefined || headerNames.length > 0))
      throw new AppError(
        'INVALID_INPUT',
        'The secret of this check was given by hand and is not kept. Check anew, with the secret.',
      )
    return hookId === null
      ? { secret: secret ?? '', headers: {} }
      : { secret: secret ?? (await hooks.reveal(hookId)), headers: hooks.get(hookId).headers }
  }

  return {
    async start(input) {
      const wanted = await read(input)
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
    async cancel(runId) {
      const mine = going.get(runId)
      mine?.stop.abort()
      await mine?.ended
      return show(mine?.current ?? (await find(runId)))
    },
    get: async (runId) => show(await find(runId)),
    list: async (limit) => (await store.read('checkRuns', limit)).map((check) => summary(going.get(check.id)?.current ?? check)),
    async again({ runId, name, secret, allowHosts, live }) {
      const check = await find(runId)
      if (going.has(runId))
        throw new AppError(
          'INVALID_INPUT',
          'This check is still under way. Wait for its end, or cancel it, and try the case again then.',
        )
      const { hookId } = check.settings
      if (hookId !== null) confirmLive(environments.get(hooks.get(hookId).environment), live, 'checking the handler of its hook')
      const { settings } = check
      const input = { ...settings, live: settings.live && live, allowHosts, ...(await givenOf(check, secret)) }
      const prepared = await prepareCheck(deps, { ...input, events: settings.events })
      const first = check.results.find((result) => result.name === FIRST_CASE)
      const standing = name === FIRST_CASE || first === undefined ? 'open' : standingAfter(first)
      const result = await prepared.runOne(name, standing === 'unreachable' ? 'open' : standing, new AbortController().signal)
      if (result === null) return show(check)
      const place = check.cases.indexOf(name)
      const others = check.results.filter((each) => each.name !== name)
      const results = [...others, result].toSorted(
        (left, right) => check.cases.indexOf(left.name) - check.cases.indexOf(right.name),
      )
      if (place === -1) throw new AppError('NOT_FOUND', `This check has no case ${name}.`)
      const changed = await concluded(withResults(check, results))
      await store.write('putCheckRun', changed)
      deps.onChanged(summary(changed))
      return show(changed)
    },
    async report({ runId, format }) {
      const check = show(await find(runId))
      const name = `handler-check-${check.createdAt.slice(0, 19).replaceAll(':', '-')}`
      if (format === 'junit') return { fileName: `${name}.xml`, mediaType: 'application/xml', text: checkJunit(check) }
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
    async close() {
      for (const { stop } of going.values()) stop.abort()
      await Promise.all([...going.values()].map(({ ended }) => ended))
    },
  }
}
