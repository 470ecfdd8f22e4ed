import { createElement } from 'react'
import { expect, test } from 'vitest'
import { handlerResponseOf, lastReplayOf } from '../../../../test/support/model-values.ts'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { COLUMNS } from './columns.tsx'
import { Row } from './delivery-row.tsx'

/** Returns the texts of a row's cells, with a space between the parts of a cell. */
function textsOf(changes: Partial<DeliveryRow>): string[] {
  const row = createElement(Row, {
    row: deliveryRow(1, changes),
    columns: COLUMNS,
    index: 0,
    cursor: false,
    selected: false,
    picked: false,
    fresh: false,
    environments: [],
    onSelect: () => undefined,
  })
  return markupOf(openAskedWindow(), row)
    .split('<span role="gridcell"')
    .slice(1)
    .map((cell) => textOf(cell.replace(/^[^>]*>/, '')).trim())
}

const handler = handlerResponseOf({ status: 200 })

test('a row has amount, what is wrong with the delivery, the last response of your handler, merchant and path', () => {
  const cells = textsOf({
    verdict: 'invalid',
    event: 'transaction.auth',
    amount: '36.90',
    currency: 'GBP',
    merchant: 'Harbour Coffee',
    schemaErrors: 3,
    schema: 'issues',
    cause: 'url:trailing-slash',
    note: 'ask Nadia',
    handler,
    lastReplay: lastReplayOf(),
  })
  expect(cells).toEqual([
    'Invalid',
    expect.stringMatching(/^(\d+ \w+( \d{4})? \d\d:\d\d )?\d\d:\d\d:\d\d \.\d{3}$/),
    'transaction.auth Note: ask Nadia',
    '36.90 GBP',
    'Trailing slash 3 3 schema errors',
    expect.stringMatching(/^200 , /),
    'Harbour Coffee',
    '/h/a',
  ])
})

test('a handler that never responded has no status', () => {
  const cells = textsOf({ handler: { ...handler, status: null, ms: 20_001, timedOut: true } })
  expect(cells[5]).toMatch(/^No response , [^\d]*$/)
})

test('a malformed request has its reason and first bytes from event to path', () => {
  const malformed = { reason: 'The request line has an invalid URL.' }
  const cells = textsOf({ malformed, method: null, path: null, firstBytes: '160301c0' })
  expect(cells).toEqual([
    'Malformed',
    expect.stringMatching(/:\d\d/),
    `${malformed.reason} First bytes: 16 03 01 c0`,
  ])
})
