/**
 * Runs a handler check for the command line, in the data folder if there is one, so that the check is saved and secrets are matched
 * to hooks. The first Ctrl+C cancels it.
 */
import { createGuard, resolveWithSystem } from '../core/outgoing/wire/guarded-sender.ts'
import { conclude } from '../core/check/judge.ts'
import type { ReportedCheck } from '../core/check/check-report.ts'
import { DEFAULT_RATE, prepareCheck } from '../core/check/checks.ts'
import { createAdmission } from '../core/outgoing/admit.ts'
import { systemClock } from '../core/base/system-clock.ts'
import { DEFAULT_PREFIX } from '../shared/service/header-rules.ts'
import type { InputOf } from '../shared/contract/contract.ts'
import {
  scoreOf,
  type CheckResult,
  checkGroups,
  countOutcomes,
  FIRST_CASE,
  unreachableReason,
} from '../shared/model/check.ts'
import { cancellable, followRun } from './lifetime.ts'
import { checkCases, selectCases } from '../core/check/cases.ts'
import { firstResponseOf, wordsOf } from '../core/check/run-cases.ts'
import { checkOutcomes, shownCase } from '../shared/model/outcomes.ts'
import { type Cell, type Output, markedCell } from './print.ts'
import type { Session } from './session.ts'

/** What to check. Without a secret, a saved handler's own; without a prefix, the hook's, the handler's or the current environment's. */
export type CheckWish = InputOf<'check.start'> &
  Required<
    Pick<
      InputOf<'check.start'>,
      'events' | 'headers' | 'only' | 'skip' | 'allowHosts' | 'live' | 'programStatus'
    >
  >

interface EndedCheck extends ReportedCheck {
  readonly complete: boolean
}

/** Called with the number of requests and the remote host before anything is sent. */
type Tell = (requests: number, otherHost: string | null, rate: number) => void

/** Without a data folder; nothing is saved. */
export async function runCheckHere(
  wish: CheckWish & { readonly secret: string },
  randomBytes: (count: number) => Uint8Array,
  tell: Tell,
  onResult: (result: CheckResult) => void,
): Promise<EndedCheck> {
  const guard = createGuard({
    clock: systemClock,
    resolve: resolveWithSystem,
    caPem: null,
    ownPorts: () => new Set(),
  })
  const rate = wish.rate ?? DEFAULT_RATE
  const seed = wish.seed ?? Buffer.from(randomBytes(6)).readUIntBE(0, 6)
  const { programStatus, live, allowHosts, ...rest } = wish
  const given = {
    ...rest,
    registeredUrl: wish.registeredUrl ?? null,
    targetCa: wish.targetCa ?? null,
    prefix: wish.prefix ?? DEFAULT_PREFIX,
    rate,
    seed,
    hookId: null,
    ack: '200' as const,
    live: live || programStatus,
  }
  // Without a data folder, no secret is known to be live.
  const { admit } = createAdmission({ guard, known: null })
  const prepared = await prepareCheck(
    { clock: systemClock, admit },
    { ...given, consent: { allowHosts, live } },
  )
  const createdAt = new Date(systemClock.now()).toISOString()
  tell(prepared.requests, prepared.otherHost, rate)
  const results: CheckResult[] = []
  const stop = new AbortController()
  await cancellable(
    () => stop.abort(),
    () =>
      prepared.run((result) => {
        results.push(result)
        onResult(result)
      }, stop.signal),
  )
  const { target, registeredUrl } = prepared.settings
  return {
    target,
    registeredUrl,
    createdAt,
    results,
    score: scoreOf(results),
    conclusions: conclude(results, given.ack),
    complete: !stop.signal.aborted,
  }
}

/** With a data folder, in this process or in the running Countersign. */
export async function runCheckThere(
  session: Session,
  wish: CheckWish,
  tell: Tell,
  onResult: (result: CheckResult) => void,
): Promise<EndedCheck> {
  const { client } = session
  const started = (await client.call('check.start', wish)).run
  const runId = started.id
  tell(started.requests, started.otherHost, started.rate)
  let printed = 0
  return followRun(session, {
    event: 'check.changed',
    async read() {
      const { run } = await client.call('check.get', { runId })
      for (const result of run.results.slice(printed)) onResult(result)
      printed = run.results.length
      return run.state === 'running' ? undefined : { ...run, complete: run.state === 'done' }
    },
    cancel: () => client.call('check.cancel', { runId }),
    gone: () => 'Countersign stopped during the check. Run it again.',
  })
}

// Prints a handler check: the cases, each result as it arrives, and the conclusions.

function resultCells(result: CheckResult): Cell[] {
  const { outcome, name, message, warning } = result
  return [markedCell(checkOutcomes[shownCase(result)], outcome), name, warning ?? message]
}

/** All names get the same width, so results printed one by one stay aligned. */
const NAME_WIDTH = Math.max(...checkCases.map(({ name }) => name.length))

/** Prints each result under its group. Prints nothing if the endpoint can't be reached. */
export function createCheckPrinter(output: Output): (result: CheckResult) => void {
  const print = output.printer(resultCells, undefined, ['✕ fail', 'x'.repeat(NAME_WIDTH), ''])
  let group = ''
  let isUnanswered = false
  return (result) => {
    if (isUnanswered) return
    if (result.name === FIRST_CASE) isUnanswered = firstResponseOf(result) === 'unreachable'
    if (isUnanswered && unreachableReason(conclude([result], '200')) !== null) return
    if (result.group !== group) {
      group = result.group
      output.line(output.colour(checkGroups[result.group], 'bold'))
    }
    print([result])
  }
}

/** Prints the conclusions, then each failed case they don't explain, then the counts. */
export function printCheckEnd(output: Output, check: ReportedCheck): void {
  const { passed, failed, skipped } = countOutcomes(check.results)
  const print = (title: string, why: string, fix?: string) => {
    output.heading(title)
    output.line(why)
    if (fix !== undefined) output.line(fix)
  }
  for (const { message, fix } of check.conclusions) print(message, fix)
  const explained = new Set(check.conclusions.flatMap(({ cases }) => cases))
  for (const { name, title, outcome, severity, why, fix } of check.results)
    if (outcome === 'fail' && !explained.has(name))
      print(`${name}: ${title} (${severity})`, why, fix)
  output.line('')
  const score = check.score === null ? '' : ` Score: ${check.score}/100.`
  output.line(`${passed} passed, ${failed} failed, ${skipped} skipped.${score}`)
}

/** Lists the cases that a check with the same `--only` and `--skip` would send. */
export function printCheckCases(
  output: Output,
  only: readonly string[],
  skip: readonly string[],
): void {
  output.list(
    selectCases(only, skip),
    ({ group, name, severity, title }) => [group, name, severity, title],
    wordsOf,
  )
}
