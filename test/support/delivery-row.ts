/** Creates a delivery row for tests: by default valid, fresh and with a response. */
import {
  BLANK_DELIVERY,
  deliveryRowSchema,
  type DeliveryRow,
} from '../../src/shared/model/delivery.ts'
import type { StoredTarget } from '../../src/core/store/forward-targets.ts'

const BLANK_ROW = deliveryRowSchema.parse({ ...BLANK_DELIVERY, id: 'id' })

export function deliveryRow(seq: number, overrides: Partial<DeliveryRow> = {}): DeliveryRow {
  return {
    ...BLANK_ROW,
    seq,
    id: `id-${seq}`,
    receivedAt: '2026-11-21T10:00:00.000Z',
    method: 'POST',
    path: '/h/a',
    bodySize: 2,
    event: 'card.linked',
    eventSource: 'hook',
    hookId: 'h',
    environment: 'sandbox-test',
    mode: 'test',
    verdict: 'valid',
    freshness: 'fresh',
    schema: 'ok',
    answer: { status: 200, ms: 1 },
    ...overrides,
  }
}

export function storedTarget(settings: Partial<StoredTarget['settings']>): StoredTarget {
  return {
    id: 'target',
    createdAt: 0,
    paused: false,
    temporary: false,
    since: 0,
    settings: {
      name: 'one',
      on: true,
      url: 'http://127.0.0.1:1/',
      query: '',
      answer: 'rule',
      sign: 'as-received',
      registeredUrl: null,
      targetCa: null,
      handlerId: null,
      ...settings,
    },
  }
}
