import { expect, test } from 'vitest'
import { outputPattern, type OutputMatch } from '../support/doc-pages.ts'

const matches = (shown: string, match: OutputMatch, output: string) =>
  outputPattern(shown, match).test(output)

const SHOWN = `passed  01a206cb-a290-7003-9723-d300843f6fd2  200  12 ms
43 passed, 0 failed, 1 skipped. Score: 100/100.`
const outputOf = (count: number, status = 200) =>
  `passed  01a22a74-e118-700f-97ac-84c14c372aef  ${status}  7.5 ms\n${count} passed, 0 failed, 1 skipped. Score: 100/100.\n`

test('in a whole output, IDs and durations may differ, but counts and statuses may not', () => {
  expect(matches(SHOWN, 'whole', outputOf(43))).toBe(true)
  expect(matches(SHOWN, 'whole', outputOf(39))).toBe(false)
  expect(matches(SHOWN, 'whole', outputOf(43, 500))).toBe(false)
})

test('a whole output has no other lines, a beginning may be followed by more, and a part by both', () => {
  const [before, after] = [`Warning: old\n${outputOf(43)}`, `${outputOf(43)}Done.\n`]
  const kinds = ['whole', 'beginning', 'part'] as const
  expect(kinds.map((match) => matches(SHOWN, match, before))).toEqual([false, false, true])
  expect(kinds.map((match) => matches(SHOWN, match, after))).toEqual([false, true, true])
})

test('in a part of an output, every number may differ', () => {
  expect(matches(SHOWN, 'part', outputOf(39, 500))).toBe(true)
})

test('a line of dots stands for any lines, dots within a line for the rest of it', () => {
  expect(matches('…\nlast', 'whole', 'first\nsecond\nlast\n')).toBe(true)
  expect(matches('a … c', 'whole', 'a b\nd c\n')).toBe(false)
  expect(matches('a … c', 'whole', 'a b c\n')).toBe(true)
})
