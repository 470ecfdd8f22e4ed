/**
 * What the outcomes say taken together. One mistake shows in several cases: the pattern of those that fail names it, so that a
 * developer reads one sentence in place of ten.
 */
import { FIRST_CASE, type CheckConclusion, type CheckCrash, type CheckGroup, type CheckResult } from '../../shared/model/check.ts'
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
      message: 'The certificate of the target does not verify, so nothing was sent.',
      ...explained,
    }
  if (errorKind === 'not-http' || errorKind === 'dropped')
    return { cause: 'unreadable', message: 'The target gave no answer that can be read, so nothing else was sent.', ...explained }
  if (errorKind === 'timeout' && connected === true)
    return { cause: 'unreadable', message: "Your handler didn't respond in time, so nothing else was sent.", ...explained }
  return { cause: 'unreachable', message: 'Nothing answered at the target, so nothing else was sent.', ...explained }
}

/** The first delivery is refused: the wrong recipe that is taken instead, time and again, tells why. */
function ofRecipe(failed: readonly CheckResult[]): CheckConclusion | null {
  const finding = failed.find(({ name }) => name === FIRST_CASE)?.finding ?? null
  if (finding === null) return null
  const explained = (name: string) => [FIRST_CASE, ...failed.flatMap((result) => (result.name === name ? [name] : []))]
  if (finding.cause === 'passes:once')
    return {
      cause: 'single-pass',
      message: 'The handler applies the hash once: it refuses genuine deliveries, and accepts those that were hashed once.',
      fix: 'Apply HMAC-SHA-256 with Base-64 a second time, with the same secret, over the Base-64 text of the first result (section 5.2, step 3).',
      cases: explained('single-pass'),
    }
  if (finding.cause === 'url:local')
    return {
      cause: 'host-url',
      message:
        'The handler puts the signed URL together from the Host header: it refuses what is signed over the registered URL, and accepts what is signed over its own address.',
      fix: 'Take the URL from the configuration, exactly as it was registered (section 5.2, step 1).',
      cases: explained('host-url'),
    }
  return {
    cause: 'other-recipe',
    message: `The handler refuses genuine deliveries, and accepts them signed by another recipe. ${finding.what}`,
    fix: finding.fix,
    cases: [FIRST_CASE],
  }
}

/** The first delivery is neither taken nor refused. `refuses`, `takes`: whether anything else that it should refuse. */
function ofFailure(status: number, refuses: boolean, takes: boolean): CheckConclusion {
  if (status < 500)
    return {
      cause: 'redirects',
      message: `The handler answers a genuine delivery with ${status}, and redirects are not followed: it does not get there.`,
      fix: 'Check the address that answers itself, and register that one: the path, a slash at its end and the scheme are what redirects are most often about.',
      cases: [FIRST_CASE],
    }
  return {
    cause: 'fails',
    message: takes
      ? `The handler answers a genuine delivery with ${status}, and accepts others that it should refuse.`
      : refuses
        ? `The handler refuses what is forged, and answers a genuine delivery with ${status}: it fails after it has checked the signature.`
        : `The handler answers a genuine delivery with ${status}: it fails, and nothing can be said of how it checks the signature.`,
    fix: 'Look at what it logs for this delivery. Most often it takes a field for certain that is null or of another type, or it cannot reach its database. The other cases are judged once it answers 200.',
    cases: [FIRST_CASE],
  }
}

/** What the handler fails on once it has let the first delivery through, or before it looks at the signature. */
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
    fix: `${field === 'offer' ? '`offer` is null in every event except the .qualified ones.' : 'The service sends null for this field.'} Check for null before you read it (section 2.6).`,
    cases: [FIRST_CASE],
  }
}

/** The first delivery is answered, and not acknowledged: the likely first cause first, then the one that it hides. */
function ofFirst(status: number, error: string | null, results: readonly CheckResult[]): CheckConclusion[] {
  const failed = results.filter(({ outcome }) => outcome === 'fail')
  const crash = failed.find(({ name }) => name === FIRST_CASE)?.crash ?? null
  if (crash === null) return [ofAnswer(status, error, results)]
  const recipe = ofRecipe(failed)
  const causes = [ofCrash(crash), ...(recipe === null ? [] : [recipe])]
  // A handler that rejects the delivery compares signatures before it fails.
  return isRefusal(status) ? causes.toReversed() : causes
}

