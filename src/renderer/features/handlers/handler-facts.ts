/** Sentences on the page of a handler: connection test, last check, flows and failures. */
import type { HandlerPage, HandlerProbe, SavedHandler } from '../../../shared/model/handler.ts'
import type { CheckGroup, CheckResult, CheckRun } from '../../../shared/model/check.ts'
import { shownCase } from '../../../shared/model/check-outcomes.ts'
import { targetKind } from '../../../shared/http.ts'
import { failureKinds, unreachable } from '../../../shared/model/send-words.ts'

type HandlerFlow = HandlerPage['flows'][number]
type FailedSend = HandlerPage['latest'][number]

/** Returns the short name of a failure: `500`, `Timeout`. */
export function failureName({
  status,
  errorKind,
}: Pick<FailedSend, 'status' | 'errorKind'>): string {
  return status === null ? failureKinds[errorKind ?? 'other'] : String(status)
}

/** Returns what a failed response says, or what is wrong with it. */
export function failureReasonOf({
  excerpt,
  status,
}: Pick<FailedSend, 'excerpt' | 'status'>): string {
  // A valid delivery that gets a 200 doesn't fail.
  if (status === 200) return 'Accepted without a valid signature'
  // Without a response, the cause says what to do.
  if (status === null) return excerpt.split('. ', 1)[0] ?? excerpt
  return excerpt === '' ? 'Empty response' : excerpt
}

/** Whether a handler may be probed without being asked: only on this computer. */
export function isAutoProbed({ url }: Pick<SavedHandler, 'url'>): boolean {
  return ['here', 'receiver'].includes(targetKind(url, null))
}

export interface Reachability {
  readonly tone: 'good' | 'bad' | 'neutral'
  readonly word: string
}

export function reachabilityOf(probe: HandlerProbe | null): Reachability {
  if (probe === null) return { tone: 'neutral', word: 'Not tested' }
  return probe.reachable
    ? { tone: 'good', word: 'Reachable' }
    : { tone: 'bad', word: unreachable[probe.errorKind ?? 'other'] }
}

/** Whether a page has failures, which may have causes. */
export function hasFailures({ checks, flows, latest }: HandlerPage): boolean {
  return (
    latest.length > 0 ||
    flows.some(({ outcome }) => outcome === 'fail') ||
    (checks.at(-1)?.failed ?? 0) > 0
  )
}

export function hasResults({ checks, flows, latest, requests }: HandlerPage): boolean {
  return checks.length + flows.length + latest.length + requests > 0
}

/** Groups flows by outcome, sorted by title; `startedAt` is the latest start. */
export function flowResults(flows: readonly HandlerFlow[]) {
  const byTitle = flows.toSorted((one, other) => one.title.localeCompare(other.title))
  return {
    failed: byTitle.filter(({ outcome }) => outcome === 'fail'),
    passed: byTitle.filter(({ outcome }) => outcome === 'pass'),
    startedAt: flows
      .map(({ startedAt }) => startedAt)
      .toSorted()
      .at(-1),
  }
}

/** Writes `2 skipped, 41 inconclusive`. */
export function skippedWords({ results, skipped }: Pick<CheckRun, 'results' | 'skipped'>): string {
  const unjudged = results.filter((result) => shownCase(result) === 'unjudged').length
  return `${skipped - unjudged} skipped${unjudged === 0 ? '' : `, ${unjudged} inconclusive`}`
}

/** Writes `3 failed of 7`, or `7 passed`. */
export function groupWords(failed: number, total: number): string {
  return failed > 0 ? `${failed} failed of ${total}` : `${total} passed`
}

/** Result of a check group; skipped cases don't count. */
interface GroupResult<Result> {
  readonly group: CheckGroup
  readonly cases: readonly Result[]
  readonly failed: readonly Result[]
}

/**
 * Groups the results of a check: groups with failures first, otherwise in the order of the cases.
 */
export function groupResults<Result extends Pick<CheckResult, 'group' | 'outcome'>>(
  results: readonly Result[],
): readonly GroupResult<Result>[] {
  const judged = results.filter(({ outcome }) => outcome !== 'skip')
  return [...Map.groupBy(judged, ({ group }) => group)]
    .map(([group, cases]) => ({
      group,
      cases,
      failed: cases.filter(({ outcome }) => outcome === 'fail'),
    }))
    .toSorted((one, other) => Number(other.failed.length > 0) - Number(one.failed.length > 0))
}

export function failingQuery({ name }: Pick<SavedHandler, 'name'>): string {
  return `handler:${name} response:failing`
}
