/** Draws conclusions from the pattern of failures, because one mistake fails several cases. */
import {
  FIRST_CASE,
  type CheckConclusion,
  type CheckResult,
  type CheckSettings,
} from '../../shared/model/check.ts'
import {
  isFailed,
  decisiveOf,
  type Statement,
  unsteadyStatement,
  type Results,
  noResponseStatement,
  firstConclusions,
  acceptsAny,
} from './first-conclusions.ts'
import { isSuccess, isRefusal } from './judge.ts'

function areAllAccepted({ exchanges }: CheckResult): boolean {
  return exchanges.every(({ got }) => isSuccess(got))
}

function isRejected(result: CheckResult): boolean {
  return isFailed(result) && isRefusal(decisiveOf(result)?.status ?? 0)
}

function isCrashed(result: CheckResult): boolean {
  return isFailed(result) && (decisiveOf(result)?.status ?? 0) >= 500
}

/** Whether a delivery was acknowledged before its body had arrived. */
function isEarly({ exchanges }: CheckResult): boolean {
  return exchanges.some(({ got }) => got.early && isSuccess(got))
}

/** Whether valid deliveries, sent again, got another response than the first one. */
function isUnlikeFirst(result: CheckResult): boolean {
  return result.name === 'in-time' && isFailed(result) && decisiveOf(result)?.status !== null
}

/** Whether a case's deliveries must be rejected, as all of its group but one. */
const isForgery = ({ group, name }: CheckResult) =>
  (group === 'forged' || group === 'time') && name !== 'clock-difference'

/** Pattern of failed cases that one mistake causes. */
interface Pattern extends Statement {
  /** Cases that must all show the mistake, if sent. */
  readonly needs: readonly string[]
  shows(result: CheckResult): boolean
  /** Whether the mistake also explains this failed case. */
  explains(result: CheckResult, example: CheckResult): boolean
  /**
   * Flag to skip the pattern if forged deliveries are accepted or equal ones get different
   * responses.
   */
  readonly unlessErratic?: true
  /** Case that must not show the mistake. */
  readonly unless?: string
}

/** Patterns of failures, likeliest first. */
const patterns: readonly Pattern[] = [
  {
    ...unsteadyStatement,
    needs: ['in-time'],
    shows: isUnlikeFirst,
    explains: (result, example) => decisiveOf(result)?.status === decisiveOf(example)?.status,
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
    // `no-number` isn't needed: a handler may parse the timestamp, but ignore its age.
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
    shows: isCrashed,
    explains: (result, example) =>
      result.group === 'forged' &&
      isCrashed(result) &&
      decisiveOf(result)?.body === decisiveOf(example)?.body,
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

/** Explains the failures that have a known pattern, likeliest first. */
export function conclude(results: Results, ack: CheckSettings['ack']): CheckConclusion[] {
  const first = results.find(({ name }) => name === FIRST_CASE)
  const answer = first?.exchanges[0]?.got
  if (first === undefined || answer === undefined) return []
  if (answer.status === null) return [{ ...noResponseStatement(answer), cases: [FIRST_CASE] }]
  const conclusions = firstConclusions(first, ack, results)
  const failed = results.filter(isFailed)
  const isErratic = failed.some((result) =>
    /^(altered-body|wrong-secret)$/.test(result.name) ? acceptsAny(result) : isUnlikeFirst(result),
  )
  for (const { needs, shows, explains, unlessErratic, unless, ...statement } of patterns) {
    const evidence = results.filter(
      ({ name, exchanges }) => needs.includes(name) && exchanges.length > 0,
    )
    const [example] = evidence
    // A single one of several cases may fail for another reason.
    const isEnough = evidence.length >= Math.min(2, needs.length)
    if (example === undefined || !isEnough || !evidence.every(shows)) continue
    if (unlessErratic === true && isErratic) continue
    if (results.some((result) => result.name === unless && shows(result))) continue
    const cases = failed
      .filter((result) => needs.includes(result.name) || explains(result, example))
      .map(({ name }) => name)
    const explained = new Set(conclusions.flatMap((conclusion) => conclusion.cases))
    if (cases.every((name) => explained.has(name))) continue
    conclusions.push({ ...statement, cases })
  }
  return conclusions.length > 1
    ? conclusions.filter(({ cause }) => cause !== 'refuses-all')
    : conclusions
}
