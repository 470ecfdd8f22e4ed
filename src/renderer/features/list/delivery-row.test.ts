/** What a row of the list shows, as text in the order of its cells. */
import { createElement } from 'react'
import { expect, test } from 'vitest'
import { handlerResponseOf, lastReplayOf } from '../../../../test/support/model-values.ts'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { layoutOf } from './column-layout.ts'
import { COLUMNS } from './columns.tsx'
import { cellsOf, DeliveryRowView } from './delivery-row.tsx'

const WIDE = 1_372
const BESIDE_A_DELIVERY = 676

/** The texts of a row's cells in a list of this width; the parts of a cell are separated by a space. */
function textsOf(changes: Partial<DeliveryRow>, room = WIDE): string[] {
  const { columns } = layoutOf(COLUMNS, [], room)
  const row = createElement(DeliveryRowView, {
    row: deliveryRow(1, changes),
    columns,
    index: 0,
    top: 0,
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

test('a row has amount and merchant, what is wrong, where it comes from, and the last response of my handler', () => {
  const cells = textsOf({
    verdict: 'invalid',
    event: 'transaction.auth',
    amount: '36.90',
    currency: 'GBP',
    merchant: 'Harbour Coffee',
    schemaErrors: 3,
    schema: 'issues',
    cause: 'url:trailing-slash',
    flowRun: { flow: 'purchase-visa', run: 'r', step: null },
    origin: 'imported',
    handler,
    lastReplay: lastReplayOf(),
  })
  expect(cells).toEqual([
    'Invalid',
    expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}$/) as string,
    'transaction.auth',
    '36.90 GBP',
    'Harbour Coffee',
    '/h/a',
    'Trailing slash 3 3 schema errors Replay failed',
    'Imported purchase-visa',
    '200',
    expect.stringMatching(/^200 , .+ 12 ms$/) as string,
    '2 B',
  ])
})

test('a handler that never responded has no time of response', () => {
  const cells = textsOf({ handler: { ...handler, status: null, ms: 20_001, timedOut: true } })
  expect(cells.at(-2)).toMatch(/^No response , [^\d]*$/)
})

test('beside a delivery, a row still has each issue, for pointers and screen readers, and the status of my handler', () => {
  const cells = textsOf(
    { verdict: 'invalid', cause: 'url:trailing-slash', schemaErrors: 3, handler },
    BESIDE_A_DELIVERY,
  )
  expect(cells.slice(-2)).toEqual([
    'Trailing slash 3 schema errors',
    expect.stringMatching(/^200 , /) as string,
  ])
})

test('a malformed request has its reason, and its first bytes or its method and path', () => {
  const malformed = { reason: 'The request line has an invalid URL.' }
  const noRequest = { malformed, method: null, path: null, firstBytes: '160301c0' }
  expect(textsOf(noRequest)[2]).toBe('The request line has an invalid URL. First bytes 16 03 01 c0')
  expect(textsOf(noRequest, BESIDE_A_DELIVERY)[2]).toBe(
    'The request line has an invalid URL. First bytes 16 03 01 c0',
  )
  expect(textsOf({ ...noRequest, firstBytes: null })[2]).toBe(
    'The request line has an invalid URL.',
  )
  expect(
    textsOf({ malformed: { reason: 'The body stopped after 5 bytes.' }, path: '/h/auth' })[2],
  ).toBe('The body stopped after 5 bytes. Request POST /h/auth')
})

test('the context menu follows the drawn cells: a malformed reason and a long path cover their neighbors', () => {
  const { columns } = layoutOf(COLUMNS, [], WIDE)
  const drawn = (changes: Partial<DeliveryRow>) =>
    cellsOf(deliveryRow(1, changes), columns).map(({ id }) => id)
  expect(drawn({})).toEqual(columns.map(({ id }) => id))
  expect(drawn({ malformed: { reason: 'TLS handshake' }, note: 'x' })).toEqual([
    'signature',
    'time',
    'reason',
    'issues',
    'source',
    'responded',
    'handler',
    'size',
  ])
  expect(drawn({ path: '/webhooks/service/transaction-auth' }).slice(4)).toEqual([
    'merchant',
    'path',
    'responded',
    'handler',
    'size',
  ])
})
