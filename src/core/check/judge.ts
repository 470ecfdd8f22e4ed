/**
 * Judges responses: those of one case in a sentence, and all outcomes together. One mistake fails several cases, so the pattern of
 * failures names it.
 */
import {
  FIRST_CASE,
  type CheckAnswer,
  type CheckConclusion,
  type CheckExchange,
  type CheckFinding,
  type CheckResult,
  type CheckSettings,
} from '../../shared/model/check.ts'
import { isEventType } from '../../shared/service/event-type.ts'
import { acknowledges } from '../../shared/service/limits.ts'
import type { CaseDefinition, CaseObjection } from './requests.ts'
import { quotedResponse } from './response-words.ts'

function inSeconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** Whether a response acknowledges a delivery (section 6.4). */
export function isCheckAcknowledged(
  { status, error }: CheckAnswer,
  ack: CheckSettings['ack'],
): boolean {
  return status !== null && error === null && acknowledges(status, ack)
}

/** Whether a response is a success, even if it doesn't acknowledge the delivery. */
export function isSuccess({ status }: Pick<CheckAnswer, 'status'>): boolean {
  return status !== null && status < 300
}

export function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500
}

/** What is wrong with a response; null if nothing is. */
function complaintAbout(
  got: CheckAnswer,
  wanted: CaseDefinition['wanted'],
  ack: CheckSettings['ack'],
): string | null {
  const { status, ms } = got
  const isRight = {
    accept: isCheckAcknowledged(got, ack),
    refuse: isRefusal(status),
    answer: status !== null && status < 500,
  }
  if (isRight[wanted]) return null
  const error = got.error?.replace(/\.$/, '')
  if (status === null) return `No response: ${error ?? 'the connection ended'}.`
  const response = `${status} after ${inSeconds(ms)}${error === undefined ? '' : `, then failed: ${error}`}`
  if (wanted === 'refuse')
    return isSuccess(got)
      ? `Your handler accepted this delivery: ${response}.`
      : `Your handler returned ${response}. Only a 4xx status rejects a delivery.`
  if (wanted === 'accept' && status > 200 && status < 300)
    return `Your handler returned ${status}. Only 200 acknowledges a delivery (spec 6.4).`
  if (wanted === 'accept' && isRefusal(status))
    return `Your handler rejected this delivery: ${response}.`
  const redirect = status >= 300 && status < 400 ? " Redirects aren't followed." : ''
  return `Your handler returned ${response}.${redirect}`
}

/** The first objection, or null if the case passes. The last exchange of an `answer` case is the valid delivery afterwards. */
export function judge(
  one: CaseDefinition,
  exchanges: readonly CheckExchange[],
  ack: CheckSettings['ack'],
): CaseObjection | null {
  const own = one.object?.(exchanges) ?? null
  if (own !== null) return own
  for (const [index, { sent, got }] of exchanges.entries()) {
    const isAfterwards = one.wanted === 'answer' && index === exchanges.length - 1
    // HTTP's response to a method that a server doesn't know is 501.
    if (one.wanted === 'answer' && sent.method !== 'POST' && got.status === 501) continue
    const complaint = complaintAbout(got, isAfterwards ? 'accept' : one.wanted, ack)
    if (complaint === null) continue
    // Event names keep their spelling.
    const label = isEventType(sent.label) ? sent.label : withFirst(sent.label, 'toUpperCase')
    return {
      decisive: index,
      message:
        exchanges.length > 1 ? `${label}: ${withFirst(complaint, 'toLowerCase')}` : complaint,
    }
  }
  return null
}

const withFirst = (text: string, change: 'toUpperCase' | 'toLowerCase') =>
  text.charAt(0)[change]() + text.slice(1)

/** The message of a case that passed. */
export function passMessage(exchanges: readonly CheckExchange[]): string {
  const statuses = [...new Set(exchanges.map(({ got }) => got.status))].join(', ')
  const slowest = inSeconds(Math.max(...exchanges.map(({ got }) => got.ms)))
  return exchanges.length === 1
    ? `Your handler returned ${statuses} after ${slowest}.`
    : `Your handler returned ${statuses} to ${exchanges.length} requests. The slowest took ${slowest}.`
}

// Draws conclusions from all outcomes.

/** Equal deliveries get different responses. */
export const UNSTEADY: CheckFinding = {
  cause: 'unsteady:once',
  what: 'Your handler responds differently to equal valid deliveries.',
  fix: 'Check whether your handler was still starting, whether several instances with different settings share the URL, or whether it limits requests. Then run the check again.',
}

/** The endpoint accepts the signature of a valid delivery, and then doesn't acknowledge it. */
export const ACCEPTED = 'signature:accepted'
/** The endpoint gives every request the same response, also one without a signature. */
export const ALIKE = 'alike:every'

