import { expect, test, vi } from 'vitest'
import { createAskedClient } from '../../../test/support/asked-client.ts'
import { NO_CAPABILITIES } from '../../shared/contract/native.ts'
import { KEPT_FAILURES } from './failures-slice.ts'
import { createStore } from './store.ts'

test('the last failures are kept, newest first, a repeated one once; other notices are not', () => {
  const store = createStore({
    client: createAskedClient().client,
    capabilities: NO_CAPABILITIES,
    notify: vi.fn(),
  })
  const { recordNotice } = store.getState().failures
  const kept = () =>
    store.getState().failures.past.map(({ title, message, times }) => [title, message, times])
  recordNotice({ tone: 'ok', title: 'Copied' })
  recordNotice({ tone: 'warn', title: 'Returned 500' })
  expect(kept()).toEqual([])
  recordNotice({ tone: 'bad', title: "Couldn't copy" })
  recordNotice({ tone: 'bad', title: "Couldn't copy" })
  recordNotice({ tone: 'bad', title: "Couldn't copy", message: 'Blocked.' })
  recordNotice({ tone: 'bad', title: "Couldn't copy" })
  expect(kept()).toEqual([
    ["Couldn't copy", undefined, 1],
    ["Couldn't copy", 'Blocked.', 1],
    ["Couldn't copy", undefined, 2],
  ])
  for (let number = 1; number <= KEPT_FAILURES; number++)
    recordNotice({ tone: 'bad', title: `Failure ${number}` })
  expect(kept()).toHaveLength(KEPT_FAILURES)
  expect(kept().at(0)).toEqual([`Failure ${KEPT_FAILURES}`, undefined, 1])
  expect(kept().at(-1)).toEqual(['Failure 1', undefined, 1])
})
