/** Deliveries and signatures with exactly the names that scripts depend on, in their documented order. */
import type { Delivery } from '../shared/model/delivery.ts'
import type { SignatureReport } from '../shared/model/signature.ts'

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
  'seq',
  'remote',
] as const satisfies readonly (keyof Delivery)[]

/** One object of `deliveries --json`. */
export function deliveryJson(delivery: Delivery): Record<string, unknown> {
  return Object.fromEntries(fields.map((name) => [name, delivery[name]]))
}

/** What `verify --json` prints, and `show --json` under `signature`. */
export function signatureJson(report: SignatureReport): Record<string, unknown> {
  const { verdict, freshness, url, timestamp, received, expected, inner, diagnosis } = report
  return { verdict, freshness, url, timestamp, received, expected, inner, diagnosis }
}