type Results = readonly CheckResult[]

/** What a conclusion says, apart from the cases that it explains. */
type Statement = Omit<CheckConclusion, 'cases'>

const decisiveOf = ({ exchanges, decisive }: CheckResult): CheckAnswer | undefined =>
  exchanges[decisive ?? 0]?.got

const isFailed = ({ outcome }: CheckResult): boolean => outcome === 'fail'

function acceptsAny({ exchanges }: CheckResult): boolean {
  return exchanges.some(({ got }) => isSuccess(got))
}

/** The first delivery gets no response that can be read. */
function noResponseStatement({ error, errorKind, connected }: CheckAnswer): Statement {
  const isSlow = errorKind === 'timeout' && connected === true
  const isUnreadable = errorKind === 'not-http' || errorKind === 'dropped'
  return {
    cause: isSlow || isUnreadable ? 'unreadable' : 'unreachable',
    message: isSlow
      ? "Your handler didn't respond in time, so nothing else was sent."
      : isUnreadable
        ? "Your handler's response can't be read, so nothing else was sent."
        : errorKind === 'certificate'
          ? "The endpoint's certificate isn't trusted, so nothing was sent."
          : "Couldn't connect to the endpoint, so nothing else was sent.",
    fix: error ?? 'The connection ended.',
  }
}

/** The most common wrong signing methods have their own message and case. */
const methods: Readonly<Record<string, Pick<Statement, 'cause' | 'message'>>> = {
  'passes:once': {
    cause: 'single-pass',
    message: 'Your handler hashes once: it rejects valid deliveries and accepts those hashed once.',
  },
  'timestamp:unit': {
    cause: 'wrong-unit',
    message:
      'Your handler reads the timestamp in seconds: it rejects valid deliveries, whose timestamps are in milliseconds.',
  },
  'url:local': {
    cause: 'host-url',
    message:
      'Your handler builds the signed URL from the Host header: it rejects deliveries signed over the registered URL and accepts those signed over its own URL.',
  },
}

const unsteady: Statement = { cause: 'unsteady', message: UNSTEADY.what, fix: UNSTEADY.fix }

/** Returns whether a finding is about the payload, so that the endpoint accepts the signature. */
export const isAboutPayload = (cause: string): boolean => /^(null|absent|event|field):/.test(cause)

/**
 * Returns whether the first delivery shows that the endpoint accepts a valid signature, though it
 * rejects the delivery.
 */
export function isSignatureAccepted({ findings = [], exchanges }: CheckResult): boolean {
  if (findings.some(({ cause }) => cause === ACCEPTED)) return true
  const last = exchanges.at(-1)
  return (
    findings.length > 0 &&
    findings.every(({ cause }) => isAboutPayload(cause)) &&
    last !== undefined &&
    isSuccess(last.got)
  )
}

/** A proven mistake, because of which the endpoint returns this status. */
function ofFinding(
  { cause, what, fix }: CheckFinding,
  rejected: CheckExchange | undefined,
): Statement {
  const status = rejected?.got.status ?? 0
  if (cause === UNSTEADY.cause) return unsteady
  if (cause === ACCEPTED) return { cause: 'after-signature', message: what, fix }
  if (cause === ALIKE) return { cause: 'answers-alike', message: what, fix }
  if (cause.startsWith('header:'))
    return {
      cause: 'other-headers',
      message: `Your handler rejects valid deliveries. ${what}`,
      fix,
    }
  if (isAboutPayload(cause))
    return {
      cause: isRefusal(status) ? 'rejects-payload' : 'crashes',
      message: `Your handler returns ${status} ${what}${rejected === undefined ? '' : quotedResponse(rejected)}.`,
      fix,
    }
  return {
    cause: 'other-recipe',
    message: `Your handler rejects valid deliveries and accepts those signed by another method. ${what}`,
    ...methods[cause],
    fix,
  }
}

/** Whether a finding about the first delivery explains that another case failed. */
function isExplained({ cause }: CheckFinding, status: number, result: CheckResult): boolean {
  const { sent, got } = result.exchanges[result.decisive ?? 0] ?? {}
  if (cause === UNSTEADY.cause) return got?.status === status
  if (!cause.startsWith('null:')) return methods[cause]?.cause === result.name
  const fields = cause.slice('null:'.length).split(',')
  return (
    got?.status === status &&
    fields.some((path) => sent?.body.includes(`"${path.split('.').at(-1)}":null`) === true)
  )
}

const signedNames = ({ headers }: CheckExchange['sent']) =>
  headers.flatMap(([name]) => (/-(?:signature|timestamp)$/.test(name) ? [name] : [])).join(', ')

