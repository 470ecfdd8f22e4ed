import { expect, test } from 'vitest'
import { comparedWords } from './use-comparison.ts'

const nothing = { changed: 0, form: 0, added: 0, removed: 0, moved: 0, ignored: 0 }
const more = ' (too many rows to show all)'

test.each([
  [false, { ...nothing, changed: 2, ignored: 1 }, true, '2 changed, 1 ignored'],
  [true, { ...nothing, changed: 2000 }, true, `At least 2,000 changed${more}`],
  [
    true,
    { ...nothing, ignored: 20_000 },
    true,
    `At least 1 difference, at least 20,000 ignored${more}`,
  ],
  [true, { ...nothing, ignored: 20_000 }, false, `No differences (at least 20,000 ignored)${more}`],
  [true, nothing, false, 'No differences'],
])('truncated rows (%s) claim nothing about the rest', (isCut, counts, differs, words) => {
  expect(comparedWords({ counts, isCut, differs })).toBe(words)
})
