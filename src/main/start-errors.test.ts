import { describe, expect, test } from 'vitest'
import { AppError } from '../shared/contract/errors.ts'
import { describeStartFailure, findSandboxProblem } from './start-errors.ts'

const started = (switches: readonly string[], env: Record<string, string> = {}) =>
  findSandboxProblem((name) => switches.includes(name), env)

describe('a start without sandbox', () => {
  test('is refused with the switch or variable that did it, and what to do', () => {
    expect(started(['no-sandbox'])).toMatchObject({
      code: 'START_FAILED',
      message: expect.stringContaining('with --no-sandbox,'),
    })
    expect(started(['single-process', 'no-sandbox'])?.message).toContain(
      '--no-sandbox and --single-process',
    )
    expect(started(['disable-seccomp-filter-sandbox'])).not.toBeNull()
    expect(started([], { ELECTRON_DISABLE_SANDBOX: '1' })?.message).toContain(
      'ELECTRON_DISABLE_SANDBOX',
    )
    expect(started(['no-sandbox'])?.message).toContain('countersign serve')
  })

  test('with a sandbox is fine', () => {
    expect(started([])).toBeNull()
    expect(
      started(['inspect', 'remote-debugging-port'], { ELECTRON_DISABLE_SANDBOX: '0' }),
    ).toBeNull()
  })
})

describe('what a failed start says', () => {
  const reported: unknown[] = []
  const context = {
    version: '1.2.3',
    dataFolder: '/data',
    process: {
      platform: 'linux' as const,
      versions: { electron: '45.4.1', node: '24.0.0' } as NodeJS.ProcessVersions,
    },
    reportBug(error: unknown) {
      reported.push(error)
      return 'ref-1'
    },
  }
  const textOf = ({ details }: AppError) => (details as { text: string }).text

  test('an expected reason in its own words, with its code in the details', () => {
    const failure = describeStartFailure(
      new AppError('ALREADY_RUNNING', 'The folder is in use by process 7. Stop it.'),
      context,
    )
    expect(failure).toMatchObject({
      code: 'START_FAILED',
      message: 'The folder is in use by process 7. Stop it.',
    })
    expect(textOf(failure)).toBe(
      [
        "Countersign 1.2.3 couldn't start.",
        'ALREADY_RUNNING: The folder is in use by process 7. Stop it.',
        'Data folder: /data',
        'System: linux, Electron 45.4.1, Chromium unknown, Node 24.0.0',
      ].join('\n'),
    )
    expect(reported).toEqual([])
  })

  test('an unexpected one with the next step, the reference of the log and its stack', () => {
    const bug = new TypeError('x is not a function')
    const failure = describeStartFailure(bug, context)
    expect(failure.message).toBe(
      'x is not a function. Quit and start Countersign again. If it fails again, report it with the details.',
    )
    expect(textOf(failure)).toContain('Reference ref-1')
    expect(textOf(failure)).toContain('start-errors.test.ts')
    expect(reported).toEqual([bug])
  })
})
