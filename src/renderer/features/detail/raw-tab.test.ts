/** What the Raw tab shows of our response. */
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAskedClient } from '../../../../test/support/asked-client.ts'
import { NO_CAPABILITIES } from '../../../shared/contract/native.ts'
import { BLANK_DELIVERY, type Delivery } from '../../../shared/model/delivery.ts'
import { createStore } from '../../state/store.ts'
import { StoreContext } from '../../state/use-app.ts'
import { RawTab } from './raw-tab.tsx'

beforeEach(() => {
  vi.stubGlobal('location', { hash: '' })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

function responseOf(changes: Partial<Delivery>): string {
  const store = createStore({ client: createAskedClient().client, capabilities: NO_CAPABILITIES, notify: vi.fn() })
  store.setState((state) => ({ detail: { ...state.detail, rawSide: 'response' } }))
  const shown = { delivery: { ...BLANK_DELIVERY, ...changes } } as never
  const value = { ...store, getInitialState: store.getState }
  return renderToStaticMarkup(createElement(StoreContext, { value }, createElement(RawTab, { shown })))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#x27;', "'")
    .replaceAll(/\s+/g, ' ')
}

const ok = { status: 200, headers: [], body: '', truncated: false }

test.each<[string, Partial<Delivery>, string]>([
  [
    'an older delivery',
    { response: null, answer: { status: 200, ms: 4 } },
    'Responded 200 in 4.0 ms Not recorded. Received by an earlier version of Countersign.',
  ],
  [
    'a file without the response',
    { response: null, origin: 'imported' },
    "Not recorded. The imported file doesn't include the response.",
  ],
  [
    'a dropped connection',
    { response: { ...ok, status: null }, answer: { status: null, ms: 9 } },
    'No response: the connection was dropped.',
  ],
  ['an empty response', { response: ok, answer: { status: 200, ms: 4 } }, 'Body 0 B Headers 0 Empty body.'],
])('%s says so', (_, changes, words) => {
  expect(responseOf(changes)).toContain(words)
})
