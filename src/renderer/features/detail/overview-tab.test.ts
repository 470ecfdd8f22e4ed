/** The Overview from top to bottom, and what the buttons of its summary do. */
import { createElement } from 'react'
import { expect, test } from 'vitest'
import { handlerResponseOf } from '../../../../test/support/model-values.ts'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { BLANK_DELIVERY } from '../../../shared/model/delivery.ts'
import type { AppState } from '../../state/store.ts'
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
const handler = handlerResponseOf({ status: 422 })

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

test('the Overview begins with verdict and action; then amount, merchant, card, attempt and responses, and the metadata last', () => {
  const text = textOf(
    markupOf(openAskedWindow(), createElement(OverviewTab, { shown })),
  ).replaceAll('Show response ', '')
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

test.each([
  [2, 'text-warn'],
  [3, 'text-bad'],
])('the number of attempt %i, which failed, has the class %s', (attempt, look) => {
  const failed = { ...shown.delivery, attempt, answer: { status: 500, ms: 4 } }
  const markup = markupOf(
    openAskedWindow(),
    createElement(OverviewTab, { shown: { ...shown, delivery: failed } }),
  )
  expect(markup).toMatch(new RegExp(`${look}[^<]*"><svg[^]*?</svg>${attempt} of 3`))
})

const examined = {
  ...shown,
  signature: { hookId: 'hook', diagnosis: { signedUrl: 'https://a.example/h/' } } as never,
  schema: { failures: [{ path: 'card.id' }] } as never,
}

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
    ['replays', 'send'],
  ],
  ['show-body', 'Show body', ({ detail }) => detail.tab, 'body'],
  [
    'show-in-body',
    'Show in body',
    ({ detail, body }) => [detail.tab, body.shownPath],
    ['body', { id: 'id-3', path: 'card.id' }],
  ],
  [
    'edit-hook-url',
    'Update hook URL…',
    ({ navigation, hooks }) => [navigation.overlay, navigation.at.hooks.id, hooks.editUrl],
    ['edit-hook', 'hook', 'https://a.example/h/'],
  ],
  [
    'import-hook',
    'Import the hook…',
    ({ navigation, hooks }) => [navigation.overlay, hooks.importDraft],
    ['import-hook', { url: 'https://a.example/h/', event: 'transaction.auth' }],
  ],
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
    const { state } = openAskedWindow()
    const look = lookOfAction(action, examined, null, null)
    expect(look.label).toBe(label)
    expect(look.run(state()) ?? null).toBe(null)
    expect(read(state())).toEqual(wanted)
  },
)

test('"Replay re-signed" replays the delivery to the current handler', () => {
  const { core, store, state } = openAskedWindow()
  store.setState((before) => ({
    core: {
      ...before.core,
      handlers: [{ ...handler, id: 'mine', url: handler.target, current: true }] as never,
    },
  }))
  lookOfAction('replay-re-signed', shown, '@local', null).run(state())
  expect(core.next('replay.check').input).toMatchObject({
    parts: [{ ids: ['id-3'], to: '@local' }],
  })
})

test.each([
  ['copy-https-url', 'https://127.0.0.1:4783'],
  ['copy-ca-path', '/data/ca.pem'],
] as const)('the button of %s copies %s', (action, copied) => {
  const { store, state } = openAskedWindow()
  const status = { receiver: { url: 'https://127.0.0.1:4783' }, caFile: '/data/ca.pem' } as never
  store.setState(({ core }) => ({ core: { ...core, status } }))
  expect(lookOfAction(action, shown, null, null).run(state())).toBe(copied)
})
