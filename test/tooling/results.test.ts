import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  addCounts,
  countsLine,
  failureLines,
  filesToRepeat,
  playwrightFailures,
  readPlaywright,
  readVitest,
  vitestFailures,
} from '../../scripts/lib/results.ts'

const folder = temporaryFolder()

function file(content: string): string {
  const path = join(folder, `${Math.random()}.json`)
  writeFileSync(path, content)
  return path
}

test('both runners are added up in one line', () => {
  const vitest = readVitest(
    file(
      JSON.stringify({
        numPassedTests: 10,
        numFailedTests: 1,
        numPendingTests: 2,
        numTodoTests: 1,
      }),
    ),
    1,
  )
  const playwright = readPlaywright(
    file(JSON.stringify({ stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 4 } })),
    1,
  )
  expect(countsLine(addCounts(vitest, playwright))).toBe('15 passed, 3 failed, 7 skipped')
})

test('a runner that fails without a failed test counts as one failure', () => {
  expect(
    readVitest(file(JSON.stringify({ numPassedTests: 10, numFailedTests: 0 })), 1),
  ).toMatchObject({ passed: 10, failed: 1 })
  expect(readPlaywright(file(JSON.stringify({ stats: { expected: 3 } })), null)).toMatchObject({
    passed: 3,
    failed: 1,
  })
})

test('a missing, truncated or empty report is a failure, whatever the exit code', () => {
  for (const path of [join(folder, 'missing.json'), file('{"numPassed'), file('null')])
    for (const status of [1, null]) {
      expect(readVitest(path, status)).toEqual({ passed: 0, failed: 1, skipped: 0 })
      expect(readPlaywright(path, status)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    }
  expect(readVitest(join(folder, 'missing.json'), 0).failed).toBe(1)
  expect(readPlaywright(join(folder, 'missing.json'), 0).failed).toBe(1)
})

test("failures in Node are listed with the first line of their message, and so are files that don't load", () => {
  const long = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n')
  const report = {
    testResults: [
      {
        name: join(process.cwd(), 'src/good.test.ts'),
        status: 'passed',
        assertionResults: [{ status: 'passed', fullName: 'is good' }],
      },
      {
        name: join(process.cwd(), 'src/bad.test.ts'),
        status: 'failed',
        assertionResults: [
          { status: 'passed', fullName: 'a good one' },
          {
            status: 'failed',
            fullName: 'a bad one',
            failureMessages: [`\u001B[31mexpected 1 to be 2\u001B[39m\n${long}`],
          },
        ],
      },
      {
        name: join(process.cwd(), 'src/torn.test.ts'),
        status: 'failed',
        message: 'Unexpected token',
        assertionResults: [],
      },
    ],
  }
  const failures = vitestFailures(file(JSON.stringify(report)))
  expect(failures.map((failure) => [failure.file, failure.test])).toEqual([
    ['src/bad.test.ts', 'a bad one'],
    ['src/torn.test.ts', '(the file)'],
  ])
  expect(failures[0]?.message.split('\n')).toHaveLength(25)
  expect(failureLines(failures[0] ?? { file: '', test: '', message: '' })).toMatch(
    /^✗ src\/bad\.test\.ts › a bad one\n {4}expected 1 to be 2\n {4}line 0\n/,
  )
  expect(vitestFailures(join(folder, 'missing.json'))).toEqual([])
})

test("end-to-end failures are listed at any depth; a test that passed on retry isn't one of them", () => {
  const spec = (title: string, status: string, message = '') => ({
    title,
    file: 'test/e2e/a.spec.ts',
    tests: [{ status, results: [{ errors: message === '' ? [] : [{ message }] }] }],
  })
  const report = {
    errors: [{ message: 'no such project' }],
    suites: [
      {
        specs: [spec('good', 'expected')],
        suites: [
          {
            specs: [
              spec('bad', 'unexpected', 'a locator waited'),
              spec('both', 'flaky', 'at first'),
              spec('left out', 'skipped'),
            ],
          },
        ],
      },
    ],
  }
  expect(
    playwrightFailures(file(JSON.stringify(report))).map((failure) => [
      failure.test,
      failure.message,
    ]),
  ).toEqual([
    ['(outside of tests)', 'no such project'],
    ['bad', 'a locator waited'],
    ['both', 'at first'],
  ])
  expect(playwrightFailures(join(folder, 'missing.json'))).toEqual([])
})

test('a few failed files are repeated, but not many, and not a failure outside of tests', () => {
  const failures = (...files: string[]) =>
    files.map((name) => ({ file: name, test: 't', message: '' }))
  expect(filesToRepeat(failures('a', 'b', 'a'))).toEqual(['a', 'b'])
  expect(filesToRepeat(failures('a', 'b', 'c', 'd'))).toEqual([])
  expect(filesToRepeat(failures('a', ''))).toEqual([])
  expect(filesToRepeat([])).toEqual([])
})