/** The response to the first delivery if nothing was found, or to one that avoids each mistake found. */
function ofAnswer({ sent, got }: CheckExchange, isFirst: boolean, results: Results): Statement {
  const { status, error } = got
  if (isSuccess({ status }))
    return {
      cause: 'not-acknowledged',
      message:
        error === null
          ? `Your handler returns ${status} for a valid delivery. That doesn't acknowledge it (spec 6.4), so the service retries and then stops.`
          : `Your handler starts a response with ${status} but doesn't finish it, so the delivery isn't acknowledged.`,
      fix: error ?? 'Return 200 once the delivery is stored.',
    }
  if (status !== null && status < 400)
    return {
      cause: 'redirects',
      message: `Your handler returns ${status} for a valid delivery. Redirects aren't followed, so no delivery reaches your code.`,
      fix: 'Register the URL that responds without a redirect. Check the path, the trailing slash and the scheme.',
    }
  if (isFirst && status !== null && isRefusal(status))
    return {
      cause: 'refuses-all',
      message: `Your handler rejects valid deliveries with ${status}${quotedResponse({ sent, got })}. No single known mistake explains why.`,
      fix: `Compare the secret, the registered URL and the header names (${signedNames(sent)}) with those your handler uses. If they match, log the signature your handler computes and run \`countersign verify --computed DIGEST\` with the same body, URL and timestamp.`,
    }
  const forged = results.filter(({ group }) => group === 'forged')
  const does = forged.some(acceptsAny)
    ? `returns ${status} for a valid delivery and accepts others that it should reject.`
    : forged.some(({ outcome }) => outcome === 'pass')
      ? `rejects forged deliveries and returns ${status} for a valid one: it fails after checking the signature.`
      : `returns ${status} for a valid delivery, so its signature check can't be judged.`
  return {
    cause: 'fails',
    message: isFirst
      ? `Your handler ${does}`
      : `Without that mistake, your handler returns ${status} for a valid delivery.`,
    fix: "Check your handler's log for this delivery. It probably reads a field that is null or has another type, or can't reach its database. The other cases are judged once it returns 200.",
  }
}

/** What the first delivery tells, in the order in which the endpoint runs into it. */
function ofFirst(
  { findings = [], exchanges, outcome }: CheckResult,
  ack: CheckSettings['ack'],
  results: Results,
): CheckConclusion[] {
  if (outcome !== 'fail') return []
  const answers = exchanges.map(({ got }) => got)
  const found = findings.map((finding, place) => {
    const status = answers[place]?.status ?? 0
    const explained = results.filter(
      (result) => isFailed(result) && isExplained(finding, status, result),
    )
    const cases = new Set([FIRST_CASE, ...explained.map(({ name }) => name)])
    const said = ofFinding(finding, exchanges[place])
    // A method with a case is put right as that case says.
    const fix = results.find(({ name }) => name === said.cause)?.fix ?? said.fix
    return { ...said, fix, cases: [...cases] }
  })
  const last = exchanges[findings.length]
  const isDone =
    last === undefined ||
    findings.at(-1)?.cause === UNSTEADY.cause ||
    (findings.length > 0 && isCheckAcknowledged(last.got, ack))
  return isDone
    ? found
    : [...found, { ...ofAnswer(last, findings.length === 0, results), cases: [FIRST_CASE] }]
}

// What the cases show together.

/** Whether all of its requests were accepted, including inconclusive ones. */
function areAllAccepted({ exchanges }: CheckResult): boolean {
  return exchanges.every(({ got }) => isSuccess(got))
}

function isRejected(result: CheckResult): boolean {
  return isFailed(result) && isRefusal(decisiveOf(result)?.status ?? 0)
}

function isCrash(result: CheckResult): boolean {
  return isFailed(result) && (decisiveOf(result)?.status ?? 0) >= 500
}

/**
 * Whether the delivery was acknowledged before its body had arrived. The case also fails if the delivery is rejected, which proves
 * nothing.
 */
function isEarly({ exchanges }: CheckResult): boolean {
  return exchanges.some(({ got }) => got.early && isSuccess(got))
}

/** Whether a plain delivery got another response than those that were accepted before. */
function isUnlike(result: CheckResult): boolean {
  return result.name === 'in-time' && isFailed(result) && decisiveOf(result)?.status !== null
}

const isForgery = ({ group, name }: CheckResult) =>
  (group === 'forged' || group === 'time') && name !== 'clock-difference'

