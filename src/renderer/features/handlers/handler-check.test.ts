import { createElement } from 'react'
import { expect, test } from 'vitest'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { HandlerCheck } from './handler-check.tsx'

const unread = {
  ...{ output: undefined, isEarlier: false, readAt: 0, isGone: false },
  ...{ problem: null, failure: null, readAgain: () => undefined },
}

test.each([
  [null, 'Loading check'],
  ['The database is busy.', "Couldn't load the check"],
])('problem %s: shows %s', (problem, shown) => {
  const check = { ...unread, problem }
  const markup = markupOf(openAskedWindow(), createElement(HandlerCheck, { check }))
  expect(`${markup} ${textOf(markup)}`).toContain(shown)
})