/** One cause of it: what the answer itself says. */
function ofAnswer(status: number, error: string | null, results: readonly CheckResult[]): CheckConclusion {
  const failed = results.filter(({ outcome }) => outcome === 'fail')
  const refuses = results.some(({ group, outcome }) => group === 'forged' && outcome === 'pass')
  if (isTaken({ status }))
    return {
      cause: 'not-acknowledged',
      message:
        error === null
          ? `The handler answers a genuine delivery with ${status}, which does not acknowledge it (section 6.4): it is sent again, and then lost.`
          : `The handler begins to answer a genuine delivery with ${status}, and does not end it: that does not acknowledge it.`,
      fix: error === null ? 'Answer 200 once the delivery is stored.' : error,
      cases: [FIRST_CASE],
    }
  if (!isRefusal(status)) return ofFailure(status, refuses, failed.some(takesAny))
  const recipe = ofRecipe(failed)
  if (recipe !== null) return recipe
  if (failed.some((result) => result.name === FIRST_CASE && takesAny(result)))
    return {
      cause: 'unsteady',
      message:
        'The handler refuses a genuine delivery, and answers others like it otherwise: it does not answer by the signature alone.',
      fix: 'Look at what else it answers by: whether it was still starting, whether several instances with different settings stand behind one address, whether it limits how much comes. Then check again.',
      cases: [FIRST_CASE],
    }
  return {
    cause: 'refuses-all',
    message: 'The handler refuses a genuine delivery, and no single known mistake explains it.',
    fix: 'Compare the secret and the registered URL given here with those that your handler uses. If they match, log the signature that your handler computes and run `countersign verify --delivery latest --computed DIGEST`.',
    cases: [FIRST_CASE],
  }
}

/** Whether any of what was sent was taken. */
function takesAny({ exchanges }: CheckResult): boolean {
  return exchanges.some(({ got }) => isTaken(got))
}

/** Whether all of what was sent was taken, be it that it could not be judged. */
function takesAll(results: readonly CheckResult[]): boolean {
  return results.every(({ exchanges }) => exchanges.every(({ got }) => isTaken(got)))
}

/** Whether it took what is plainly forged or refused what is plainly genuine: then what else it answers tells of no one mistake. */
function isErratic(results: readonly CheckResult[]): boolean {
  return results.some(
    (result) =>
      (plainlyForged.includes(result.name) && takesAny(result)) ||
      (result.name === PLAINLY_GENUINE && result.exchanges.some(({ got }) => got.status !== null && isRefusal(got.status))),
  )
}

/** Whether it acknowledged what it could not have read yet. The case fails too where the delivery is refused, and that says nothing. */
function answersEarly({ name, exchanges }: CheckResult): boolean {
  return name === AFTER_READING && exchanges.some(({ got }) => got.early && got.status !== null && got.status < 300)
}

/** The explanations of what failed, likeliest first; what is left out speaks for itself. */
export function conclude(results: readonly CheckResult[]): CheckConclusion[] {
  const failed = results.filter(({ outcome }) => outcome === 'fail')
  const none = unreachable(failed)
  if (none !== null) return [none]
  const first = failed.find(({ name }) => name === FIRST_CASE)?.exchanges[0]?.got ?? null
  const ofTheFirst = first?.status == null ? [] : ofFirst(first.status, first.error, results)
  const [firstCause = null] = ofTheFirst
  const failedIn = (group: CheckGroup) => failed.filter((result) => result.group === group && result.name !== 'clock-difference')
  const sentIn = (group: CheckGroup) =>
    results.filter((result) => result.group === group && result.exchanges.length > 0 && result.name !== 'clock-difference')
  const namesOf = (all: readonly CheckResult[]) => all.map(({ name }) => name)
  const forged = failedIn('forged')
  const late = failedIn('time')
  const checksNothing = forged.length > 1 && takesAll(sentIn('forged'))
  // What takes everything takes forged deliveries too, though it refused the first one, failed at it or did not acknowledge it.
  if (firstCause !== null && firstCause.cause !== 'not-acknowledged' && !checksNothing) return ofTheFirst
  const conclusions = firstCause?.cause === 'refuses-all' ? [] : [...ofTheFirst]
  if (failed.some(answersEarly)) {
    conclusions.push({
      cause: 'answers-first',
      message: 'The handler answers before it has checked the signature, so that it accepts whatever comes.',
      fix: 'Read the whole body, verify it, store it, and only then answer 200. What takes long comes after that.',
      cases: [...(checksNothing ? namesOf([...forged, ...late]) : []), AFTER_READING],
    })
  } else if (checksNothing) {
    conclusions.push({
      cause: 'no-check',
      message: 'The handler accepts every forged delivery: it does not check the signature, or it answers before it does.',
      fix: 'Verify the signature before you answer, and answer 401 where it is wrong (section 5.2).',
      cases: namesOf([...forged, ...late]),
    })
  }
  if (isErratic(results)) return conclusions
  // Who parses the timestamp refuses what is no number, and may look at its age as little as before.
  const ofAge = sentIn('time').filter(({ name }) => name !== 'no-number')
  if (ofAge.length > 1 && takesAll(ofAge))
    conclusions.push({
      cause: 'no-time',
      message: 'The handler does not look at the timestamp: a delivery that was captured once can be sent again for ever.',
      fix: 'Refuse what is more than 5 minutes from your clock in either direction, and what is no number (section 5.2).',
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
        'The handler hashes a body that it has written again, not the bytes that came: it refuses the same JSON in another spelling.',
      fix: 'Hash the raw bytes of the body, before any parser (section 5.2, step 1).',
      cases: namesOf(bytes),
    })
  return conclusions
}