interface Pattern extends Statement {
  /** Concluded if all of these cases show it, as far as they were sent: one alone may have another reason. */
  readonly needs: readonly string[]
  shows(result: CheckResult): boolean
  /** Whether it also explains this failed case. */
  explains(result: CheckResult, shown: CheckResult): boolean
  /**
   * Not concluded if a plainly forged delivery is accepted or a plain one isn't: then other responses don't point to a single
   * mistake.
   */
  readonly unlessErratic?: true
  /** Not concluded if this case shows it too. */
  readonly unless?: string
}

/** Likeliest first. A pattern is skipped if those before it explain all its cases. */
const patterns: readonly Pattern[] = [
  {
    ...unsteady,
    needs: ['in-time'],
    shows: isUnlike,
    explains: (result, shown) => decisiveOf(result)?.status === decisiveOf(shown)?.status,
  },
  {
    cause: 'answers-first',
    message: 'Your handler responds before it checks the signature, so it accepts every delivery.',
    fix: 'Read the full body, verify it and store it. Then return 200, and do slow work afterwards.',
    needs: ['answers-after-reading'],
    shows: isEarly,
    explains: isForgery,
  },
  {
    cause: 'no-check',
    message:
      "Your handler accepts deliveries with any signature. It doesn't check the signature, or it responds first.",
    fix: 'Verify the signature before you respond. If it is invalid, return 401 (spec 5.2).',
    needs: ['altered-body', 'wrong-secret', 'single-pass'],
    shows: areAllAccepted,
    explains: isForgery,
  },
  {
    cause: 'no-time',
    message:
      "Your handler doesn't check the timestamp, so a captured delivery can be sent again forever.",
    fix: "Reject timestamps that aren't numbers or are more than 5 minutes from your clock in either direction (spec 5.2).",
    // A handler that parses the timestamp rejects a non-number but may still ignore the age.
    needs: ['stale', 'future', 'seconds'],
    shows: areAllAccepted,
    explains: ({ name }) => name === 'no-number',
    unlessErratic: true,
  },
  {
    cause: 'unequal-lengths',
    message:
      'Your handler fails if the signature has another length than the one that it computes.',
    fix: 'Compare the lengths first, and return 401 if they differ: functions that compare in constant time fail for other lengths.',
    needs: ['spelling'],
    unless: 'wrong-secret',
    shows: isCrash,
    explains: (result, shown) =>
      result.group === 'forged' &&
      isCrash(result) &&
      decisiveOf(result)?.body === decisiveOf(shown)?.body,
  },
  {
    cause: 'needs-message-id',
    message: "Your handler requires a message id, which the spec doesn't promise.",
    fix: "If the message id is missing, recognize a repeated event by the payload's `id`.",
    needs: ['no-message-id'],
    shows: isFailed,
    explains: () => false,
    unlessErratic: true,
  },
  {
    cause: 'reserialised',
    message:
      'Your handler re-serializes the JSON before hashing: it rejects the same JSON written differently.',
    fix: 'Hash the raw bytes of the body before any parser (spec 5.2, step 1).',
    needs: ['escapes', 'numbers', 'layout'],
    shows: isRejected,
    explains: (result) => result.name === 'unicode' && isRejected(result),
    unlessErratic: true,
  },
]

/** Explains the failures, likeliest first. Failures without a known pattern get no conclusion. */
export function conclude(results: Results, ack: CheckSettings['ack']): CheckConclusion[] {
  const first = results.find(({ name }) => name === FIRST_CASE)
  const got = first?.exchanges[0]?.got
  if (first === undefined || got === undefined) return []
  if (got.status === null) return [{ ...noResponseStatement(got), cases: [FIRST_CASE] }]
  const conclusions = ofFirst(first, ack, results)
  const failed = results.filter(isFailed)
  const isErratic = failed.some((result) =>
    /^(altered-body|wrong-secret)$/.test(result.name) ? acceptsAny(result) : isUnlike(result),
  )
  for (const { needs, shows, explains, unlessErratic, unless, ...statement } of patterns) {
    const sent = results.filter(
      ({ name, exchanges }) => needs.includes(name) && exchanges.length > 0,
    )
    const [shown] = sent
    if (shown === undefined || sent.length < Math.min(2, needs.length) || !sent.every(shows))
      continue
    if (unlessErratic === true && isErratic) continue
    if (results.some((result) => result.name === unless && shows(result))) continue
    const cases = failed
      .filter((result) => needs.includes(result.name) || explains(result, shown))
      .map(({ name }) => name)
    const known = new Set(conclusions.flatMap((each) => each.cases))
    if (cases.every((name) => known.has(name))) continue
    conclusions.push({ ...statement, cases })
  }
  return conclusions.length > 1
    ? conclusions.filter(({ cause }) => cause !== 'refuses-all')
    : conclusions
}
