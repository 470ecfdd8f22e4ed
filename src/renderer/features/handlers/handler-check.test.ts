import { createElement } from 'react'
import { expect, test } from 'vitest'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { HandlerCheck } from './handler-check.tsx'

const unread = {
  ...{ output: undefined, isEarlier: false, readAt: 0, isGone: false },
  ...{ problem: null, failure: null, readAgain: () => undefined },
}

test.each([
  [false, null, 'No check yet', 'Loading check'],
  [true, null, 'Loading check', 'No check yet'],
  [true, 'The database is busy.', "Couldn't load the check", 'No check yet'],
])('checked %s, problem %s: shows %s, not %s', (isChecked, problem, shown, other) => {
  const check = { ...unread, problem }
  const markup = markupOf(openAskedWindow(), createElement(HandlerCheck, { check, isChecked }))
  expect(`${markup} ${textOf(markup)}`).toContain(shown)
  expect(markup).not.toContain(other)
})
