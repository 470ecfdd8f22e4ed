/** The Overview from top to bottom, and what the buttons of its summary do. */
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { createAskedClient } from '../../../../test/support/asked-client.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { NO_CAPABILITIES } from '../../../shared/contract/native.ts'
import { BLANK_DELIVERY } from '../../../shared/model/delivery.ts'
import { createStore, type AppState } from '../../state/store.ts'
import { StoreContext } from '../../state/use-app.ts'
import type { Shown } from './detail-slice.ts'
import { lookOfAction, OverviewTab } from './overview-tab.tsx'
import type { SummaryAction } from './summary.ts'

const payment = {
  amount: 12.5,
  currency: 'GBP',
  datetime: '2026-11-21T09:58:00',
  brand: { name: 'Harbour Coffee' },
  card: { scheme: 'visa', firstNumbers: '411111', lastNumbers: '4242' },
}
const handler = {
  name: 'local',
  target: 'http://127.0.0.1:3000/',
  sendId: 'send',
  at: null,
  status: 422,
  ms: 12,
  timedOut: false,
  signed: true,
  outcome: 'failing',
} as const

const bytes = new TextEncoder().encode(JSON.stringify(payment))
const shown: Shown = {
  delivery: {
    ...BLANK_DELIVERY,
    ...deliveryRow(3, { event: 'transaction.auth', attempt: 2, handler }),
  },
  loaded: true,
  signature: null,
  signatureProblem: null,
  schema: null,
  attempts: [],
  body: { bytes, size: bytes.length, loading: false },
}

function start() {
  const { client, next } = createAskedClient()
  const store = createStore({ client, capabilities: NO_CAPABILITIES, notify: vi.fn() })
  return { store, next }
}

test('the Overview begins with verdict and action; then amount, merchant, card, attempt and responses, and the metadata last', () => {
  const { store } = start()
  const value = { ...store, getInitialState: store.getState }
  const text = renderToStaticMarkup(
    createElement(StoreContext, { value }, createElement(OverviewTab, { shown })),
  )
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#x27;', "'")
    .replaceAll(/Show response|\s+/g, ' ')
    .replaceAll(/ +/g, ' ')
  const inOrder = [
    'Your handler returned 422',
    'Replay',
    'Amount 12.50 GBP',
    'Merchant Harbour Coffee',
    'Card Visa •••• 4242',
    'Attempt 2 of 3',
    'Responded 200 in 1.0 ms',
    'My handler 422 in 12 ms',
    'Hook None matched',
    'Request POST /h/a',
    'SHA-256',
  ]
  expect(text).toMatch(new RegExp(inOrder.map((part) => RegExp.escape(part)).join('.*')))
})

/** What a button does, as far as the window's state tells. */
const effects: readonly (readonly [
  SummaryAction,
  string,
  (state: AppState) => unknown,
  unknown,
])[] = [
  ['show-signature', 'Show signature', ({ detail }) => detail.tab, 'signature'],
  [
    'show-code',
    'Show correct code',
    ({ detail }) => [detail.tab, detail.signatureTool],
    ['signature', 'code'],
  ],
  [
    'try-secret',
    'Try another secret…',
    ({ detail }) => [detail.tab, detail.signatureTool],
    ['signature', 'try'],
  ],
  [
    'show-bytes',
    'Show bytes',
    ({ detail }) => [detail.tab, detail.rawSide, detail.rawView],
    ['raw', 'request', 'hex'],
  ],
  [
    'show-response',
    'Show response',
    ({ detail }) => [detail.tab, detail.sendId],
    ['sends', 'send'],
  ],
  ['show-body', 'Show body', ({ detail }) => detail.tab, 'body'],
  ['show-headers', 'Show headers', ({ detail }) => detail.tab, 'headers'],
  [
    'compare-previous',
    'Compare with previous',
    ({ navigation, compare }) => [navigation.screen, compare.choice],
    ['compare', { left: null, right: { kind: 'delivery', id: 'id-3' } }],
  ],
]

test.each(effects)(
  'the action %s is labeled "%s" and opens its view',
  (action, label, read, wanted) => {
    const { store } = start()
    const look = lookOfAction(action, shown, null, null)
    expect(look.label).toBe(label)
    expect(look.run(store.getState()) ?? null).toBe(null)
    expect(read(store.getState())).toEqual(wanted)
  },
)

test('"Replay re-signed" replays the delivery to the current handler', () => {
  const { store, next } = start()
  store.setState((state) => ({
    core: {
      ...state.core,
      handlers: [{ ...handler, id: 'mine', url: handler.target, current: true }] as never,
    },
  }))
  lookOfAction('replay-re-signed', shown, '@local', null).run(store.getState())
  expect(next('replay.check').input).toMatchObject({ parts: [{ ids: ['id-3'], to: '@local' }] })
})

test.each([
  ['copy-https-url', 'https://127.0.0.1:4783'],
  ['copy-ca-path', '/data/ca.pem'],
] as const)('the button of %s copies %s', (action, copied) => {
  const { store } = start()
  const status = { receiver: { url: 'https://127.0.0.1:4783' }, caFile: '/data/ca.pem' } as never
  store.setState((state) => ({ core: { ...state.core, status } }))
  expect(lookOfAction(action, shown, null, null).run(store.getState())).toBe(copied)
})
