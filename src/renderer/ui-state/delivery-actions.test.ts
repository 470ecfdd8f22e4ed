import { afterEach, expect, test, vi } from 'vitest'
import { handlerResponseOf, lastReplayOf } from '../../../test/support/model-values.ts'
import { openAskedWindow } from '../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import { BLANK_DELIVERY, type DeliveryRow } from '../../shared/model/delivery.ts'
import { negated } from '../../shared/query/edit-query.ts'
import { actionGroups, deliveryActions } from './delivery-actions.ts'
import { rowValue } from './row-values.ts'
import { deliveryPalette } from './delivery-palette.ts'
import { deliveryKeys } from './delivery-keys.ts'

// Test files share a process, and others read the real navigator.
afterEach(() => {
  vi.unstubAllGlobals()
})

const labels = (
  state: ReturnType<typeof openAskedWindow>['state'],
  ...rows: readonly ReturnType<typeof deliveryRow>[]
) => actionGroups(state(), rows).map((group) => group.map(({ label }) => label))

test('the menu offers what applies to the deliveries', () => {
  const { state } = openAskedWindow()
  expect(labels(state, deliveryRow(1))).toEqual([
    ['Open', 'Replay', 'Replay with changes…', 'Compare with previous'],
    [
      'Copy ID',
      'Copy body',
      'Copy as cURL (re-signed)',
      'Copy shrink command',
      'Copy as Markdown',
      'Export…',
      'Share…',
    ],
    ['Pin', 'Add note…', 'Delete'],
  ])
  expect(
    labels(
      state,
      deliveryRow(1, { malformed: { reason: 'No request' }, bodySize: 0, pinned: true, note: 'x' }),
    ),
  ).toEqual([
    ['Open'],
    ['Copy ID', 'Copy as Markdown', 'Export…', 'Share…'],
    ['Unpin', 'Edit note…', 'Delete'],
  ])
  expect(labels(state, deliveryRow(1), deliveryRow(2))).toEqual([
    ['Replay 2 deliveries', 'Replay with changes…'],
    ['Copy IDs', 'Export…', 'Share…'],
    ['Pin', 'Add note…', 'Delete 2 deliveries'],
  ])
})

test('keys and palette come from the same table and act on the selection', () => {
  const { core, store, state } = openAskedWindow()
  const keyed = deliveryActions.flatMap(({ key }) => (key === null ? [] : [key]))
  expect(Object.keys(deliveryKeys).toSorted()).toEqual(keyed.toSorted())
  state().selection.toggle(deliveryRow(7))
  const palette = deliveryPalette(state(), '').map(({ label }) => label)
  expect(palette).toEqual(labels(state, deliveryRow(7)).flat())
  expect(
    deliveryPalette(state(), 'filter').find(({ label }) => label === 'Exclude this path')?.note,
  ).toBe('/h/a')
  expect(deliveryKeys.pin(store)).toBe(true)
  expect(core.next('marks.set').input).toEqual({ ids: ['id-7'], marks: { pinned: true } })
  expect(deliveryKeys['compare-previous'](store)).toBe(true)
  expect(core.next('compare.neighbour').input).toEqual({ deliveryId: 'id-7', by: -1 })
})

const handler = handlerResponseOf({ target: 'http://a', status: 401 })
const lastReplay = lastReplayOf({ target: 'http://a' })

test.each([
  ['its saved handler', { handler, lastReplay }, ' --to @local'],
  [
    'an endpoint that is not saved',
    { handler: { ...handler, name: null, target: 'http://a/b?c' } },
    " --to 'http://a/b?c'",
  ],
  ['the endpoint of the last replay', { lastReplay }, ' --to http://a'],
  ['none, if nothing failed', { handler: { ...handler, outcome: 'rejected' } }, ''],
] as const)('the shrink command names the endpoint that failed: %s', async (_, part, to) => {
  const writeText = vi.fn(() => Promise.resolve())
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  const { state } = openAskedWindow()
  actionGroups(state(), [deliveryRow(7, part)])
    .flat()
    .find(({ id }) => id === 'copy-shrink')
    ?.run()
  await expect.poll(() => writeText).toHaveBeenCalledWith(`countersign shrink id-7${to}`)
})

/** Terms of the values that most rows below have. */
const USUAL = [
  'verdict:valid',
  'received:"2026-11-23T14:31Z"',
  'event:card.linked',
  'path:/h/a',
  'status:200',
  'response:none',
  'size:2',
]

