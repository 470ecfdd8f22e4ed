/**
 * Explains a digest that does not match: which mistakes of a signer, or of the code of somebody who verifies, would make exactly
 * this one (section 5.2 of the interface). Nothing is guessed: where none do, there is no diagnosis.
 */
import type { Diagnosis } from '../../shared/model/signature.ts'
import type { DiagnosisInput } from './diagnosis/departure.ts'
import { readDigest } from './diagnosis/readings.ts'
import { findMistakes, type Named } from './diagnosis/search.ts'
import { signDelivery } from './sign.ts'

/** Fewer characters than this say nothing about the whole. */
const SHORTEST_BEGINNING = 16

const COUNTS = ['no', 'One', 'Two', 'Three', 'Four'] as const

/** One diagnosis of one or more mistakes; its cause is that of the first. */
function toDiagnosis(mistakes: readonly Named[]): Diagnosis | null {
  const [first] = mistakes
  if (first === undefined) return null
  const fixes = [...new Set(mistakes.map(({ fix }) => fix))]
  const said = mistakes.map(({ what }) => what).join(' ')
  return {
    cause: first.cause,
    causes: mistakes.map(({ cause }) => cause),
    message: mistakes.length === 1 ? said : `${COUNTS[mistakes.length] ?? 'Several'} mistakes together. ${said}`,
    fix: fixes.join(' '),
  }
}

/** The right result, or that of the first pass, damaged in a way that no decoding undoes: cut short, or in another case. */
function damaged({ body, url, timestamp, key, received }: DiagnosisInput): Named | null {
  const { signature, inner } = signDelivery({ body, url, timestamp, key })
  const forms = [signature, Buffer.from(signature, 'base64').toString('hex')]
  const fix = 'Give and compare the whole of the Base-64 text, letter for letter.'
  if (received.length >= SHORTEST_BEGINNING && forms.some((form) => form !== received && form.startsWith(received)))
    return { cause: 'encoding:cut', what: `It is only the beginning of the right result: ${received.length} characters.`, fix }
  if (received !== signature && received.toLowerCase() === signature.toLowerCase())
    return { cause: 'encoding:letter-case', what: 'It is the right result with its letters in another case.', fix }
  if (received.length >= SHORTEST_BEGINNING && received !== inner && inner.startsWith(received))
    return {
      cause: 'passes:once',
      what: `It is only the beginning of the result of the first pass: ${received.length} characters.`,
      fix: 'Compute the HMAC a second time, over the Base-64 text of the first, and give that in Base-64.',
    }
  return null
}

/** The shortest explanation, or null: no known mistake makes the digest, or it is the right one. Never throws. */
export function diagnose(input: DiagnosisInput): Diagnosis | null {
  const found = findMistakes(input, readDigest(input.received))
  if (found !== null) return toDiagnosis(found)
  const damage = damaged(input)
  return damage === null ? null : toDiagnosis([damage])
}
