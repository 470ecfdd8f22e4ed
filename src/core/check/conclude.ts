/**
 * Draws conclusions from all outcomes. One mistake fails several cases, so the pattern of failures names it in a single sentence.
 */
import {
  FIRST_CASE,
  type CheckConclusion,
  type CheckCrash,
  type CheckGroup,
  type CheckResult,
} from '../../shared/model/check.ts'
import { isRefusal, isTaken } from './judge.ts'

const ofBytes = ['escapes', 'numbers', 'layout', 'unicode']
const plainlyForged = ['altered-body', 'wrong-secret']
const PLAINLY_GENUINE = 'in-time'
const AFTER_READING = 'answers-after-reading'

function unreachable(failed: readonly CheckResult[]): CheckConclusion | null {
  const first = failed.find(({ name }) => name === FIRST_CASE)
  const error = first?.exchanges[0]?.got.error ?? null
  if (first === undefined || error === null || first.exchanges[0]?.got.status !== null) return null
  const { errorKind, connected } = first.exchanges[0].got
  const explained = { fix: error, cases: [FIRST_CASE] }
  if (errorKind === 'certificate')
    return {
      cause: 'unreachable',
      message: "The target's certificate isn't trusted, so nothing was sent.",
      ...explained,
    }
  if (errorKind === 'not-http' || errorKind === 'dropped')
    return {
      cause: 'unreadable',
      message: "The target's response can't be read, so nothing else was sent.",
      ...explained,
    }
  if (errorKind === 'timeout' && connected === true)
    return {
      cause: 'unreadable',
      message: "Your handler didn't respond in time, so nothing else was sent.",
      ...explained,
    }
  return {
    cause: 'unreachable',
    message: "Couldn't connect to the target, so nothing else was sent.",
    ...explained,
  }
}

/** The first delivery is rejected, but a wrong signing method is accepted every time. */
function ofRecipe(failed: readonly CheckResult[]): CheckConclusion | null {
  const finding = failed.find(({ name }) => name === FIRST_CASE)?.finding ?? null
  if (finding === null) return null
  const explained = (name: string) => [
    FIRST_CASE,
    ...failed.flatMap((result) => (result.name === name ? [name] : [])),
  ]
  if (finding.cause === 'passes:once')
    return {
      cause: 'single-pass',
      message:
        'Your handler hashes once: it rejects valid deliveries and accepts those hashed once.',
      fix: 'Apply HMAC-SHA-256 with Base64 again, with the same secret, to the Base64 text of the first result (spec 5.2, step 3).',
      cases: explained('single-pass'),
    }
  if (finding.cause === 'url:local')
    return {
      cause: 'host-url',
      message:
        'Your handler builds the signed URL from the Host header: it rejects deliveries signed over the registered URL and accepts those signed over its own URL.',
      fix: 'Take the URL from your configuration, exactly as registered (spec 5.2, step 1).',
      cases: explained('host-url'),
    }
  return {
    cause: 'other-recipe',
    message: `Your handler rejects valid deliveries and accepts those signed by another method. ${finding.what}`,
    fix: finding.fix,
    cases: [FIRST_CASE],
  }
}

/** The first delivery is neither accepted nor rejected. `refuses` and `takes` say whether any forged delivery is. */
function ofFailure(status: number, refuses: boolean, takes: boolean): CheckConclusion {
  if (status < 500)
    return {
      cause: 'redirects',
      message: `Your handler returns ${status} for a valid delivery. Redirects aren't followed, so no delivery reaches your code.`,
      fix: 'Register the URL that responds without a redirect. Check the path, the trailing slash and the scheme.',
      cases: [FIRST_CASE],
    }
  return {
    cause: 'fails',
    message: takes
      ? `Your handler returns ${status} for a valid delivery and accepts others that it should reject.`
      : refuses
        ? `Your handler rejects forged deliveries and returns ${status} for a valid one: it fails after checking the signature.`
        : `Your handler returns ${status} for a valid delivery, so its signature check can't be judged.`,
    fix: "Check your handler's log for this delivery. It probably reads a field that is null or has another type, or can't reach its database. The other cases are judged once it returns 200.",
    cases: [FIRST_CASE],
  }
}

