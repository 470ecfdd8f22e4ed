/** Draws conclusions from the first delivery. */
import {
  FIRST_CASE,
  type CheckAnswer,
  type CheckConclusion,
  type CheckExchange,
  type CheckFinding,
  type CheckResult,
  type CheckSettings,
} from '../../shared/model/check.ts'
import { isSuccess, isRefusal, isCheckAcknowledged } from './judge.ts'
import { quotedResponse } from './response-words.ts'

/** Finding that equal deliveries get different responses. */
export const UNSTEADY_FINDING: CheckFinding = {
  cause: 'unsteady:once',
  what: 'Your handler responds differently to equal valid deliveries.',
  fix: 'Check whether your handler was still starting, whether several instances with different settings share the URL, or whether it limits requests. Then run the check again.',
}

/** Cause of a finding that the endpoint accepts the signature, then rejects the delivery. */
export const SIGNATURE_ACCEPTED = 'signature:accepted'

/** Cause of a finding that every request gets the same response, even an unsigned one. */
export const ALL_ALIKE = 'alike:every'

export type Results = readonly CheckResult[]

export type Statement = Omit<CheckConclusion, 'cases'>

export const decisiveOf = ({ exchanges, decisive }: CheckResult): CheckAnswer | undefined =>
  exchanges[decisive ?? 0]?.got

export const isFailed = ({ outcome }: CheckResult): boolean => outcome === 'fail'

export function acceptsAny({ exchanges }: CheckResult): boolean {
  return exchanges.some(({ got }) => isSuccess(got))
}

/** Concludes from a first delivery without a readable response. */
export function noResponseStatement({ error, errorKind, connected }: CheckAnswer): Statement {
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

/** Conclusions about signing methods with their own case, by the finding's cause. */
const methodStatements: Readonly<Record<string, Pick<Statement, 'cause' | 'message'>>> = {
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

export const unsteadyStatement: Statement = {
  cause: 'unsteady',
  message: UNSTEADY_FINDING.what,
  fix: UNSTEADY_FINDING.fix,
}

/** Whether a finding's cause is in the payload, not in the signature. */
export const isAboutPayload = (cause: string): boolean => /^(null|absent|event|field):/.test(cause)

/** Whether the signature of the rejected first delivery is accepted. */
export function isSignatureAccepted({ findings = [], exchanges }: CheckResult): boolean {
  if (findings.some(({ cause }) => cause === SIGNATURE_ACCEPTED)) return true
  const last = exchanges.at(-1)
  return (
    findings.length > 0 &&
    findings.every(({ cause }) => isAboutPayload(cause)) &&
    last !== undefined &&
    isSuccess(last.got)
  )
}

/** Concludes from a proven mistake. */
function findingStatement(
  { cause, what, fix }: CheckFinding,
  rejected: CheckExchange | undefined,
): Statement {
  const status = rejected?.got.status ?? 0
  if (cause === UNSTEADY_FINDING.cause) return unsteadyStatement
  if (cause === SIGNATURE_ACCEPTED) return { cause: 'after-signature', message: what, fix }
  if (cause === ALL_ALIKE) return { cause: 'answers-alike', message: what, fix }
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
    cause: 'other-signing-method',
    message: `Your handler rejects valid deliveries and accepts those signed by another method. ${what}`,
    ...methodStatements[cause],
    fix,
  }
}

/** Whether a finding explains that another case failed. */
function isExplained({ cause }: CheckFinding, status: number, result: CheckResult): boolean {
  const { sent, got } = result.exchanges[result.decisive ?? 0] ?? {}
  if (cause === UNSTEADY_FINDING.cause) return got?.status === status
  if (!cause.startsWith('null:')) return methodStatements[cause]?.cause === result.name
  const fields = cause.slice('null:'.length).split(',')
  return (
    got?.status === status &&
    fields.some((path) => sent?.body.includes(`"${path.split('.').at(-1)}":null`) === true)
  )
}

const signatureHeaderNames = ({ headers }: CheckExchange['sent']) =>
  headers.flatMap(([name]) => (/-(?:signature|timestamp)$/.test(name) ? [name] : [])).join(', ')

/** Concludes from the last response, to a delivery that avoids all mistakes found. */
function responseStatement(
  { sent, got }: CheckExchange,
  isFirst: boolean,
  results: Results,
): Statement {
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
      fix: `Compare the secret, the registered URL and the header names (${signatureHeaderNames(sent)}) with those your handler uses. If they match, log the signature your handler computes and run \`countersign verify --computed DIGEST\` with the same body, URL and timestamp.`,
    }
  const forged = results.filter(({ group }) => group === 'forged')
  const behavior = forged.some(acceptsAny)
    ? `returns ${status} for a valid delivery and accepts others that it should reject.`
    : forged.some(({ outcome }) => outcome === 'pass')
      ? `rejects forged deliveries and returns ${status} for a valid one: it fails after checking the signature.`
      : `returns ${status} for a valid delivery, so its signature check can't be judged.`
  return {
    cause: 'fails',
    message: isFirst
      ? `Your handler ${behavior}`
      : `Without that mistake, your handler returns ${status} for a valid delivery.`,
    fix: "Check your handler's log for this delivery. It probably reads a field that is null or has another type, or can't reach its database. The other cases are judged once it returns 200.",
  }
}

/**
 * Concludes from the first delivery: its proven mistakes in the order in which an endpoint checks,
 * then the response that remains unexplained.
 */
export function firstConclusions(
  { findings = [], exchanges, outcome }: CheckResult,
  ack: CheckSettings['ack'],
  results: Results,
): CheckConclusion[] {
  if (outcome !== 'fail') return []
  const answers = exchanges.map(({ got }) => got)
  const conclusions = findings.map((finding, index) => {
    const status = answers[index]?.status ?? 0
    const explained = results.filter(
      (result) => isFailed(result) && isExplained(finding, status, result),
    )
    const cases = new Set([FIRST_CASE, ...explained.map(({ name }) => name)])
    const statement = findingStatement(finding, exchanges[index])
    // A case about this signing method has a more exact fix.
    const fix = results.find(({ name }) => name === statement.cause)?.fix ?? statement.fix
    return { ...statement, fix, cases: [...cases] }
  })
  const last = exchanges[findings.length]
  const isDone =
    last === undefined ||
    findings.at(-1)?.cause === UNSTEADY_FINDING.cause ||
    (findings.length > 0 && isCheckAcknowledged(last.got, ack))
  return isDone
    ? conclusions
    : [
        ...conclusions,
        { ...responseStatement(last, findings.length === 0, results), cases: [FIRST_CASE] },
      ]
}
