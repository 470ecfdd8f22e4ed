/** Explains a signature with each intermediate value (section 5.2). */
import type { KeyObject } from 'node:crypto'
import type { Freshness, Verdict } from '../../shared/model/delivery.ts'
import type { Diagnosis, SignatureReport, ComputedDigest } from '../../shared/model/signature.ts'
import { timestampUnit } from '../../shared/service/timestamp-unit.ts'
import { parseTimestamp } from './verify.ts'
import { signDelivery } from './sign.ts'
import { counted } from '../../shared/text/english.ts'
import { readDigest } from './diagnosis/digest-readings.ts'

interface ReportInput {
  readonly verdict: Verdict
  readonly verifiedHere: boolean
  readonly freshness: Freshness
  readonly body: Uint8Array
  /** Whether `body` is complete, so that it can be verified. */
  readonly isWhole: boolean
  readonly timestamp: string | null
  readonly received: string | null
  readonly inTrailer?: SignatureReport['inTrailer']
  readonly hookInferred?: boolean
  readonly unknownPrefix?: SignatureReport['unknownPrefix']
  /** Time of receipt in milliseconds since the epoch. */
  readonly receivedAt: number
  /** Hook with the expected secret; null if unknown. */
  readonly hook: {
    readonly id: string | null
    readonly event: string | null
    readonly isDeleted: boolean
    readonly url: string
    readonly key: KeyObject
    readonly secretHint: string
  } | null
  readonly diagnosis: Diagnosis | null
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
    ageMs: signedAt === null || input.freshness === 'unknown' ? null : input.receivedAt - signedAt,
    received,
    expected: signature?.signature ?? null,
    inner: signature?.inner ?? null,
    bodySize: input.body.length,
    firstDifference:
      received === null || signature === null
        ? null
        : firstTextDifference(received, signature.signature),
    hookId: hook?.id ?? null,
    hookEvent: hook?.event ?? null,
    hookDeleted: hook?.isDeleted ?? false,
    hookInferred: input.hookInferred ?? false,
    inTrailer: input.inTrailer ?? [],
    secretHint: hook?.secretHint ?? null,
    unknownPrefix: input.verdict === 'unsigned' ? (input.unknownPrefix ?? null) : null,
    diagnosis: input.verdict === 'valid' ? unit : withUnit(input.diagnosis, unit),
  }
}

export function conflictDiagnosis(header: 'signature' | 'timestamp'): Diagnosis {
  const cause = header === 'signature' ? 'encoding:several' : 'timestamp:several'
  return {
    cause,
    causes: [cause],
    message: `The ${header} header has several different values.`,
    fix: `Send the ${header} header once. If a proxy adds another, remove that.`,
    signedUrl: null,
  }
}

interface ComputedInput {
  /** Digest as pasted, without surrounding whitespace. */
  readonly computed: string
  readonly expected: string
  readonly received: string | null
  /** Mistakes that produce `computed`, if known. */
  readonly diagnosis: Diagnosis | null
}

const COMPARISON_FIX =
  'If your code still rejects the delivery, its comparison is wrong. Compare this Base64 text with the value of the signature header byte by byte.'

export function judgeComputed({
  computed,
  expected,
  received,
  diagnosis,
}: ComputedInput): ComputedDigest {
  const isReceived = computed === received
  const rest = {
    digest: computed,
    isReceived,
    firstDifference: firstTextDifference(computed, expected),
    diagnosis,
  }
  if (computed === expected) {
    return isReceived || received === null
      ? {
          ...rest,
          outcome: 'right',
          message: 'This is the correct signature.',
          fix: COMPARISON_FIX,
        }
      : {
          ...rest,
          outcome: 'right',
          message: 'This is the correct signature. The delivery has a different one.',
          fix: 'Your code is right to reject this. The sender signed it incorrectly.',
        }
  }
  if (diagnosis !== null) {
    const sameMistake = isReceived
      ? ' It also equals the received signature: your code and the sender make the same mistake.'
      : ''
    return {
      ...rest,
      outcome: 'explained',
      message: diagnosis.message + sameMistake,
      fix: diagnosis.fix,
    }
  }
  if (readDigest(computed).length === 0) {
    return {
      ...rest,
      outcome: 'unexplained',
      message: `Incomplete digest: ${counted(computed.length, 'character')}. A Base64 signature has 44.`,
      fix: 'Print what your code compares with the signature header, and paste all of it.',
    }
  }
  return {
    ...rest,
    outcome: 'unexplained',
    message: 'No known mistake produces this digest.',
    fix: "If the digest is from a replay, replay with the original timestamp. Otherwise compare the bytes that your code hashes with the body, the URL and the timestamp, then its secret with this hook's.",
  }
}

function firstTextDifference(left: string, right: string): number | null {
  if (left === right) return null
  let index = 0
  while (index < left.length && index < right.length && left[index] === right[index]) index++
  return index
}

function diagnoseUnit(timestamp: string | null): Diagnosis | null {
  const unit = timestampUnit(timestamp)
  if (unit === null) return null
  return {
    cause: unit.cause,
    causes: [unit.cause],
    message: `Timestamp is ${unit.text}; the service sends ${unit.expected}.`,
    fix: 'Send the timestamp header in milliseconds since the epoch, and sign exactly that text.',
    signedUrl: null,
  }
}

/** Adds the timestamp's wrong unit to another mistake. */
function withUnit(diagnosis: Diagnosis | null, unit: Diagnosis | null): Diagnosis | null {
  if (diagnosis === null || unit === null) return diagnosis
  return {
    cause: diagnosis.cause,
    causes: [...new Set([...diagnosis.causes, unit.cause])],
    message: `${diagnosis.message} ${unit.message}`,
    fix: `${diagnosis.fix} ${unit.fix}`,
    signedUrl: diagnosis.signedUrl,
  }
}
