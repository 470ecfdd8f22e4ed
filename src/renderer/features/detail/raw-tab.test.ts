import { createElement } from 'react'
import { expect, test } from 'vitest'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { BLANK_DELIVERY, type Delivery } from '../../../shared/model/delivery.ts'
import { RawTab } from './raw-tab.tsx'
import { headerTime } from './headers-tab.tsx'

function responseOf(changes: Partial<Delivery>): string {
  const window = openAskedWindow()
  window.store.setState((state) => ({ detail: { ...state.detail, rawSide: 'response' } }))
  const shown = { delivery: { ...BLANK_DELIVERY, ...changes } } as never
  return textOf(markupOf(window, createElement(RawTab, { shown })))
}

const ok = { status: 200, headers: [], body: '', truncated: false }

test.each<[string, Partial<Delivery>, string]>([
  [
    'an older delivery',
    { response: null, answer: { status: 200, ms: 4 } },
    'Responded 200 in 4.0 ms Not recorded. Received by an earlier version of Countersign.',
  ],
  [
    'a response that is delayed or held',
    { response: null, answer: { status: null, ms: null } },
    ' No response yet Delayed, held, or stopped before it was sent.',
  ],
  [
    'a file without the response',
    { response: null, origin: 'imported', answer: { status: 200, ms: null } },
    "Not recorded. The imported file doesn't include the response.",
  ],
  [
    'a dropped connection',
    { response: { ...ok, status: null }, answer: { status: null, ms: 9 } },
    ' Connection dropped in 9.0 ms No response: the connection was dropped.',
  ],
  [
    'an empty response',
    { response: ok, answer: { status: 200, ms: 4 } },
    'Body 0 B Headers 0 Empty body.',
  ],
  [
    'a body',
    { response: { ...ok, body: btoa('{"a":1}') }, answer: { status: 500, ms: 4 } },
    'Responded 500 in 4.0 ms Body 7 B Headers 0',
  ],
  [
    'a body whose end is not kept',
    { response: { ...ok, body: btoa('{"a'), truncated: true } },
    'Body (first 3 B) Headers 0',
  ],
])('%s is shown as such', (_, changes, words) => {
  expect(responseOf(changes)).toContain(words)
})

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
