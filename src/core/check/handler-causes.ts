/**
 * Finds the causes of a handler's failures: what its check concluded, and the responses that
 * deliveries, cases and flows have in common. Each failure counts for one cause or for none.
 */
import { FIRST_CASE, type CheckConclusion, type CheckResult } from '../../shared/model/check.ts'
import type { HandlerCause, HandlerCauses } from '../../shared/model/handler-causes.ts'
import type { SendFailureKind, Tamper } from '../../shared/model/send.ts'
import { isEventType } from '../../shared/service/event-type.ts'
import { responseMessage } from '../../shared/service/response-message.ts'
import { capitalized, listed } from '../../shared/text/english.ts'
import {
  MOST_RESPONSES,
  responseKey,
  type FailedResponse,
  type HandlerEvidence,
  type NamedFailure,
  type ResponseGroup,
} from '../store/handler-evidence.ts'
import { isSuccess } from './judge.ts'

interface FailedCheck {
  readonly results: readonly CheckResult[]
  readonly conclusions: readonly CheckConclusion[]
}

export const noEvidence: HandlerEvidence = { groups: [], flows: [] }

/** Masks secrets in what a handler said. */
export function maskEvidence(
  { groups, flows }: HandlerEvidence,
  mask: (text: string) => string,
): HandlerEvidence {
  const masked = <R extends FailedResponse>(response: R): R => ({
    ...response,
    message: mask(response.message),
  })
  return {
    groups: groups.map(({ shared, ...group }) => ({
      ...masked(group),
      shared: shared === null ? null : mask(shared),
    })),
    flows: flows.map(({ response, ...flow }) => ({
      ...flow,
      response: response === null ? null : masked(response),
    })),
  }
}

/** Finds the causes in a handler's last check and its other failures, the widest first. */
export function findCauses(
  { results, conclusions }: FailedCheck,
  evidence: HandlerEvidence,
): HandlerCauses {
  const failed = results.filter(({ outcome }) => outcome === 'fail')
  const concluded = conclusions.map((conclusion, index): HandlerCause => {
    const earlier = conclusions.slice(0, index).flatMap(({ cases }) => cases)
    const cases = failed
      .map(({ name }) => name)
      .filter((name) => conclusion.cases.includes(name) && !earlier.includes(name))
    return { ...conclusionWords(conclusion, results), deliveries: [], cases, flows: [] }
  })
  const isConcluded = new Set(concluded.flatMap(({ cases }) => cases))
  const { groups, flows } = evidence
  const cases = failed.filter(({ name }) => !isConcluded.has(name)).map(failureOf)
  const likeCase = createMatcher(failed, groups)
  const known = concluded.map((cause): HandlerCause => {
    const isLike = (failure: Failure) => cause.cases.includes(likeCase(failure))
    return {
      ...cause,
      deliveries: groups.filter((group) => isLike({ response: group })).flatMap(({ ids }) => ids),
      cases: [...cause.cases, ...cases.filter(isLike).map(({ name }) => name)],
      flows: flows.filter(isLike).map(({ name }) => name),
    }
  })
  const isOpen = (failure: Failure) => !isConcluded.has(likeCase(failure))
  const { causes, unexplained } = findResponses(cases.filter(isOpen), {
    groups: groups.filter((group) => isOpen({ response: group })),
    flows: flows.filter(isOpen),
  })
  return { causes: [...known, ...causes].toSorted((a, b) => sizeOf(b) - sizeOf(a)), unexplained }
}

type Failure = Pick<NamedFailure, 'response'> & Partial<Pick<NamedFailure, 'tamper'>>

/** Cases with another name than the change that they make to a delivery. */
const tamperCases: Partial<Readonly<Record<Tamper, string>>> = {
  body: 'altered-body',
  secret: 'wrong-secret',
}

/**
 * Creates a function that names the case that shows the same mistake: it accepts the same forgery,
 * or is the first delivery and got the same response; '' for none. Deliveries with a value in
 * common fail because of that, not like the first delivery.
 */
function createMatcher(failed: readonly CheckResult[], groups: readonly ResponseGroup[]) {
  const firstCase = failed.find(({ name }) => name === FIRST_CASE)
  const first = firstCase === undefined ? null : failureOf(firstCase)
  const isShared = groups.some(
    (group) => group.shared !== null && first !== null && isExplained(first, group),
  )
  return ({ response, tamper = null }: Failure): string => {
    if (response === null) return ''
    if (isSuccess(response)) return tamper === null ? '' : (tamperCases[tamper] ?? tamper)
    return first !== null && !isShared && isExplained(first, response) ? FIRST_CASE : ''
  }
}

