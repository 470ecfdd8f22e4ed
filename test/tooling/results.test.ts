/** The last line of `npm test` tells the truth also where a runner falls over. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { addCounts, countsLine, readPlaywright, readVitest } from '../../scripts/lib/results.ts'

const folder = mkdtempSync(join(tmpdir(), 'countersign-results-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(content: string): string {
  const path = join(folder, `${Math.random()}.json`)
  writeFileSync(path, content)
  return path
}

test('both runners are added up in one line', () => {
  const vitest = readVitest(
    file(JSON.stringify({ numPassedTests: 10, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 })),
    1,
  )
  const playwright = readPlaywright(file(JSON.stringify({ stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 4 } })), 1)
  expect(countsLine(addCounts(vitest, playwright))).toBe('15 passed, 3 failed, 7 skipped')
})

test('a runner that fails without a failed test counts as one failure', () => {
  expect(readVitest(file(JSON.stringify({ numPassedTests: 10, numFailedTests: 0 })), 1)).toMatchObject({ passed: 10, failed: 1 })
  expect(readPlaywright(file(JSON.stringify({ stats: { expected: 3 } })), null)).toMatchObject({ passed: 3, failed: 1 })
})

test('a report that is missing, torn or empty is a failure, whatever the exit code said', () => {
  for (const path of [join(folder, 'missing.json'), file('{"numPassed'), file('null')])
    for (const status of [1, null]) {
      expect(readVitest(path, status)).toEqual({ passed: 0, failed: 1, skipped: 0 })
      expect(readPlaywright(path, status)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    }
  expect(readVitest(join(folder, 'missing.json'), 0).failed).toBe(1)
  expect(readPlaywright(join(folder, 'missing.json'), 0).failed).toBe(1)
})