test.each([
  [
    'a delivery with everything',
    {
      path: '/h/a b',
      amount: '36.90',
      currency: 'GBP',
      merchant: 'Harbour "Coffee" & Söhne',
      schema: 'issues',
      schemaErrors: 3,
      origin: 'imported',
      handler,
    },
    ['Valid', '3 schema errors'],
    [
      'amount:36.90',
      String.raw`body:"Harbour \"Coffee\" & Söhne"`,
      'path:"/h/a b"',
      'schema:issues',
      'is:imported',
      'response:401',
    ],
  ],
  [
    'a stale delivery',
    { freshness: 'stale', attempt: 3, attemptOf: 'x', duplicateOf: 'x' },
    ['Stale', 'Stale signature'],
    ['is:stale', 'freshness:stale'],
  ],
  [
    'a delivery signed in the future',
    { freshness: 'future' },
    ['Future', 'Signed in the future'],
    ['is:future', 'freshness:future'],
  ],
  [
    'a cause, schema errors and a stale signature',
    {
      verdict: 'invalid',
      cause: 'url:trailing-slash',
      schema: 'issues',
      schemaErrors: 2,
      freshness: 'stale',
    },
    ['Invalid', 'Trailing slash'],
    ['verdict:invalid', 'verdict:invalid'],
  ],
  [
    'a verdict from a file',
    { verifiedHere: false, origin: 'imported', freshness: 'stale' },
    ['Valid (file)', 'Stale signature'],
    ['freshness:stale', 'is:imported'],
  ],
  [
    'a body that is not JSON',
    { schema: 'not-json', event: null },
    ['Valid', "Body isn't JSON"],
    ['-has:event', 'schema:not-json'],
  ],
  [
    'an attempt of which the first is missing',
    { attempt: 2 },
    ['Valid', 'Attempt 2 of 3'],
    ['attempt:2'],
  ],
  ['a note', { note: 'ask Nadia' }, ['Valid', 'ask Nadia'], ['has:note']],
  [
    'several possible events',
    { event: null, eventCandidates: ['card.linked', 'card.unlinked'] },
    ['Valid', null],
    ['-has:event'],
  ],
  [
    'a flow',
    { flowRun: { flow: 'purchase visa', run: 'r', step: null }, answer: { status: null, ms: 1 } },
    ['Valid', null],
    ['flow:"purchase visa"'],
  ],
  [
    'a malformed request',
    {
      malformed: { reason: 'TLS handshake' },
      verdict: 'unsigned',
      schema: 'not-json',
      event: null,
      path: null,
      method: null,
    },
    ['Malformed', 'TLS handshake'],
    ['is:malformed', 'is:malformed'],
  ],
] as const satisfies readonly (readonly [
  string,
  Partial<DeliveryRow>,
  readonly (string | null)[],
  readonly string[],
])[])(
  'filtering by any value of %s finds it, excluding it does not, and copying copies the shown text',
  async (_, changes, [signature, issue], terms) => {
    const writeText = vi.fn<(text: string) => Promise<void>>().mockResolvedValue(undefined)
    vi.stubGlobal('navigator', { clipboard: { writeText } })
    const { state } = openAskedWindow()
    const row = deliveryRow(1, { receivedAt: '2026-11-23T14:31:52.341Z', ...changes })
    expect([rowValue(row, 'signature')?.text, rowValue(row, 'issues')?.text ?? null]).toEqual([
      signature,
      issue,
    ])
    state().selection.toggle(row)
    const queries = new Map<string, string>()
    for (const { label, note, run } of deliveryPalette(state(), 'value').filter(
      ({ note: value }) => value !== undefined,
    )) {
      state().filter.setDraft('')
      run()
      const query = state().filter.draft
      if (label.startsWith('Copy this ')) expect(writeText).toHaveBeenLastCalledWith(note)
      else queries.set(label, query)
    }
    const filters = [...queries].filter(([label]) => label.startsWith('Filter by this '))
    expect(filters.map(([, query]) => query).filter((query) => !USUAL.includes(query))).toEqual(
      terms,
    )
    for (const [label, query] of filters)
      expect(queries.get(label.replace('Filter by', 'Exclude'))).toBe(negated(query))
  },
)

test('the palette offers every value of the selected row', () => {
  const { state } = openAskedWindow()
  state().selection.toggle(deliveryRow(1, { handler }))
  const names = deliveryPalette(state(), 'value').map(({ label }) => label)
  const ofValues = [
    'signature',
    'time',
    'event',
    'path',
    'response',
    'handler response',
    'size',
  ].flatMap((name) => [`Filter by this ${name}`, `Exclude this ${name}`, `Copy this ${name}`])
  expect(names.slice(-ofValues.length)).toEqual(ofValues)
})

test('Markdown is copied with masked headers, body and cause', async () => {
  const { core, state } = openAskedWindow()
  const writeText = vi.fn<(text: string) => Promise<void>>().mockResolvedValue(undefined)
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  const done = state().menu.copyMarkdown(deliveryRow(1, { verdict: 'invalid' }))
  expect(core.asked.find(({ command }) => command === 'deliveries.get')?.input).toEqual({
    id: 'id-1',
    masked: 'strict',
  })
  await core.next('deliveries.get').answer({
    ...BLANK_DELIVERY,
    verdict: 'invalid',
    bodySize: 2,
    headers: [['X-Key', '[masked]']],
  })
  await core.next('deliveries.signature').refuse(new Error('gone'))
  await core.next('deliveries.body').answer({ offset: 0, size: 2, base64: btoa('s3') })
  expect(core.asked[0]?.input).toEqual({ ids: ['id-1'], masked: 'strict', value: ['s3', '', ''] })
  await core.next('exchange.mask').answer({ value: ['[masked]', '', ''] })
  await done
  expect(writeText.mock.calls[0]?.[0]).toMatch(/X-Key: \[masked\]\n```\n\n```json\n\[masked\]\n```/)
})
