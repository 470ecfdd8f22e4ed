/** Deliveries and signatures with exactly the names that scripts depend on, in their documented order. */
import type { Delivery } from '../shared/model/delivery.ts'
import type { Diagnosis, SignatureReport, SignatureTrial } from '../shared/model/signature.ts'

const fields = [
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
  'pinned',
  'note',
  'colour',
  'seq',
  'remote',
  'trailers',
] as const satisfies readonly (keyof Delivery)[]

/** One object of `deliveries --json`. */
export function deliveryJson(delivery: Delivery): Record<string, unknown> {
  return Object.fromEntries(fields.map((name) => [name, delivery[name]]))
}

/** What `verify --json` prints, and `show --json` under `signature`. */
export function signatureJson(report: SignatureReport): Record<string, unknown> {
  const { verdict, verifiedHere, freshness, url, timestamp, received, expected, inner, diagnosis } = report
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

/** The three fields that are fixed for scripts; `causes` stands there only where there are several. */
function diagnosisJson(diagnosis: Diagnosis | null): Record<string, unknown> | null {
  if (diagnosis === null) return null
  const { cause, causes, message, fix } = diagnosis
  return { cause, message, fix, ...(causes.length > 1 ? { causes } : {}) }
}

/** The object of `verify --json`, with what `--computed` adds. */
export function trialJson({ report, computed }: SignatureTrial): Record<string, unknown> {
  if (computed === null) return signatureJson(report)
  const { digest, outcome, isReceived, firstDifference, message, fix, diagnosis } = computed
  return {
    ...signatureJson(report),
    computed: { digest, outcome, isReceived, firstDifference, message, fix, cause: diagnosis?.cause ?? null },
  }
}
