import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { CommandName } from '../shared/contract/contract.ts'
import type { Deps } from '../core/base/deps.ts'
import { coreInFolder } from '../../test/support/in-folder.ts'
import { testDeps, type TestCore } from '../../test/support/test-core.ts'
import {
  CHECKS,
  createSelfTest,
  type SelfTestOptions,
  type SelfTestResult,
  type SelfTestSubject,
} from './self-test.ts'

type CheckName = keyof typeof CHECKS

const healthy = (client: SelfTestSubject['client']): SelfTestSubject => ({
  client,
  readPage: () => Promise.resolve({ isPainted: true, hasNode: false }),
  loadKeyring: () => Promise.resolve(),
  readSystemAuthorities: () => Promise.resolve(['a certificate']),
  loadUpdater: () => Promise.resolve(null),
})

interface Report {
  readonly selfTest: string
  readonly version: string
  readonly checks: readonly SelfTestResult[]
}

/** Runs the checks and quits. */
async function selfTest(
  subject: SelfTestSubject,
  { quitProblem = null, ...more }: Partial<SelfTestOptions> & { quitProblem?: string | null } = {},
) {
  const printed: string[] = []
  const test = createSelfTest({
    facts: { version: '1.2.3' },
    limitMs: 60_000,
    print: (line) => printed.push(line),
    exit: () => undefined,
    ...more,
  })
  await test.run(subject)
  const code = test.end(quitProblem)
  const report = JSON.parse(printed.join('')) as Report
  return {
    code,
    report,
    failed: report.checks.filter(({ ok }) => !ok).map(({ check, detail }) => `${check}: ${detail}`),
  }
}

