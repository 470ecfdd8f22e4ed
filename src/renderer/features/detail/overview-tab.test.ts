import { createElement } from 'react'
import { expect, test, vi } from 'vitest'
import { environmentOf, handlerResponseOf } from '../../../../test/support/model-values.ts'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { BLANK_DELIVERY } from '../../../shared/model/delivery.ts'
import type { AppState } from '../../ui-state/store.ts'
import type { DeliveryView } from './use-delivery.ts'
import { OverviewTab } from './overview-tab.tsx'
import { buttonOfAction } from './action-button.ts'
import type { SummaryAction } from './delivery-summary.ts'

const payment = {
  amount: 12.5,
  currency: 'GBP',
  datetime: '2026-11-21T09:58:00',
  brand: { name: 'Harbour Coffee' },
  card: { scheme: 'visa', firstNumbers: '411111', lastNumbers: '4242' },
}
const handler = handlerResponseOf({ status: 422 })

const bytes = new TextEncoder().encode(JSON.stringify(payment))
const shown: DeliveryView = {
  delivery: {
    ...BLANK_DELIVERY,
    ...deliveryRow(3, { event: 'transaction.auth', attempt: 2, handler }),
  },
  loaded: true,
  signature: null,
  signatureProblem: null,
  schema: null,
  attempts: [],
  bodyProblem: null,
  body: { bytes, size: bytes.length, loading: false },
}

test('the Overview begins with verdict and action; then amount, merchant, card, the responses and the attempt, and all else last', () => {
  const text = textOf(markupOf(openAskedWindow(), createElement(OverviewTab, { shown })))
  const inOrder = [
    'Your handler returned 422',
    'Show response',
    'Amount 12.50 GBP',
    'Merchant Harbour Coffee',
    'Card Visa •••• 4242',
    'Responded 200',
    'in 1.0 ms',
    'Your handler 422',
    'in 12 ms',
    'Attempt 2 of 3',
    '3 checks passed',
    'More facts',
    'Hook None matched',
    'Request POST /h/a',
    'SHA-256',
  ]
  expect(text).toMatch(new RegExp(inOrder.map((part) => RegExp.escape(part)).join('.*')))
})

test('failed checks are shown with their place in the body, passed ones are folded', () => {
  const schema = {
    event: 'transaction.auth',
    outcome: 'issues',
    failures: [{ path: 'card.id', message: 'Missing required field `card.id`.', section: '2.6' }],
    findings: [{ path: 'offer', message: 'Null in test mode.', section: '2.7' }],
  } as never
  const delivery = { ...shown.delivery, handler: null, schema: 'issues' } as const
  const text = textOf(
    markupOf(
      openAskedWindow(),
      createElement(OverviewTab, { shown: { ...shown, delivery, schema } }),
    ),
  )
  expect(text).toMatch(/1 schema error.*card\.id.*Show in body.*2 checks passed, 1 note/)
  expect(text).not.toContain('Null in test mode')
})

test('a delivery that the service gave up on is red, whatever its signature says', () => {
  const failed = { ...shown.delivery, handler: null, attempt: 3, answer: { status: 500, ms: 4 } }
  const markup = markupOf(
    openAskedWindow(),
    createElement(OverviewTab, {
      shown: { ...shown, delivery: shown.delivery, attempts: [failed] },
    }),
  )
  expect(textOf(markup)).toContain('Not acknowledged after 3 attempts')
  expect(markup).toContain('bg-bad-wash')
})

const examined = {
  ...shown,
  signature: { hookId: 'hook', diagnosis: { signedUrl: 'https://a.example/h/' } } as never,
  schema: { failures: [{ path: 'card.id' }] } as never,
}

