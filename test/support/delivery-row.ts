/** A delivery row for tests: by default valid, fresh and with a response. */
import type { DeliveryRow } from '../../src/shared/model/delivery.ts'

export function deliveryRow(seq: number, overrides: Partial<DeliveryRow> = {}): DeliveryRow {
  return {
    seq,
    id: `id-${seq}`,
    receivedAt: '2026-11-21T10:00:00.000Z',
    method: 'POST',
    path: '/h/a',
    malformed: null,
    bodySize: 2,
    truncated: false,
    event: 'card.linked',
    eventSource: 'hook',
    eventCandidates: [],
    hookId: 'h',
    environment: 'sandbox-test',
    mode: 'test',
    verdict: 'valid',
    freshness: 'fresh',
    attempt: 1,
    attemptOf: null,
    duplicateOf: null,
    schema: 'ok',
    answer: { status: 200, ms: 1 },
    origin: 'received',
    verifiedHere: true,
    handler: null,
    flowRun: null,
    pinned: false,
    note: null,
    colour: null,
    ...overrides,
  }
}
