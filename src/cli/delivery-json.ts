/** Deliveries and signatures as JSON; scripts depend on the names and their order. */
import { BLANK_DELIVERY, type Delivery } from '../shared/model/delivery.ts'
import type { Diagnosis, SignatureReport, SignatureTrial } from '../shared/model/signature.ts'

/** The documented order. A field that isn't here follows. */
const ORDER: readonly (keyof Delivery)[] = [
  'id',
  'receivedAt',
  'method',
  'path',
  'malformed',
  'httpVersion',
  'headers',
  'bodySize',
  'bodySha256',
  'truncated',
  'event',
  'eventSource',
  'eventCandidates',
  'hookId',
  'environment',
  'mode',
  'verdict',
  'freshness',
  'attempt',
  'attemptOf',
  'duplicateOf',
  'schema',
  'answer',
  'replayOf',
  'origin',
  'verifiedHere',
  'handler',
  'flowRun',
  'pinned',
  'note',
  'seq',
  'remote',
  'trailers',
  'bodyLost',
  'bodyAltered',
  'judgedAt',
  'amount',
  'currency',
  'merchant',
  'last4',
  'schemaErrors',
  'cause',
  'signatureAgeMs',
  'firstBytes',
  'lastReplay',
  'response',
]
const FIELDS = [...new Set([...ORDER, ...(Object.keys(BLANK_DELIVERY) as (keyof Delivery)[])])]

export function deliveryJson(delivery: Delivery): Record<string, unknown> {
  return Object.fromEntries(FIELDS.map((name) => [name, delivery[name]]))
}

/** The object of `verify --json`, and of `signature` in `show --json`. */
export function signatureJson(report: SignatureReport): Record<string, unknown> {
  const { verdict, verifiedHere, freshness, url, timestamp, received, expected, inner, diagnosis } =
    report
  return {
    verdict,
    freshness,
    url,
    timestamp,
    received,
    expected,
    inner,
    diagnosis: diagnosisJson(diagnosis),
    verifiedHere,
    ...(report.inTrailer.length > 0 ? { inTrailer: true } : {}),
  }
}

/** `causes` only if there are several. */
function diagnosisJson(diagnosis: Diagnosis | null): Record<string, unknown> | null {
  if (diagnosis === null) return null
  const { cause, causes, message, fix } = diagnosis
  return { cause, message, fix, ...(causes.length > 1 ? { causes } : {}) }
}

export function trialJson({ report, computed }: SignatureTrial): Record<string, unknown> {
  if (computed === null) return signatureJson(report)
  const { digest, outcome, isReceived, firstDifference, message, fix, diagnosis } = computed
  return {
    ...signatureJson(report),
    computed: {
      digest,
      outcome,
      isReceived,
      firstDifference,
      message,
      fix,
      cause: diagnosis?.cause ?? null,
    },
  }
}
