/**
 * Explains a digest that doesn't match: which mistakes of a signer, or of a handler's own code, produce exactly this one (section
 * 5.2). Never guesses: without such a mistake there is no diagnosis.
 */
import type { Diagnosis } from '../../shared/model/signature.ts'
import type { DiagnosisInput } from './diagnosis/mismatch.ts'
import { readDigest } from './diagnosis/readings.ts'
import { findMistakesOfAny, type Named, type SearchDepth } from './diagnosis/search.ts'
import { signDelivery } from './sign.ts'

/** Fewer characters than this prove nothing. */
const SHORTEST_BEGINNING = 16

const COUNTS = ['no', 'One', 'Two', 'Three', 'Four'] as const

/** One diagnosis for one or more mistakes; its cause is the first one's. */
function toDiagnosis(mistakes: readonly Named[]): Diagnosis | null {
  const causes = [...new Set(mistakes.flatMap((mistake) => mistake.causes))]
  const [cause] = causes
  if (cause === undefined) return null
  const fixes = [...new Set(mistakes.map(({ fix }) => fix))]
  const said = mistakes.map(({ what }) => what).join(' ')
  return {
    cause,
    causes,
    message:
      causes.length === 1
        ? said
        : `${COUNTS[causes.length] ?? 'Several'} mistakes at once. ${said}`,
    fix: fixes.join(' '),
    signedUrl: mistakes.find(({ signedUrl }) => signedUrl !== undefined)?.signedUrl ?? null,
  }
}

/** The correct result, or the first pass, damaged beyond decoding: truncated, or with its case changed. */
function damaged({ body, url, timestamp, key, received }: DiagnosisInput): Named | null {
  const { signature, inner } = signDelivery({ body, url, timestamp, key })
  const forms = [signature, Buffer.from(signature, 'base64').toString('hex')]
  const fix = 'Send and compare the complete Base64 text, including its case.'
  if (
    received.length >= SHORTEST_BEGINNING &&
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
  if (received.length >= SHORTEST_BEGINNING && received !== inner && inner.startsWith(received))
    return {
      causes: ['passes:once'],
      what: `Truncated: only the first ${received.length} characters of the first pass.`,
      fix: 'Compute a second HMAC over the Base64 text of the first, and encode that in Base64.',
    }
  return null
}

/** The shortest explanation with the secret of one of several hooks, by its index. The inputs are of one delivery. Never throws. */
export function diagnoseAny(
  inputs: readonly DiagnosisInput[],
  depth: SearchDepth = 'several',
): { readonly index: number; readonly diagnosis: Diagnosis } | null {
  const found = findMistakesOfAny(inputs, readDigest(inputs[0]?.received ?? ''), depth)
  const known = found === null ? null : toDiagnosis(found.mistakes)
  if (found !== null) return known === null ? null : { index: found.index, diagnosis: known }
  for (const [index, input] of inputs.entries()) {
    const damage = damaged(input)
    const diagnosis = damage === null ? null : toDiagnosis([damage])
    if (diagnosis !== null) return { index, diagnosis }
  }
  return null
}

/** The shortest explanation; null if no known mistake produces the digest or it is correct. Never throws. */
export function diagnose(input: DiagnosisInput): Diagnosis | null {
  return diagnoseAny([input])?.diagnosis ?? null
}
