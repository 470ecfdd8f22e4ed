/** Deliveries and signatures with exactly the names that scripts depend on, in their documented order. */
import type { Delivery } from '../shared/model/delivery.ts'
import type { SignatureReport } from '../shared/model/signature.ts'

/** One object of `deliveries --json`. */
export function deliveryJson(delivery: Delivery): Record<string, unknown> {
  const { id, receivedAt, method, path, malformed, httpVersion, headers, bodySize, bodySha256, truncated } = delivery
  const { event, eventSource, eventCandidates, hookId, environment, mode, verdict, freshness } = delivery
  const { attempt, attemptOf, duplicateOf, schema, answer, replayOf, seq, remote } = delivery
  return {
    ...{ id, receivedAt, method, path, malformed, httpVersion, headers, bodySize, bodySha256, truncated },
    ...{ event, eventSource, eventCandidates, hookId, environment, mode, verdict, freshness },
    ...{ attempt, attemptOf, duplicateOf, schema, answer, replayOf, seq, remote },
  }
}

/** What `verify --json` prints, and `show --json` under `signature`. */
export function signatureJson(report: SignatureReport): Record<string, unknown> {
  const { verdict, freshness, url, timestamp, received, expected, inner, diagnosis } = report
  return { verdict, freshness, url, timestamp, received, expected, inner, diagnosis }
}
