import { expect, test } from 'vitest'
import { headerTime } from './headers-tab.tsx'

test('only the timestamp header is shown as a time, under any prefix', () => {
  const receivedAt = '2026-11-20T13:37:05.000Z'
  const ms = String(Date.parse('2026-11-20T13:37:00.000Z'))
  expect(headerTime('x-service-timestamp', ms, receivedAt)).toBe(
    '2026-11-20 13:37:00.000 UTC · 5.0 s before receipt',
  )
  expect(headerTime('X-Acme-Timestamp', String(Date.parse(receivedAt)), receivedAt)).toMatch(
    /at receipt$/,
  )
  expect(headerTime('x-service-timestamp', 'soon', receivedAt)).toBe(null)
  expect(headerTime('x-service-timestamp', '9'.repeat(20), receivedAt)).toBe(null)
  expect(headerTime('x-service-timestamp', ms.slice(0, 10), receivedAt)).toBe(
    'in seconds, not milliseconds',
  )
  expect(headerTime('x-service-timestamp', receivedAt, receivedAt)).toBe(
    'an ISO 8601 date, not milliseconds',
  )
  expect(headerTime('content-length', ms, receivedAt)).toBe(null)
})
