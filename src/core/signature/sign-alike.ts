/** Signs a changed delivery with the mistakes of the original, for the same diagnosis. */
import type { DiagnosisInput } from './diagnosis/diagnosis-input.ts'
import { finalDigest } from './diagnosis/passes.ts'
import {
  firstPassOf,
  correctMethod,
  withMistakes,
  type TriedMistake,
} from './diagnosis/signing-method.ts'
import { respellDigest } from './diagnosis/respell-digest.ts'
import type { ExplainedMistakes, SearchDepth } from './diagnosis/search.ts'
import { collectMistakes, type TriedMistakes } from './diagnosis/tried-mistakes.ts'
import { diagnoseAny, explainAny } from './diagnose.ts'
import { signDelivery, type Signature } from './sign.ts'

type UnsignedInput = Omit<DiagnosisInput, 'received'>

export interface AlikeInput {
  readonly before: readonly DiagnosisInput[]
  /** Inputs for the changed delivery, in the same order. */
  readonly after: readonly UnsignedInput[]
  readonly depth: SearchDepth
  /** Words around the digest, with what replaces them. */
  readonly words: Readonly<Record<string, string>>
}

export interface AlikeSignature {
  readonly index: number
  readonly causes: readonly string[]
  /** Signature with the same causes; null if none has them. */
  readonly signed: { readonly signature: string; readonly timestamp: string } | null
}

/** Number of combinations to try. */
const MAX_TRIES = 12
/**
 * Number of milliseconds to try: one of two digests has no + to be lost, and one of four no
 * character that differs in URLs.
 */
const MAX_NUDGES = 20

/** Returns a signature with the causes of the original; null without any known mistake. */
export function signAlike({ before, after, depth, words }: AlikeInput): AlikeSignature | null {
  const explained = explainAny(before, depth)
  if (explained === null) return null
  const { index, diagnosis, explanation } = explained
  const [old, next] = [before[index], after[index]]
  if (old === undefined || next === undefined) return null
  const causes = diagnosis?.causes ?? []
  for (const timestamp of nudged(next.timestamp)) {
    const [moved, inputs] = [{ ...next, timestamp }, after.map((one) => ({ ...one, timestamp }))]
    const candidates =
      explanation === null ? damagedLike(old, moved) : mistakenLike(explanation, old, moved, words)
    for (const signature of candidates) {
      const compared = inputs.map((input) => ({ ...input, received: signature }))
      const again = diagnoseAny(compared, depth)?.diagnosis.causes ?? []
      if (again.join(' ') === causes.join(' '))
        return { index, causes, signed: { signature, timestamp } }
    }
    if (!causes.some((cause) => cause.startsWith('encoding:'))) break
  }
  return { index, causes, signed: null }
}

/** Yields a timestamp, then later ones in milliseconds. */
function* nudged(timestamp: string): Generator<string> {
  yield timestamp
  if (!/^\d{13}$/.test(timestamp)) return
  for (let ms = 1; ms <= MAX_NUDGES; ms++) yield String(Number(timestamp) + ms)
}

function* mistakenLike(
  { tried, digest }: ExplainedMistakes,
  old: DiagnosisInput,
  next: UnsignedInput,
  words: AlikeInput['words'],
): Generator<string> {
  const { received } = old
  const readings = [{ digest, mistake: null }]
  const [ofOld, ofNext] = [old, { ...next, received }].map((input) =>
    collectMistakes(input, readings),
  )
  if (ofOld === undefined || ofNext === undefined) return
  const counterparts = tried.map((mistake) => counterpartsOf(mistake, ofOld, ofNext))
  if (counterparts.some(({ length }) => length === 0)) return
  const right = correctMethod(next)
  const most = Math.min(MAX_TRIES, Math.max(1, ...counterparts.map(({ length }) => length)))
  for (let index = 0; index < most; index++) {
    const chosen = counterparts.map((all) => all[Math.min(index, all.length - 1)]!)
    const method = withMistakes(right, chosen)
    const result = finalDigest(method.passes, firstPassOf(method), method.key)
    const text = respellDigest(
      received,
      digest,
      Buffer.from(result, 'base64'),
      (word) => words[word] ?? 'x'.repeat(word.length),
    )
    if (text !== null) yield text
  }
}

const causesOf = ({ causes }: TriedMistake) => causes.join(' ')
const nameOf = ({ part, how, what, ...mistake }: TriedMistake) =>
  `${part} ${how ?? what} ${causesOf({ part, what, ...mistake })}`

/** Returns the mistakes of the same name, the one at the same place first, then of its causes. */
function counterpartsOf(
  mistake: TriedMistake,
  ofOld: TriedMistakes,
  ofNext: TriedMistakes,
): TriedMistake[] {
  const isSingle = ofOld.singles.some(({ id }) => id === mistake.id)
  const listOf = (mistakes: TriedMistakes) => (isSingle ? mistakes.singles : mistakes.pairs())
  const name = nameOf(mistake)
  const place = listOf(ofOld)
    .filter((other) => nameOf(other) === name)
    .findIndex(({ id }) => id === mistake.id)
  const alike = listOf(ofNext).filter(
    (other) => other.part === mistake.part && causesOf(other) === causesOf(mistake),
  )
  const named = alike.filter((other) => nameOf(other) === name)
  const first = named[place] ?? named[0]
  return first === undefined
    ? alike
    : [first, ...[...named, ...alike].filter((one) => one !== first)]
}

/** Yields signatures that are cut, or in another case, like the original. */
function* damagedLike(old: DiagnosisInput, next: UnsignedInput): Generator<string> {
  const { received } = old
  const [right, changed] = [signDelivery(old), signDelivery(next)]
  const forms = ({ signature, inner }: Signature) => [
    signature,
    Buffer.from(signature, 'base64').toString('hex'),
    inner,
  ]
  const after = forms(changed)
  for (const [index, form] of forms(right).entries())
    if (form.startsWith(received)) yield (after[index] ?? '').slice(0, received.length)
  const { signature } = changed
  if (received === received.toLowerCase()) yield signature.toLowerCase()
  else if (received === received.toUpperCase()) yield signature.toUpperCase()
  else
    yield signature.replaceAll(/[a-z]/gi, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
}
