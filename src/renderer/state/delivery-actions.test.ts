import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAskedClient } from '../../../test/support/asked-client.ts'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import { NO_CAPABILITIES } from '../../shared/contract/native.ts'
import { BLANK_DELIVERY } from '../../shared/model/delivery.ts'
import { createFilter } from '../../shared/query/matches.ts'
import { readQuery } from '../../shared/query/parse.ts'
import { negated } from '../../shared/query/terms.ts'
import { actionGroups, deliveryActions, deliveryKeys, deliveryPalette, rowValue } from './delivery-actions.ts'
import { createStore } from './store.ts'

// Test files share a process, and others read the real navigator.
afterEach(() => {
  vi.unstubAllGlobals()
})

beforeEach(() => {
  vi.stubGlobal('location', { hash: '' })
})

function start() {
  const core = createAskedClient()
  const store = createStore({ client: core.client, capabilities: NO_CAPABILITIES, notify: vi.fn() })
  return { core, store, state: store.getState }
}

const labels = (state: ReturnType<typeof start>['state'], ...rows: readonly ReturnType<typeof deliveryRow>[]) =>
  actionGroups(state(), rows).map((group) => group.map(({ label }) => label))

test('the menu offers what applies to the deliveries', () => {
  const { state } = start()
  expect(labels(state, deliveryRow(1))).toEqual([
    ['Open', 'Replay', 'Replay with changes…', 'Compare with previous', 'Shrink body…'],
    ['Copy ID', 'Copy body', 'Copy as cURL (re-signed)', 'Copy as Markdown', 'Export…'],
    ['Pin', 'Add note…', 'Delete'],
  ])
  expect(labels(state, deliveryRow(1, { malformed: { reason: 'No request' }, bodySize: 0, pinned: true, note: 'x' }))).toEqual([
    ['Open'],
    ['Copy ID', 'Copy as Markdown', 'Export…'],
    ['Unpin', 'Edit note…', 'Delete'],
  ])
  expect(labels(state, deliveryRow(1), deliveryRow(2))).toEqual([
    ['Replay 2 deliveries', 'Replay with changes…'],
    ['Copy IDs', 'Export…'],
    ['Pin', 'Add note…', 'Delete 2 deliveries'],
  ])
})

test('keys and palette come from the same table and act on the selection', () => {
  const { core, store, state } = start()
  const keyed = deliveryActions.flatMap(({ key }) => (key === null ? [] : [key]))
  expect(Object.keys(deliveryKeys).toSorted()).toEqual(keyed.toSorted())
  state().selection.toggle(deliveryRow(7))
  const palette = deliveryPalette(state(), '').map(({ label }) => label)
  expect(palette).toEqual(labels(state, deliveryRow(7)).flat())
  expect(deliveryPalette(state(), 'filter').find(({ label }) => label === 'Exclude this path')?.note).toBe('/h/a')
  expect(deliveryKeys.pin(store)).toBe(true)
  expect(core.next('marks.set').input).toEqual({ ids: ['id-7'], marks: { pinned: true } })
  expect(deliveryKeys['compare-previous'](store)).toBe(true)
  expect(core.next('compare.neighbour').input).toEqual({ deliveryId: 'id-7', by: -1 })
})

test("the term of each cell finds its row again, and excluding it doesn't", () => {
  const row = deliveryRow(1, {
    receivedAt: '2026-11-23T14:31:52.341Z',
    path: '/h/a b',
    amount: '36.90',
    currency: 'GBP',
    merchant: 'Harbour "Coffee" & Söhne',
    schema: 'issues',
    origin: 'imported',
    handler: {
      name: 'local',
      target: 'http://a',
      sendId: 's',
      at: null,
      status: 401,
      ms: 5,
      timedOut: false,
      signed: true,
      outcome: 'failing',
    },
  })
  const body = new TextEncoder().encode(JSON.stringify({ amount: 36.9, location: { name: row.merchant } }))
  const finds = (query: string) =>
    createFilter(readQuery(query, { now: 0, hooks: [] }))({ ...BLANK_DELIVERY, ...row, bodySize: 2, body })
  for (const column of [
    'signature',
    'time',
    'event',
    'amount',
    'merchant',
    'path',
    'issues',
    'source',
    'responded',
    'handler',
    'size',
  ]) {
    const term = rowValue(row, column)?.term ?? ''
    expect(finds(term), `${column}: ${term}`).toBe(true)
    expect(finds(negated(term)), `${column}: -${term}`).toBe(false)
  }
})

test('Markdown is copied with masked headers, body and cause', async () => {
  const { core, state } = start()
  const writeText = vi.fn<(text: string) => Promise<void>>().mockResolvedValue(undefined)
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  const done = state().menu.copyMarkdown(deliveryRow(1, { verdict: 'invalid' }))
  expect(core.asked.find(({ command }) => command === 'deliveries.get')?.input).toEqual({ id: 'id-1', masked: true })
  await core
    .next('deliveries.get')
    .answer({ ...BLANK_DELIVERY, verdict: 'invalid', bodySize: 2, headers: [['X-Key', '[masked]']] })
  await core.next('deliveries.signature').refuse(new Error('gone'))
  await core.next('deliveries.body').answer({ offset: 0, size: 2, base64: btoa('s3') })
  await core.next('deliveries.body').answer({ offset: 2, size: 2, base64: '' })
  expect(core.asked[0]?.input).toEqual({ ids: ['id-1'], texts: ['s3', '', ''] })
  await core.next('exchange.mask').answer({ texts: ['[masked]', '', ''] })
  await done
  expect(writeText.mock.calls[0]?.[0]).toMatch(/X-Key: \[masked\]\n```\n\n```json\n\[masked\]\n```/)
})
