/** What the page of a handler says: the connection test, the last check, flows and failures, in words. */
import type { HandlerPage, HandlerProbe, SavedHandler } from '../../../shared/model/handler.ts'
import type { CheckGroup, CheckResult } from '../../../shared/model/check.ts'
import { targetKind } from '../../../shared/http.ts'
import type { SendFailureKind } from '../../../shared/model/send.ts'
import { listed } from '../../../shared/text/counted.ts'
import { ago, milliseconds } from '../../ui/moment.ts'

/** A handler's page, with what other commands know about it. */
export interface ShownPage extends HandlerPage {
  /** Deliveries whose last response from it failed. */
  readonly failing: number
  /** The groups of its last check. */
  readonly checkGroups: readonly GroupResult[]
}

export type HandlerFailures = HandlerPage['failures'][number]
type HandlerFlow = HandlerPage['flows'][number]

/** Why there was no response, in one or two words. */
const failureKinds: Readonly<Record<SendFailureKind, string>> = {
  timeout: 'Timeout',
  refused: 'Refused',
  'unknown-host': 'Unknown host',
  certificate: 'Certificate',
  tls: 'TLS error',
  dropped: 'Dropped',
  'not-http': 'Not HTTP',
  'not-allowed': 'Not allowed',
  cancelled: 'Cancelled',
  other: 'No response',
}

/** Why a handler isn't reachable, in a few words. */
const unreachable: Readonly<Record<SendFailureKind, string>> = {
  ...failureKinds,
  timeout: 'Connection timed out',
  refused: 'Connection refused',
  'unknown-host': 'Host not found',
  certificate: 'Certificate not trusted',
  tls: 'TLS failed',
  dropped: 'Connection closed',
  other: 'Not reachable',
}

/** A failure's name: `500`, `Timeout`. */
export function failureName({
  status,
  errorKind,
}: Pick<HandlerFailures, 'status' | 'errorKind'>): string {
  return status === null ? failureKinds[errorKind ?? 'other'] : String(status)
}

/** Whether a handler may be probed without being asked: only on this computer. */
export function isProbedAlone({ url }: Pick<SavedHandler, 'url'>): boolean {
  return ['here', 'receiver'].includes(targetKind(url, null))
}

/** The result of a connection test in words. */
export interface Reachability {
  readonly tone: 'good' | 'bad' | 'neutral'
  readonly word: string
  /** How long ago, and how fast; empty if it wasn't tested. */
  readonly note: string
}

/** The result of the last connection test, with its age. */
export function reachabilityOf(probe: HandlerProbe | null, now: number): Reachability {
  if (probe === null) return { tone: 'neutral', word: 'Not tested', note: '' }
  const age = ago(probe.at, now)
  return probe.reachable
    ? { tone: 'good', word: 'Reachable', note: `Connected in ${milliseconds(probe.ms)} ms, ${age}` }
    : { tone: 'bad', word: unreachable[probe.errorKind ?? 'other'], note: `Tested ${age}` }
}

/** Flows by outcome; the failed ones first, by title. */
export function flowResults(flows: readonly HandlerFlow[]): {
  readonly failed: readonly HandlerFlow[]
  readonly passed: readonly HandlerFlow[]
} {
  const byTitle = flows.toSorted((one, other) => one.title.localeCompare(other.title))
  return {
    failed: byTitle.filter(({ outcome }) => outcome === 'fail'),
    passed: byTitle.filter(({ outcome }) => outcome === 'pass'),
  }
}

/** `Visa purchase, Refund, and 22 more`: as many names as fit in a line. */
export function someNames(names: readonly string[], most: number): string {
  return names.length <= most
    ? listed(names, 'and')
    : listed([...names.slice(0, most), `${names.length - most} more`], 'and')
}

/** `0.7%` of the requests; at least 0.1 if any failed, and 100 only if all did. */
export function shareOf(failed: number, requests: number): string {
  const share = (failed / requests) * 100
  if (failed === requests) return '100%'
  return `${Math.min(99.9, Math.max(0.1, share)).toFixed(1)}%`
}

/** A group of a check with how many of its cases passed; skipped ones don't count. */
export interface GroupResult {
  readonly group: CheckGroup
  readonly passed: number
  readonly failed: number
}

/** The groups of a check, in the order of its cases. */
export function groupResults(
  results: readonly Pick<CheckResult, 'group' | 'outcome'>[],
): readonly GroupResult[] {
  const counted = results.filter(({ outcome }) => outcome !== 'skip')
  return [...Map.groupBy(counted, ({ group }) => group)].map(([group, those]) => ({
    group,
    passed: those.filter(({ outcome }) => outcome === 'pass').length,
    failed: those.filter(({ outcome }) => outcome === 'fail').length,
  }))
}

/** The search for deliveries that failed at a handler. */
export function failingQuery({ name }: Pick<SavedHandler, 'name'>): string {
  return `handler:${name} response:failing`
}
