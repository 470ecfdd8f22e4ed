import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { CommandName } from '../shared/contract/contract.ts'
import type { Deps } from '../core/base/deps.ts'
import { coreInFolder } from '../../test/support/in-folder.ts'
import { testDeps, type TestCore } from '../../test/support/test-core.ts'
import { CHECKS, createSelfTest, type SelfTestSubject } from './self-test.ts'

type CheckName = keyof typeof CHECKS

const healthy = (call: SelfTestSubject['call']): SelfTestSubject => ({
  call,
  runInPage: () => Promise.resolve(true),
  systemAuthorities: () => Promise.resolve(['a certificate']),
  loadUpdater: () => Promise.resolve(null),
})

interface Report {
  readonly selfTest: string
  readonly version: string
  readonly checks: readonly { check: string; ok: boolean; detail: string }[]
}

async function selfTest(
  subject: SelfTestSubject,
  checks?: Parameters<typeof createSelfTest>[2],
  quitProblem: string | null = null,
) {
  const printed: string[] = []
  const test = createSelfTest({ version: '1.2.3' }, (line) => printed.push(line), checks)
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
    const { code, report } = await selfTest(healthy(app.client.call))
    expect(report).toMatchObject({ selfTest: 'ok', version: '1.2.3' })
    expect(report.checks.map(({ check }) => check)).toEqual([...Object.keys(CHECKS), 'quit'])
    expect(report.checks.find(({ check }) => check === 'secrets')?.detail).toBe('file')
    expect(code).toBe(0)
  })

  /** Failures of each check: one wrong value or error at a time. */
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
    ],
    page: [[{ runInPage: () => Promise.reject(new Error('Gone.')) }, /Gone/]],
    updates: [
      [{ loadUpdater: () => Promise.reject(new Error('No such module')) }, /No such module/],
    ],
    keyring: [],
    secrets: [[{ command: 'hooks.reveal', output: new Error('Locked.') }, /Locked/]],
    capture: [
      [
        { command: 'deliveries.get', output: { verdict: 'invalid', freshness: 'fresh' } },
        /invalid and fresh/,
      ],
    ],
    writer: [[{ command: 'marks.set', output: new Error('Full.') }, /Full/]],
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
    ],
    encryption: [[{ command: 'exchange.share', output: { encrypted: null } }, /It begins with ""/]],
    'system-authorities': [
      [{ systemAuthorities: () => Promise.reject(new Error('No such file.')) }, /No such file/],
    ],
  }

  test.each(
    Object.entries(wrong).flatMap(([check, cases]) =>
      cases.map(([change, says]) => [check, says, change] as const),
    ),
  )('%s fails and says %s', async (check, says, change) => {
    await app.client.call('sandbox.sample', {})
    const { call } = app.client
    const subject: SelfTestSubject =
      'command' in change
        ? healthy(async (command, input) => {
            if (command !== change.command) return call(command, input)
            if (change.output instanceof Error) throw change.output
            return change.output as never
          })
        : { ...healthy(call), ...change }
    const { code, failed } = await selfTest(subject, { [check]: CHECKS[check as CheckName] })
    expect(failed).toEqual([expect.stringMatching(says)])
    expect(code).toBe(1)
  })

  test('quitting that fails is a failure', async () => {
    const problem = 'The core is still open.'
    const { code, failed } = await selfTest(healthy(app.client.call), {}, problem)
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
    encryption: missing,
  }
  const app = await coreInFolder({ deps: { workers } })
  const { code, failed } = await selfTest(healthy(app.client.call))
  const withReason = ['search', 'diagnosis', 'shrink', 'encryption'].map((name) =>
    expect.stringMatching(`^${name}: `),
  )
  expect(failed).toEqual(withReason)
  expect(code).toBe(1)
  // A thread that never started can't be closed either.
  await app.stop().catch(() => undefined)
})

test("an app that couldn't start says why, and nothing else runs", async () => {
  const { code, failed } = await selfTest(
    healthy(() => Promise.reject(new Error("Can't open the database."))),
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

test('a check that hangs fails, and the others run', async () => {
  vi.useFakeTimers()
  try {
    const stuck = () => new Promise<string>(() => undefined)
    const run = selfTest(
      healthy(() => new Promise(() => undefined)),
      {
        stuck,
        later: () => Promise.resolve('done'),
      },
    )
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await run).failed).toEqual(['stuck: Not done after 60 seconds.'])
  } finally {
    vi.useRealTimers()
  }
})