/** What the handler crashes on after the signature check, or before it. */
function ofCrash({ field, status }: CheckCrash): CheckConclusion {
  if (field === null)
    return {
      cause: 'crashes',
      message: `Your handler returns ${status} once the signature matches.`,
      fix: "Check your handler's log for this delivery. It probably reads a field that is null or has another type.",
      cases: [FIRST_CASE],
    }
  return {
    cause: 'crashes',
    message: `Your handler returns ${status} when \`${field}\` is null.`,
    fix: `${field === 'offer' ? '`offer` is null in every event except the .qualified ones.' : 'The service sends null for this field.'} Check for null before you read it (spec 2.6).`,
    cases: [FIRST_CASE],
  }
}

/** The first delivery gets a response but isn't acknowledged. Likeliest cause first, then the one it hides. */
function ofFirst(
  status: number,
  error: string | null,
  results: readonly CheckResult[],
): CheckConclusion[] {
  const failed = results.filter(({ outcome }) => outcome === 'fail')
  const crash = failed.find(({ name }) => name === FIRST_CASE)?.crash ?? null
  if (crash === null) return [ofAnswer(status, error, results)]
  const recipe = ofRecipe(failed)
  const causes = [ofCrash(crash), ...(recipe === null ? [] : [recipe])]
  // A handler that rejects the delivery compares signatures before it fails.
  return isRefusal(status) ? causes.toReversed() : causes
}

/** The cause suggested by just the response. */
function ofAnswer(
  status: number,
  error: string | null,
  results: readonly CheckResult[],
): CheckConclusion {
  const failed = results.filter(({ outcome }) => outcome === 'fail')
  const refuses = results.some(({ group, outcome }) => group === 'forged' && outcome === 'pass')
  if (isTaken({ status }))
    return {
      cause: 'not-acknowledged',
      message:
        error === null
          ? `Your handler returns ${status} for a valid delivery. That doesn't acknowledge it (spec 6.4), so the service retries and then stops.`
          : `Your handler starts a response with ${status} but doesn't finish it, so the delivery isn't acknowledged.`,
      fix: error === null ? 'Return 200 once the delivery is stored.' : error,
      cases: [FIRST_CASE],
    }
  if (!isRefusal(status)) return ofFailure(status, refuses, failed.some(takesAny))
  const recipe = ofRecipe(failed)
  if (recipe !== null) return recipe
  if (failed.some((result) => result.name === FIRST_CASE && takesAny(result)))
    return {
      cause: 'unsteady',
      message:
        'Your handler rejects a valid delivery but accepts others like it, so more than the signature decides.',
      fix: 'Check whether your handler was still starting, whether several instances with different settings share the URL, or whether it limits requests. Then run the check again.',
      cases: [FIRST_CASE],
    }
  return {
    cause: 'refuses-all',
    message: 'Your handler rejects a valid delivery, and no single known mistake explains why.',
    fix: 'Compare the secret and the registered URL with those your handler uses. If they match, log the signature your handler computes and run `countersign verify --delivery latest --computed DIGEST`.',
    cases: [FIRST_CASE],
  }
}

/** Whether any of these requests was accepted. */
function takesAny({ exchanges }: CheckResult): boolean {
  return exchanges.some(({ got }) => isTaken(got))
}

/** Whether all of these requests were accepted, including inconclusive ones. */
function takesAll(results: readonly CheckResult[]): boolean {
  return results.every(({ exchanges }) => exchanges.every(({ got }) => isTaken(got)))
}

/**
 * Whether a plainly forged delivery was accepted or a plainly valid one rejected. Then the other responses don't point to a single
 * mistake.
 */