describe('on a healthy app', () => {
  let app: TestCore
  beforeAll(async () => {
    app = await coreInFolder()
  })

  test('every check passes, and the line names them all', async () => {
    const { code, report } = await selfTest(healthy(app.client))
    expect(report).toMatchObject({ selfTest: 'ok', version: '1.2.3' })
    expect(report.checks.map(({ check }) => check)).toEqual([...Object.keys(CHECKS), 'quit'])
    expect(report.checks.find(({ check }) => check === 'secrets')?.detail).toBe('file')
    expect(code).toBe(0)
  })

  /** What the core would have to return for each check to fail: one wrong value at a time. */
  const wrong: Record<
    CheckName,
    [Partial<SelfTestSubject> | { command: CommandName; output: object }, RegExp][]
  > = {
    core: [
      [
        {
          command: 'app.status',
          output: { receiver: { state: 'failed', problem: 'Port 443 is taken.' } },
        },
        /Port 443 is taken/,
      ],
      [
        { command: 'app.status', output: { receiver: { state: 'listening' }, sandbox: null } },
        /sandbox isn't running/,
      ],
    ],
    page: [
      [{ readPage: () => Promise.resolve({ isPainted: true, hasNode: true }) }, /can reach Node/],
    ],
    updates: [
      [{ loadUpdater: () => Promise.reject(new Error('No such module')) }, /No such module/],
    ],
    keyring: [
      [
        { loadKeyring: () => Promise.reject(new Error('Cannot find native binding.')) },
        /native binding/,
      ],
    ],
    secrets: [[{ command: 'hooks.reveal', output: { secret: 'another' } }, /Another secret/]],
    capture: [
      [
        { command: 'deliveries.get', output: { verdict: 'invalid', freshness: 'fresh' } },
        /invalid and fresh/,
      ],
    ],
    writer: [],
    reader: [[{ command: 'deliveries.list', output: { items: [] } }, /doesn't have the note/]],
    search: [
      [
        { command: 'app.status', output: { store: { search: { state: 'off' } } } },
        /Search index not found/,
      ],
      [{ command: 'deliveries.list', output: { items: [] } }, /Found 0 deliveries/],
    ],
    shrink: [
      [
        {
          command: 'shrink.get',
          output: { run: { outcome: 'broken', message: 'The search thread stopped.' } },
        },
        /stopped/,
      ],
    ],
    diagnosis: [
      [
        { command: 'deliveries.signature', output: { verdict: 'valid', diagnosis: null } },
        /valid, its diagnosis missing/,
      ],
      [
        {
          command: 'deliveries.signature',
          output: { verdict: 'invalid', diagnosis: { cause: 'body:x' } },
        },
        /body:x/,
      ],
    ],
    'system-authorities': [
      [{ readSystemAuthorities: () => Promise.reject(new Error('No such file.')) }, /No such file/],
    ],
  }

  test.each(
    Object.entries(wrong).flatMap(([check, cases]) =>
      cases.map(([change, says]) => [check, says, change] as const),
    ),
  )('%s fails and says %s', async (check, says, change) => {
    await app.client.call('sandbox.sample', {})
    const { client } = app
    const changed: SelfTestSubject['client'] =
      'command' in change
        ? {
            call: (command, input) =>
              command === change.command
                ? (Promise.resolve(change.output) as never)
                : client.call(command, input),
          }
        : client
    const subject = { ...healthy(changed), ...('command' in change ? {} : change) }
    const { code, failed } = await selfTest(subject, {
      checks: { [check]: CHECKS[check as CheckName] },
    })
    expect(failed).toEqual([expect.stringMatching(says)])
    expect(code).toBe(1)
  })

  test('quitting that fails is a failure', async () => {
    const { code, failed } = await selfTest(healthy(app.client), {
      checks: {},
      quitProblem: 'The core is still open.',
    })
    expect([code, failed]).toEqual([1, ['quit: The core is still open.']])
  })
})

test('a build without the files of its threads fails, and names each', async () => {
  const missing = new URL('file:///missing/thread.js')
  const { writer, reader } = testDeps('').workers
  const workers: Deps['workers'] = {
    writer,
    reader,
    search: missing,
    diagnosis: missing,
    shrink: missing,
  }
  const app = await coreInFolder({ deps: { workers } })
  const { code, failed } = await selfTest(healthy(app.client))
  const withReason = ['search', 'diagnosis', 'shrink'].map(
    (name) => expect.stringMatching(`^${name}: `) as string,
  )
  expect(failed).toEqual(withReason)
  expect(code).toBe(1)
  // A thread that never started can't be closed either.
  await app.stop().catch(() => undefined)
})

test("an app that couldn't start says why, and nothing else runs", async () => {
  const { code, failed } = await selfTest(
    healthy({ call: () => Promise.reject(new Error("Can't open the database.")) }),
  )
  expect(failed[0]).toBe("core: Can't open the database.")
  expect(new Set(failed.slice(1).map((text) => text.split(': ')[1]))).toEqual(new Set(['Not run.']))
  expect([failed.length, code]).toEqual([Object.keys(CHECKS).length, 1])
})

test('every built thread has its check', () => {
  const config = readFileSync('electron.vite.config.ts', 'utf8')
  const built = [...config.matchAll(/^\s+'?([\w-]+)'?: 'src\/.*-thread\.ts',$/gm)].map(
    ([, name]) => name,
  )
  expect(built.length).toBeGreaterThan(5)
  expect(Object.keys(CHECKS)).toEqual(expect.arrayContaining(built))
})

test('if the app hangs, it says which check it was in, and exits', () => {
  vi.useFakeTimers()
  try {
    const printed: string[] = []
    const codes: number[] = []
    const selfTest = createSelfTest({
      facts: {},
      limitMs: 120_000,
      print: (line) => printed.push(line),
      exit: (code) => codes.push(code),
      checks: { stuck: () => new Promise(() => undefined), later: () => Promise.resolve('') },
    })
    void selfTest.run(healthy({ call: () => new Promise(() => undefined) }))
    vi.advanceTimersByTime(119_999)
    expect(codes).toEqual([])
    vi.advanceTimersByTime(1)
    expect(codes).toEqual([1])
    expect(
      (JSON.parse(printed.join('')) as Report).checks.map(
        ({ check, detail }) => `${check}: ${detail}`,
      ),
    ).toEqual([
      'stuck: Not done after 120 seconds.',
      'later: Not run.',
      'quit: Not done after 120 seconds.',
    ])
  } finally {
    vi.useRealTimers()
  }
})
