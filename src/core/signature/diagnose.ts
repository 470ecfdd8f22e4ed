/** Explains a wrong digest by the mistakes that produce exactly this one (section 5.2). */
import type { Diagnosis } from '../../shared/model/signature.ts'
import type { DiagnosisInput } from './diagnosis/diagnosis-input.ts'
import { readDigest } from './diagnosis/digest-readings.ts'
import type { NamedMistake } from './diagnosis/mistake.ts'
import { findMistakesOfAny, type ExplainedMistakes, type SearchDepth } from './diagnosis/search.ts'
import { signDelivery } from './sign.ts'

/** ExplainedMistakes by one of several hooks; `diagnosis` is null if the signature is right. */
interface ExplainedDigest {
  readonly index: number
  readonly diagnosis: Diagnosis | null
  /** Mistakes; null if the signature is damaged. */
  readonly explanation: ExplainedMistakes | null
}

/** Returns the shortest explanation by one of several hooks of a delivery. Never throws. */
export function explainAny(
  inputs: readonly DiagnosisInput[],
  depth: SearchDepth,
): ExplainedDigest | null {
  const found = findMistakesOfAny(inputs, readDigest(inputs[0]?.received ?? ''), depth)
  if (found !== null)
    return { index: found.index, diagnosis: toDiagnosis(found.mistakes), explanation: found }
  for (const [index, input] of inputs.entries()) {
    const damage = explainDamage(input)
    const diagnosis = damage === null ? null : toDiagnosis([damage])
    if (diagnosis !== null) return { index, diagnosis, explanation: null }
  }
  return null
}

/** Returns the diagnosis of `explainAny`; null if the signature is right. */
export function diagnoseAny(
  inputs: readonly DiagnosisInput[],
  depth: SearchDepth = 'several',
): { readonly index: number; readonly diagnosis: Diagnosis } | null {
  const { index, diagnosis } = explainAny(inputs, depth) ?? { index: 0, diagnosis: null }
  return diagnosis === null ? null : { index, diagnosis }
}

/** Returns the shortest explanation; null without a known mistake. Never throws. */
export function diagnose(input: DiagnosisInput): Diagnosis | null {
  return diagnoseAny([input])?.diagnosis ?? null
}

/** Minimum length of a truncated digest, in characters, below which a match may be chance. */
const MIN_BEGINNING_LENGTH = 16

const COUNT_WORDS = ['no', 'One', 'Two', 'Three', 'Four'] as const

function toDiagnosis(mistakes: readonly NamedMistake[]): Diagnosis | null {
  const causes = [...new Set(mistakes.flatMap((mistake) => mistake.causes))]
  const [cause] = causes
  if (cause === undefined) return null
  const fixes = [...new Set(mistakes.map(({ fix }) => fix))]
  const description = mistakes.map(({ what }) => what).join(' ')
  return {
    cause,
    causes,
    message:
      causes.length === 1
        ? description
        : `${COUNT_WORDS[causes.length] ?? 'Several'} mistakes at once. ${description}`,
    fix: fixes.join(' '),
    signedUrl: mistakes.find(({ signedUrl }) => signedUrl !== undefined)?.signedUrl ?? null,
  }
}

/** Explains a truncated digest, or one in another letter case. */
function explainDamage({
  body,
  url,
  timestamp,
  key,
  received,
}: DiagnosisInput): NamedMistake | null {
  const { signature, inner } = signDelivery({ body, url, timestamp, key })
  const forms = [signature, Buffer.from(signature, 'base64').toString('hex')]
  const fix = 'Send and compare the complete Base64 text, including its case.'
  if (
    received.length >= MIN_BEGINNING_LENGTH &&
    forms.some((form) => form !== received && form.startsWith(received))
  )
    return {
      causes: ['encoding:cut'],
      what: `Truncated: only the first ${received.length} characters of the correct signature.`,
      fix,
    }
  if (received !== signature && received.toLowerCase() === signature.toLowerCase())
    return {
      causes: ['encoding:letter-case'],
      what: 'The correct signature with its letters in the wrong case.',
      fix,
    }
  if (received.length >= MIN_BEGINNING_LENGTH && received !== inner && inner.startsWith(received))
    return {
      causes: ['passes:once'],
      what: `Truncated: only the first ${received.length} characters of the first pass.`,
      fix: 'Compute a second HMAC over the Base64 text of the first, and encode that in Base64.',
    }
  return null
}