function isErratic(results: readonly CheckResult[]): boolean {
  return results.some(
    (result) =>
      (plainlyForged.includes(result.name) && takesAny(result)) ||
      (result.name === PLAINLY_GENUINE &&
        result.exchanges.some(({ got }) => got.status !== null && isRefusal(got.status))),
  )
}

/**
 * Whether the delivery was acknowledged before its body had arrived. The case also fails if the delivery is rejected, which proves
 * nothing.
 */
function answersEarly({ name, exchanges }: CheckResult): boolean {
  return (
    name === AFTER_READING &&
    exchanges.some(({ got }) => got.early && got.status !== null && got.status < 300)
  )
}

/** Explains the failures, likeliest first. Failures without a known pattern get no conclusion. */
export function conclude(results: readonly CheckResult[]): CheckConclusion[] {
  const failed = results.filter(({ outcome }) => outcome === 'fail')
  const none = unreachable(failed)
  if (none !== null) return [none]
  const first = failed.find(({ name }) => name === FIRST_CASE)?.exchanges[0]?.got ?? null
  const ofTheFirst = first?.status == null ? [] : ofFirst(first.status, first.error, results)
  const [firstCause = null] = ofTheFirst
  const failedIn = (group: CheckGroup) =>
    failed.filter((result) => result.group === group && result.name !== 'clock-difference')
  const sentIn = (group: CheckGroup) =>
    results.filter(
      (result) =>
        result.group === group && result.exchanges.length > 0 && result.name !== 'clock-difference',
    )
  const namesOf = (all: readonly CheckResult[]) => all.map(({ name }) => name)
  const forged = failedIn('forged')
  const late = failedIn('time')
  const checksNothing = forged.length > 1 && takesAll(sentIn('forged'))
  // A handler that accepts everything accepts forged deliveries too, even if it rejects, fails or doesn't acknowledge the first
  // one.
  if (firstCause !== null && firstCause.cause !== 'not-acknowledged' && !checksNothing)
    return ofTheFirst
  const conclusions = firstCause?.cause === 'refuses-all' ? [] : [...ofTheFirst]
  if (failed.some(answersEarly)) {
    conclusions.push({
      cause: 'answers-first',
      message:
        'Your handler responds before it checks the signature, so it accepts every delivery.',
      fix: 'Read the full body, verify it and store it. Then return 200, and do slow work afterwards.',
      cases: [...(checksNothing ? namesOf([...forged, ...late]) : []), AFTER_READING],
    })
  } else if (checksNothing) {
    conclusions.push({
      cause: 'no-check',
      message:
        "Your handler accepts every forged delivery. It doesn't check the signature, or it responds first.",
      fix: 'Verify the signature before you respond. If it is invalid, return 401 (spec 5.2).',
      cases: namesOf([...forged, ...late]),
    })
  }
  if (isErratic(results)) return conclusions
  // A handler that parses the timestamp rejects a non-number but may still ignore the age.
  const ofAge = sentIn('time').filter(({ name }) => name !== 'no-number')
  if (ofAge.length > 1 && takesAll(ofAge))
    conclusions.push({
      cause: 'no-time',
      message:
        "Your handler doesn't check the timestamp, so a captured delivery can be sent again forever.",
      fix: "Reject timestamps that aren't numbers or are more than 5 minutes from your clock in either direction (spec 5.2).",
      cases: namesOf(late),
    })
  const bytes = failed.filter(({ name, exchanges, decisive }) => {
    const status = exchanges[decisive ?? 0]?.got.status ?? 0
    return ofBytes.includes(name) && status >= 400 && status < 500
  })
  if (bytes.some(({ name }) => name !== 'unicode'))
    conclusions.push({
      cause: 'reserialised',
      message:
        'Your handler re-serializes the JSON before hashing: it rejects the same JSON written differently.',
      fix: 'Hash the raw bytes of the body before any parser (spec 5.2, step 1).',
      cases: namesOf(bytes),
    })
  return conclusions
}
