/**
 * What the outcomes say taken together. One mistake shows in several cases: the pattern of those that fail names it, so that a
 * developer reads one sentence in place of ten.
 */
import { FIRST_CASE, type CheckConclusion, type CheckGroup, type CheckResult } from '../../shared/model/check.ts'

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

/** The first delivery is refused: which wrong recipe is taken instead tells why. */
function ofRefusal(failed: readonly CheckResult[]): CheckConclusion {
  const fails = (name: string) => failed.some((result) => result.name === name)
  if (fails('single-pass'))
    return {
      cause: 'single-pass',
      message: 'The handler applies the hash once: it refuses genuine deliveries, and accepts those that were hashed once.',
      fix: 'Apply HMAC-SHA-256 with Base-64 a second time, with the same secret, over the Base-64 text of the first result (section 5.2, step 3).',
      cases: [FIRST_CASE, 'single-pass'],
    }
  if (fails('host-url'))
    return {
      cause: 'host-url',
      message:
        'The handler puts the signed URL together from the Host header: it refuses what is signed over the registered URL, and accepts what is signed over its own address.',
      fix: 'Take the URL from the configuration, exactly as it was registered (section 5.2, step 1).',
      cases: [FIRST_CASE, 'host-url'],
    }
  const finding = failed.find(({ name }) => name === FIRST_CASE)?.finding ?? null
  if (finding !== null)
    return {
      cause: 'other-recipe',
      message: `The handler refuses genuine deliveries, and accepts them signed by another recipe. ${finding.what}`,
      fix: finding.fix,
      cases: [FIRST_CASE],
    }
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
  const names = failed.map(({ name }) => name)
  const none = unreachable(failed)
  if (none !== null) return [none]
  if (names.includes(FIRST_CASE)) return [ofRefusal(failed)]
  const failedIn = (group: CheckGroup) => failed.filter((result) => result.group === group && result.name !== 'clock-difference')
  const judgedIn = (group: CheckGroup) =>
    results.filter((result) => result.group === group && result.outcome !== 'skip' && result.name !== 'clock-difference')
  const namesOf = (all: readonly CheckResult[]) => all.map(({ name }) => name)
  const conclusions: CheckConclusion[] = []
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
