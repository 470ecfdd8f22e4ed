import { expect, test } from 'vitest'
import { openAskedWindow } from '../../../test/browser/open-window.ts'
import { KEPT_FAILURES } from './failures-slice.ts'

test('the last failures are kept, newest first, a repeated one once; other notices are not', () => {
  const { state } = openAskedWindow()
  const { recordNotice } = state().failures
  const kept = () =>
    state().failures.past.map(({ title, message, times }) => [title, message, times])
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