/** Finds the responses that failures have in common, the widest first. */
function findResponses(
  cases: readonly NamedFailure[],
  { groups, flows }: HandlerEvidence,
): HandlerCauses {
  const all = [...groups, ...groupsOfMany([...cases, ...flows], groups)]
  const shared = all.toSorted((a, b) => b.ids.length - a.ids.length).slice(0, MOST_RESPONSES)
  const causes = shared.map((group): HandlerCause => {
    const isExplainedHere = (failure: NamedFailure) => isExplained(failure, group)
    const found = [...cases, ...flows].filter(isExplainedHere)
    const events = new Set([...group.events, ...found.flatMap(({ event }) => event ?? [])])
    return {
      ...responseWords({ ...group, events: [...events] }),
      deliveries: [...group.ids],
      cases: cases.filter(isExplainedHere).map(({ name }) => name),
      flows: flows.filter(isExplainedHere).map(({ name }) => name),
    }
  })
  const unexplainedIn = (failures: readonly NamedFailure[]) =>
    failures
      .filter((failure) => !shared.some((group) => isExplained(failure, group)))
      .map(({ name }) => name)
  return {
    causes,
    unexplained: {
      deliveries: all.filter((group) => !shared.includes(group)).flatMap(({ ids }) => ids),
      cases: unexplainedIn(cases),
      flows: unexplainedIn(flows),
    },
  }
}

const sizeOf = ({ deliveries, cases, flows }: HandlerCause) =>
  deliveries.length + cases.length + flows.length

/** Whether a failure got the response of a group. Accepting a delivery has many causes. */
function isExplained({ response }: Failure, group: FailedResponse): boolean {
  return response !== null && !isSuccess(response) && responseKey(response) === responseKey(group)
}

function failureOf({ name, exchanges, decisive }: CheckResult): NamedFailure {
  const exchange = exchanges[decisive ?? 0]
  if (exchange === undefined) return { name, event: null, tamper: null, response: null }
  const { sent, got } = exchange
  const { status, errorKind, error } = got
  const message = status === null ? (error ?? '') : responseMessage(got.body)
  const event = isEventType(sent.label) ? sent.label : null
  return { name, event, tamper: null, response: { status, errorKind, message } }
}

/** Groups failures by a response that no delivery got; a single one proves nothing in common. */
function groupsOfMany(
  failures: readonly NamedFailure[],
  known: readonly FailedResponse[],
): readonly ResponseGroup[] {
  const others = failures.flatMap(({ response }) =>
    response === null ||
    isSuccess(response) ||
    known.some((group) => isExplained({ response }, group))
      ? []
      : [response],
  )
  return [...Map.groupBy(others, responseKey).values()].flatMap(([response, ...more]) =>
    response === undefined || more.length === 0
      ? []
      : [{ ...response, ids: [], events: [], shared: null }],
  )
}

type CauseWords = Pick<HandlerCause, 'cause' | 'title' | 'message' | 'fix' | 'section'>

const SECTION = / \(spec ([\d.]+)(?:,[^()]*)?\)/

/** Splits a conclusion into a title and the rest, which names your handler itself. */
function conclusionWords(
  { cause, message, fix, cases }: CheckConclusion,
  results: readonly CheckResult[],
): CauseWords {
  const [, start = message, rest = ''] =
    /^((?:`[^`]*`|[^`])*?)(?:, so |: (?=it )|\. )(.+)$/s.exec(message) ?? []
  const first = results.find(({ name }) => name === cases[0])
  return {
    cause,
    title: capitalized(start.replace(/^Your handler /, '').replace(/\.$/, '')),
    message: capitalized(rest).replace(/^It /, 'Your handler '),
    fix: fix.replace(SECTION, ''),
    section: SECTION.exec(fix)?.[1] ?? first?.section ?? null,
  }
}

const silentTitles: Partial<Readonly<Record<SendFailureKind, string>>> = {
  timeout: "Doesn't respond in time",
  dropped: 'Closes the connection without a response',
  'not-http': "Doesn't respond with HTTP",
}

const quoted = (text: string) => `\`${text.replaceAll('`', "'")}\``

function responseWords({ status, errorKind, message, events, shared }: ResponseGroup): CauseWords {
  if (status === null)
    return {
      cause: 'response',
      title: silentTitles[errorKind ?? 'other'] ?? "Can't be reached",
      message,
      fix: 'Once it responds, replay what failed.',
      section: null,
    }
  const said = message === '' ? [] : [`${quoted(message)}.`]
  const common =
    shared === null
      ? []
      : [`Every one of these deliveries has ${quoted(shared)}, and no accepted one does.`]
  const to = status === 200 ? 'deliveries that it must reject' : eventWords(events)
  return {
    cause: 'response',
    title: `Returns ${status}${to === '' ? '' : ` to ${to}`}`,
    message: [...said, ...common].join(' '),
    ...fixOfStatus(status),
  }
}

function fixOfStatus(status: number): Pick<CauseWords, 'fix' | 'section'> {
  if (status === 200)
    return { fix: 'Verify the signature and the timestamp before you respond.', section: '5.2' }
  if (status < 300)
    return {
      fix: 'Return 200 to a valid delivery, once it is stored, and reject others.',
      section: '6.4',
    }
  if (status < 400)
    return { fix: "Redirects aren't followed. Use the URL that responds itself.", section: '6.4' }
  return { fix: 'Fix the cause in your handler, then replay what failed.', section: null }
}

/** Most names of events in a title. */
const MOST_NAMED = 3

/** Writes `clearings and refunds`; qualified events count as their plain ones. */
function eventWords(events: readonly string[]): string {
  const names = new Set(
    events.map((event) => {
      const kind = /^transaction\.([a-z]+)/.exec(event)?.[1]
      return kind === undefined ? event : `${kind}s`
    }),
  )
  if (names.size > MOST_NAMED) return `${names.size} kinds of events`
  return listed([...names].toSorted(), 'and')
}
