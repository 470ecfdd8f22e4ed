import { createElement } from 'react'
import { expect, test } from 'vitest'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { BLANK_DELIVERY } from '../../../shared/model/delivery.ts'
import type { Attempt, Lifecycle } from '../../../shared/model/lifecycle.ts'
import type { Send } from '../../../shared/model/send.ts'
import { HistoryTab } from './history-tab.tsx'
import { sendOf } from '../../../../test/support/model-values.ts'
import type { DeliveryView } from './use-delivery.ts'

const row = deliveryRow(1, { event: 'transaction.auth', receivedAt: '2026-11-21T10:00:00.000Z' })
const shown = { delivery: { ...BLANK_DELIVERY, ...row }, attempts: [] } as never as DeliveryView
const none: Lifecycle = {
  kind: 'none',
  objectId: null,
  now: row.receivedAt,
  stages: [],
  missing: [],
  findings: [],
  related: [],
  isCut: false,
  unlinked: null,
}
const send = (part: Partial<Send>): Send => sendOf({ deliveryId: row.id, ...part })
const attempt = (part: Partial<Attempt>): Attempt => ({
  row,
  gapMs: null,
  expectedGapMs: null,
  message: 'Acknowledged. No retry expected.',
  checks: [],
  ...part,
})

function historyOf({
  lifecycle = none,
  attempts = [attempt({})],
  sends = [],
}: {
  readonly lifecycle?: Lifecycle
  readonly attempts?: readonly Attempt[]
  readonly sends?: readonly Send[]
}): string {
  const window = openAskedWindow()
  window.know('lifecycle.get', { deliveryId: row.id }, lifecycle)
  window.know('lifecycle.attempts', { deliveryId: row.id }, { attempts: [...attempts] })
  window.know('replay.ofDelivery', { id: row.id, limit: 200 }, { sends: [...sends] })
  return textOf(markupOf(window, createElement(HistoryTab, { shown })))
}

test('a single delivery without a lifecycle is one event', () => {
  const text = historyOf({})
  expect(text).toMatch(/transaction\.auth.*this delivery.*Acknowledged\. No retry expected\./)
  expect(text).toContain('No replays yet.')
  expect(text).not.toContain('Delivered')
})

test('attempts are on one timeline with their gap and what should differ', () => {
  const second = deliveryRow(2, { attempt: 2, receivedAt: '2026-11-21T10:01:00.000Z' })
  const text = historyOf({
    attempts: [
      attempt({ message: 'Responded 500: failed.' }),
      attempt({
        row: second,
        gapMs: 60_000,
        expectedGapMs: 60_000,
        message: 'Retried after 1 min, as expected.',
        checks: [{ what: 'signature', must: 'differ', holds: false, message: 'Same signature.' }],
      }),
    ],
  })
  expect(text).toMatch(/Delivered twice\..*Responded 500.*\+ 1 min.*2nd attempt.*Same signature\./)
  expect(text).toContain('It must differ.')
})

test('replays follow in order, the newest open, pending ones counted', () => {
  const text = historyOf({
    sends: [
      send({ id: 'three', state: 'waiting', startedAt: null, status: null }),
      send({ id: 'two', startedAt: '2026-11-21T10:06:00.000Z', status: 500 }),
      send({}),
    ],
  })
  expect(text).toMatch(/this delivery.*Replay:.*21 Nov 2026 .*200.*Replay:.*500/)
  expect(text).toContain('1 replay pending')
})

test('the events of a purchase, the replay between them and a missing event are in order', () => {
  const clearing = deliveryRow(3, { receivedAt: '2026-11-23T10:00:00.000Z' })
  const stage = {
    part: 'purchase',
    amount: '10.00',
    currency: 'GBP',
    objectId: 'tx',
    happenedAt: null,
    status: null,
    offer: null,
    isProved: true,
  } as const
  const text = historyOf({
    lifecycle: {
      ...none,
      kind: 'purchase',
      objectId: 'tx',
      stages: [
        {
          ...stage,
          event: 'transaction.auth',
          name: 'Auth',
          receivedAt: row.receivedAt,
          deliveries: [row],
        },
        {
          ...stage,
          event: 'transaction.clearing',
          name: 'Clearing',
          receivedAt: clearing.receivedAt,
          deliveries: [clearing],
        },
      ],
      missing: [
        {
          part: 'refund',
          event: 'transaction.clearing',
          name: 'Refund clearing',
          from: null,
          to: null,
          isLate: true,
          message: 'No clearing of the refund yet.',
          fix: 'Wait.',
        },
      ],
    },
    sends: [send({ startedAt: '2026-11-22T10:00:00.000Z' })],
  })
  expect(text).toMatch(
    /Purchase.*No issues.*Auth 10\.00.*Replay:.*Clearing.*Refund clearing missing/,
  )
})

test('until everything is read, a placeholder is shown', () => {
  const markup = markupOf(openAskedWindow(), createElement(HistoryTab, { shown }))
  expect(markup).toContain('Loading history')
})
