import { expect, test, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { createAskedClient } from '../../../../test/support/asked-client.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { createExchangeSlice, type ExchangeSlice } from './exchange-slice.ts'

function start() {
  const core = createAskedClient()
  const notify = vi.fn()
  const context = { client: core.client, capabilities: { showInFolder: false, insetTitleBar: false }, notify }
  const store = createStore<ExchangeSlice & NavigationSlice>()((...tools) => ({
    screen: 'deliveries',
    overlay: null,
    go: () => undefined,
    openOverlay: (overlay) => {
      tools[0]({ overlay })
    },
    closeOverlay: () => {
      tools[0]({ overlay: null })
    },
    ...createExchangeSlice(context)(...tools),
  }))
  const { getState: state } = store
  state().openExport({ query: '', ids: null })
  void state().startExport('jsonl', false)
  return { core, notify, state }
}

test('an export that loses its connection says so, in its dialog or beside the page', async () => {
  const shown = start()
  const lost = new AppError('DISCONNECTED', 'The connection was lost.')
  await shown.core.next('app.status').refuse(lost)
  expect(shown.state().exportProgress).toBe(null)
  expect(shown.state().exportProblem).toContain('No file was written. Export again.')
  expect(shown.notify).not.toHaveBeenCalled()
  const hidden = start()
  hidden.state().closeOverlay()
  await hidden.core.next('app.status').refuse(lost)
  expect(hidden.notify).toHaveBeenCalledWith(expect.objectContaining({ tone: 'bad' }))
})

test('one that is cancelled ends without a word, and a second one does not begin beside it', async () => {
  const { core, notify, state } = start()
  void state().startExport('har', true)
  expect(core.asked).toHaveLength(1)
  state().cancelExport()
  await vi.waitFor(() => {
    expect(state().exportProgress).toBe(null)
  })
  expect([state().exportProblem, notify.mock.calls]).toEqual([null, []])
})
