/** A signature explained: the recipe with each intermediate value (section 5.2). Pure; the caller finds secrets and bytes. */
import type { KeyObject } from 'node:crypto'
import type { Freshness, Verdict } from '../../shared/model/delivery.ts'
import type { Diagnosis, SignatureReport, ComputedDigest } from '../../shared/model/signature.ts'
import { timestampUnit } from '../../shared/service/timestamp-unit.ts'
import { parseTimestamp } from './verify.ts'
import { signDelivery } from './sign.ts'
import { counted } from '../../shared/counted.ts'
import { readDigest } from './diagnosis/readings.ts'

/** Index of the first character that differs; the shorter length where one is the beginning of the other; null where equal. */
function firstTextDifference(left: string, right: string): number | null {
  if (left === right) return null
  let index = 0
  while (index < left.length && index < right.length && left[index] === right[index]) index++
  return index
}

interface ReportInput {
  readonly verdict: Verdict
  readonly verifiedHere: boolean
  readonly freshness: Freshness
  readonly body: Uint8Array
  /** Whether `body` is all that was received: over half a body there is nothing to compute. */
  readonly isWhole: boolean
  readonly timestamp: string | null
  readonly received: string | null
  readonly inTrailer?: SignatureReport['inTrailer']
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  /** The hook whose secret the expected signature is made with; null where none is known. */
  readonly hook: { readonly id: string | null; readonly url: string; readonly key: KeyObject; readonly secretHint: string } | null
  readonly diagnosis: Diagnosis | null
}

/** A valid signature says nothing of its timestamp's unit, and a timestamp in seconds looks fifty years old: the unit is named. */
function diagnoseUnit(timestamp: string | null): Diagnosis | null {
  const unit = timestampUnit(timestamp)
  if (unit === null) return null
  return {
    cause: unit.cause,
    causes: [unit.cause],
    message: `Timestamp is ${unit.text}; the service sends ${unit.expected}.`,
    fix: 'Send the timestamp header in milliseconds since the epoch, and sign exactly that text.',
  }
}

/** A mistake that explains an invalid signature, and beside it the timestamp's wrong unit: a sender has to fix both. */
function withUnit(diagnosis: Diagnosis | null, unit: Diagnosis | null): Diagnosis | null {
  if (diagnosis === null || unit === null) return diagnosis
  return {
    cause: diagnosis.cause,
    causes: [...new Set([...diagnosis.causes, unit.cause])],
    message: `${diagnosis.message} ${unit.message}`,
    fix: `${diagnosis.fix} ${unit.fix}`,
  }
}

export function createReport(input: ReportInput): SignatureReport {
  const { hook, timestamp, received } = input
  const signature =
    hook === null || timestamp === null || !input.isWhole
      ? null
      : signDelivery({ body: input.body, url: hook.url, timestamp, key: hook.key })
  const unit = diagnoseUnit(timestamp)
  const signedAt = unit === null ? parseTimestamp(timestamp) : null
  return {
    verdict: input.verdict,
    verifiedHere: input.verifiedHere,
    freshness: input.freshness,
    url: hook?.url ?? null,
    timestamp,
    ageMs: signedAt === null ? null : input.receivedAt - signedAt,
    received,
    expected: signature?.signature ?? null,
    inner: signature?.inner ?? null,
    bodySize: input.body.length,
    firstDifference: received === null || signature === null ? null : firstTextDifference(received, signature.signature),
    hookId: hook?.id ?? null,
    inTrailer: input.inTrailer ?? [],
    secretHint: hook?.secretHint ?? null,
    diagnosis: input.verdict === 'valid' ? unit : withUnit(input.diagnosis, unit),
  }
}

interface ComputedInput {
  /** As it was pasted, without white space around it. */
  readonly computed: string
  readonly expected: string
  readonly received: string | null
  /** Which mistakes make `computed`; null where none are known, or it is right. */
  readonly diagnosis: Diagnosis | null
}

const compare =
  'If your code refuses the delivery all the same, its comparison is wrong: compare this text, in Base-64, with the value of the signature header and nothing around it, byte by byte.'

/** What to say of a digest that somebody's own code computed for a delivery: whether it is right, and what is to be mended where it is not. */
export function judgeComputed({ computed, expected, received, diagnosis }: ComputedInput): ComputedDigest {
  const isReceived = computed === received
  const rest = { digest: computed, isReceived, firstDifference: firstTextDifference(computed, expected), diagnosis }
  if (computed === expected) {
    return isReceived || received === null
      ? { ...rest, outcome: 'right', message: 'This is exactly the right signature.', fix: compare }
      : {
          ...rest,
          outcome: 'right',
          message: 'This is exactly the right signature. What came is another one.',
          fix: 'Your code is right to refuse this delivery: the mistake is the sender’s.',
        }
  }
  if (diagnosis !== null) {
    const same = isReceived ? ' It is also exactly what came: your code and the sender make the same mistake.' : ''
    return { ...rest, outcome: 'explained', message: diagnosis.message + same, fix: diagnosis.fix }
  }
  if (readDigest(computed).length === 0) {
    return {
      ...rest,
      outcome: 'unexplained',
      message: `This is not the whole of a digest: it has ${counted(computed.length, 'character')}, a signature has 44 of Base-64.`,
      fix: 'Print what your code compares with the signature header, and paste all of it.',
    }
  }
  return {
    ...rest,
    outcome: 'unexplained',
    message: 'No known mistake makes this digest.',
    fix: 'Print what your code hashes, byte by byte, and compare it with the three parts above; then compare the secret that it uses with the one of this hook.',
  }
}
