import { expect, test } from 'vitest'
import { furtherRejectedText, NOTHING_IMPORTED, addLines } from './import-outcome.ts'

test('after the first twenty, rejected lines are named in at most twenty ranges', () => {
  const isRefused = (line: number) => line <= 25 || (line > 30 && line % 2 === 0)
  const outcomeOf = (count: number) => {
    let outcome = NOTHING_IMPORTED
    for (let line = 1; line <= count; line++) {
      const refused = isRefused(line) ? [{ line: 0, reason: 'No.' }] : []
      outcome = addLines(outcome, { lines: 1, imported: 1 - refused.length, known: 0, refused })
    }
    return outcome
  }
  const few = outcomeOf(36)
  expect([few.problems.length, furtherRejectedText(few)]).toEqual([
    20,
    'And 8 more: lines 21–25, 32, 34, 36.',
  ])
  expect(furtherRejectedText(outcomeOf(20))).toBe(null)
  const many = outcomeOf(2_000)
  expect(many.further).toHaveLength(20)
  expect(furtherRejectedText(many)).toMatch(
    /^And 990 more: lines 21–25, 32, 34, .*, 66, 68, and 966 later ones\.$/,
  )
})