/** Presses a button and returns the calls that it makes on the window's state. */
const effects: readonly (readonly [
  SummaryAction,
  string,
  (state: AppState) => unknown,
  unknown,
])[] = [
  [
    'show-signature',
    'Show signature',
    ({ navigation }) => navigation.at.deliveries.tab,
    'signature',
  ],
  [
    'show-code',
    'Show correct code',
    ({ detail, navigation }) => [navigation.at.deliveries.tab, detail.signatureTool],
    ['signature', 'code'],
  ],
  [
    'try-secret',
    'Try another secret…',
    ({ detail, navigation }) => [navigation.at.deliveries.tab, detail.signatureTool],
    ['signature', 'try'],
  ],
  [
    'show-bytes',
    'Show bytes',
    ({ detail, navigation }) => [navigation.at.deliveries.tab, detail.rawSide, detail.rawView],
    ['raw', 'request', 'hex'],
  ],
  [
    'show-response',
    'Show response',
    ({ detail, navigation }) => [navigation.at.deliveries.tab, detail.sendId],
    ['history', 'send'],
  ],
  ['show-body', 'Show body', ({ navigation }) => navigation.at.deliveries.tab, 'body'],
  [
    'show-in-body',
    'Show in body',
    ({ detail, navigation }) => [navigation.at.deliveries.tab, detail.shownPath],
    ['body', { id: 'id-3', path: 'card.id' }],
  ],
  [
    'edit-hook-url',
    'Update hook URL…',
    ({ navigation, hooks }) => [navigation.overlay, navigation.at.hooks.id, hooks.initialValues],
    ['edit-hook', 'hook', { url: 'https://a.example/h/' }],
  ],
  [
    'import-hook',
    'Import the hook…',
    ({ navigation, hooks }) => [navigation.overlay, hooks.initialValues],
    ['import-hook', { url: 'https://a.example/h/', event: 'transaction.auth' }],
  ],
  ['show-headers', 'Show headers', ({ navigation }) => navigation.at.deliveries.tab, 'headers'],
  ['show-history', 'Show attempts', ({ navigation }) => navigation.at.deliveries.tab, 'history'],
]

test.each(effects)(
  'the action %s is labeled "%s" and opens its view',
  (action, label, read, wanted) => {
    const { state } = openAskedWindow()
    const button = buttonOfAction(action, examined, null)
    expect(button.label).toBe(label)
    button.run(state())
    expect(read(state())).toEqual(wanted)
  },
)

test('using a prefix says what changes, and can be undone', async () => {
  const { core, know, notify, state } = openAskedWindow()
  const environment = environmentOf({ name: 'sandbox-test', prefix: 'service' })
  know('environments.list', {}, { environments: [environment] })
  const signature = {
    unknownPrefix: { prefix: 'acme', environment: 'sandbox-test', mode: 'test' },
  } as never
  const button = buttonOfAction('use-prefix', { ...shown, signature }, null)
  expect(button.label).toBe('Use acme in sandbox-test')
  button.run(state())
  await core.answer('environments.update', { environment } as never)
  expect(notify.mock.lastCall?.[0]).toMatchObject({
    title: 'sandbox-test uses acme',
    message: 'The sandbox, replays and checks now send x-acme-signature and x-acme-timestamp.',
  })
  expect(state().marks.undo()).toBe(true)
  expect(core.next('environments.update').input).toMatchObject({ prefix: 'service' })
})

test('"Replay re-signed" replays the delivery to the current handler', () => {
  const { core, store, state } = openAskedWindow()
  store.setState((before) => ({
    core: {
      ...before.core,
      handlers: [{ ...handler, id: 'mine', url: handler.target, current: true }] as never,
    },
  }))
  buttonOfAction('replay-re-signed', shown, null).run(state())
  expect(core.next('replay.check').input).toMatchObject({
    parts: [{ ids: ['id-3'], to: '@local' }],
  })
})

test.each([
  ['copy-https-url', 'https://127.0.0.1:4783'],
  ['copy-ca-path', '/data/ca.pem'],
] as const)('the button of %s copies %s', async (action, copied) => {
  const { store, state } = openAskedWindow()
  const status = { receiver: { url: 'https://127.0.0.1:4783' }, caFile: '/data/ca.pem' } as never
  store.setState(({ core }) => ({ core: { ...core, status } }))
  const writeText = vi.fn(() => Promise.resolve())
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  await buttonOfAction(action, shown, null).run(state())
  expect(writeText).toHaveBeenCalledWith(copied)
  vi.unstubAllGlobals()
})
