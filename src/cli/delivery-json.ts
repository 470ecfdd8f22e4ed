/** Deliveries and signatures as JSON; scripts depend on the names and their order. */
import type { Delivery } from '../shared/model/delivery.ts'
import type { Diagnosis, SignatureReport, SignatureTrial } from '../shared/model/signature.ts'

/** The documented order; the type requires every field. */
const fields: Readonly<Record<keyof Delivery, true>> = {
  id: true,
  receivedAt: true,
  method: true,
  path: true,
  malformed: true,
  httpVersion: true,
  headers: true,
  bodySize: true,
  bodySha256: true,
  truncated: true,
  event: true,
  eventSource: true,
  eventCandidates: true,
  hookId: true,
  environment: true,
  mode: true,
  verdict: true,
  freshness: true,
  attempt: true,
  attemptOf: true,
  duplicateOf: true,
  schema: true,
  answer: true,
  replayOf: true,
  origin: true,
  verifiedHere: true,
  handler: true,
  flowRun: true,
  pinned: true,
  note: true,
  seq: true,
  remote: true,
  trailers: true,
  bodyLost: true,
  bodyAltered: true,
  judgedAt: true,
  amount: true,
  currency: true,
  merchant: true,
  last4: true,
  schemaErrors: true,
  cause: true,
  signatureAgeMs: true,
  firstBytes: true,
  lastReplay: true,
  response: true,
}

export function deliveryJson(delivery: Delivery): Record<string, unknown> {
  return Object.fromEntries(
    (Object.keys(fields) as (keyof Delivery)[]).map((name) => [name, delivery[name]]),
  )
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
