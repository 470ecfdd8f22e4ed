import { expect, test } from 'vitest'
import { isShortId, parseLatestRef, shortIdOf } from './delivery-ref.ts'

test("an ID's short form is its last 8 characters", () => {
  const short = shortIdOf('01a21780-a5a4-700a-a531-435dab000fd6')
  expect([short, isShortId(short)]).toEqual(['ab000fd6', true])
  expect(shortIdOf('program-1')).toBe('program-1')
})

test.each([
  ['latest', { event: null, before: 0 }],
  ['latest~2', { event: null, before: 2 }],
  ['latest:transaction.auth~1', { event: 'transaction.auth', before: 1 }],
  ['latest:', null],
  ['latest~x', null],
  ['latestly', null],
  ['the latest', null],
])('"%s" is read as %j', (ref, read) => {
  expect(parseLatestRef(ref)).toEqual(read)
})
