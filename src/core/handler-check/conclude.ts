/**
 * What the outcomes say taken together. One mistake shows in several cases: the pattern of those that fail names it, so that a
 * developer reads one sentence in place of ten.
 */
import { FIRST_CASE, type CheckConclusion, type CheckGroup, type CheckResult } from '../../shared/model/check.ts'
import { isRefusal, isTaken } from './judge.ts'

const ofBytes = ['escapes', 'numbers', 'layout', 'unicode']
const AFTER_READING = 'answers-after-reading'

function unreachable(failed: readonly CheckResult[]): CheckConclusion | null {
  const first = failed.find(({ name }) => name === FIRST_CASE)
  const error = first?.exchanges[0]?.got.error ?? null
  if (first === undefined || error === null || first.exchanges[0]?.got.status !== null) return null
  return {
    cause: 'unreachable',
    message:
      first.exchanges[0].got.errorKind === 'certificate'
        ? 'The certificate of the target does not verify, so nothing was sent.'
        : 'Nothing answered at the target, so nothing else was sent.',
    fix: error,
    cases: [FIRST_CASE],
  }
}

/** The first delivery is not taken: the wrong recipe that is taken instead tells why. */
function ofRecipe(failed: readonly CheckResult[]): CheckConclusion | null {
  const takes = (name: string) =>
    failed.some((result) => result.name === name && isTaken(result.exchanges[result.decisive ?? 0]?.got ?? { status: null }))
  if (takes('single-pass'))
    return {
      cause: 'single-pass',
      message: 'The handler applies the hash once: it refuses genuine deliveries, and accepts those that were hashed once.',
      fix: 'Apply HMAC-SHA-256 with Base-64 a second time, with the same secret, over the Base-64 text of the first result (section 5.2, step 3).',
      cases: [FIRST_CASE, 'single-pass'],
    }
  if (takes('host-url'))
    return {
      cause: 'host-url',
      message:
        'The handler puts the signed URL together from the Host header: it refuses what is signed over the registered URL, and accepts what is signed over its own address.',
      fix: 'Take the URL from the configuration, exactly as it was registered (section 5.2, step 1).',
      cases: [FIRST_CASE, 'host-url'],
    }
  const finding = failed.find(({ name }) => name === FIRST_CASE)?.finding ?? null
  if (finding === null) return null
  return {
    cause: 'other-recipe',
    message: `The handler refuses genuine deliveries, and accepts them signed by another recipe. ${finding.what}`,
    fix: finding.fix,
    cases: [FIRST_CASE],
  }
}

/** The first delivery is neither taken nor refused, and nothing else is taken in its place. `refuses`: what is forged. */
function ofFailure(status: number, refuses: boolean): CheckConclusion {
  if (status < 500)
    return {
      cause: 'redirects',
      message: `The handler answers a genuine delivery with ${status}, and redirects are not followed: it does not get there.`,
      fix: 'Check the address that answers itself, and register that one: the path, a slash at its end and the scheme are what redirects are most often about.',
      cases: [FIRST_CASE],
    }
  return {
    cause: 'fails',
    message: refuses
      ? `The handler refuses what is forged, and answers a genuine delivery with ${status}: it fails after it has checked the signature.`
      : `The handler answers a genuine delivery with ${status}, and takes no other: it fails, and nothing can be said of how it checks the signature.`,
    fix: 'Look at what it logs for this delivery. Most often it takes a field for certain that is null or of another type, or it cannot reach its database. The other cases are judged once it answers 200.',
    cases: [FIRST_CASE],
  }
}

/** The first delivery is answered, and not acknowledged. */
function ofFirst(status: number, error: string | null, results: readonly CheckResult[]): CheckConclusion {
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
  const recipe = ofRecipe(failed)
  if (recipe !== null) return recipe
  if (!isRefusal(status)) return ofFailure(status, refuses)
  return {
    cause: 'refuses-all',
    message: 'The handler refuses a genuine delivery, and no single known mistake explains it.',
    fix: 'Compare the secret and the registered URL given here with those that the handler uses. The mistakes that are most often made were tried one by one. Let the handler print the signature that it computes, and ask why it differs: `countersign verify --computed`.',
    cases: [FIRST_CASE],
  }
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
  const ofTheFirst = first?.status == null ? null : ofFirst(first.status, first.error, results)
  // What takes everything and acknowledges nothing takes forged deliveries too.
  if (ofTheFirst !== null && ofTheFirst.cause !== 'not-acknowledged') return [ofTheFirst]
  const failedIn = (group: CheckGroup) => failed.filter((result) => result.group === group && result.name !== 'clock-difference')
  const judgedIn = (group: CheckGroup) =>
    results.filter((result) => result.group === group && result.outcome !== 'skip' && result.name !== 'clock-difference')
  const namesOf = (all: readonly CheckResult[]) => all.map(({ name }) => name)
  const conclusions = ofTheFirst === null ? [] : [ofTheFirst]
  const forged = failedIn('forged')
  const late = failedIn('time')
  const checksNothing = forged.length > 1 && forged.length === judgedIn('forged').length
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
  // Who parses the timestamp refuses what is no number, and may look at its age as little as before.
  const ofAge = judgedIn('time').filter(({ name }) => name !== 'no-number')
  if (!checksNothing && ofAge.length > 1 && ofAge.every(({ outcome }) => outcome === 'fail'))
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
