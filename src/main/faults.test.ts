import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import type { askUser } from './ask-user.ts'
import { watchFaults } from './faults.ts'
import { setupCrashDumps, setupRecovery } from './recovery.ts'

describe('an error that nobody catches', () => {
  function watched({ isReady = true } = {}) {
    const process = new EventEmitter()
    const logged: string[] = []
    const said: string[] = []
    const quit = vi.fn()
    const dialog = {
      showMessageBox(...given: readonly unknown[]) {
        const { message, detail, buttons = [] } = given.at(-1) as Parameters<typeof askUser>[2]
        said.push(`${message}: ${detail}`)
        return Promise.resolve({ response: buttons.indexOf('Quit'), checkboxChecked: false })
      },
    }
    watchFaults(
      { app: { isReady: () => isReady, quit }, dialog, process },
      {
        log: {
          bug(error, context) {
            logged.push(`${context}: ${String(error)}`)
            return 'ab12cd34'
          },
        },
        sendToPage: (event, payload) => said.push(`${event} ${JSON.stringify(payload)}`),
        refuse: ({ message }) => said.push(`refused: ${message}`),
      },
    )
    return { process, logged, said, quit }
  }

  test('an exception is logged, and the user can quit', async () => {
    const { process, logged, said, quit } = watched()
    process.emit('uncaughtException', new Error('boom'))
    expect(logged).toEqual(['uncaughtException: Error: boom'])
    expect(said).toEqual([
      'Something went wrong in Countersign: It may not work correctly until you start it again. The log has the details under ab12cd34.',
    ])
    await expect.poll(() => quit).toHaveBeenCalledOnce()
  })

  test('a rejected promise is logged and becomes a notice in the window', () => {
    const { process, logged, said } = watched()
    process.emit('unhandledRejection', 'no error at all')
    expect(logged).toEqual(['unhandledRejection: no error at all'])
    expect(said).toEqual([
      'native.problem {"title":"Something went wrong","message":"The log has the details under ab12cd34."}',
    ])
  })

  test('before the app is ready, an exception ends the start with the reason', () => {
    const { process, said } = watched({ isReady: false })
    process.emit('uncaughtException', new Error('boom'))
    expect(said).toEqual(['refused: boom\nThe log has the details under ab12cd34.'])
    // The start itself says what it couldn't do.
    process.emit('unhandledRejection', new Error('boom'))
    expect(said.at(-1)).toMatch(/^native\.problem/)
  })

  test('a fault in a loop is shown once per minute and logged each time', () => {
    const now = vi.spyOn(Date, 'now')
    onTestFinished(() => now.mockRestore())
    const { process, logged, said } = watched()
    const shown = [0, 1, 59_999, 60_000].map((at) => {
      now.mockReturnValue(at)
      process.emit('uncaughtException', new Error('again'))
      return said.length
    })
    expect(shown).toEqual([1, 1, 1, 2])
    expect(logged).toHaveLength(4)
    now.mockReturnValue(60_001)
    process.emit('unhandledRejection', new Error('other'))
    expect(said).toHaveLength(3)
  })

  test('a closed terminal is only logged', () => {
    const { process, logged, said } = watched()
    const failed = (code: string, syscall: string) =>
      process.emit('uncaughtException', Object.assign(new Error(code), { code, syscall }))
    failed('EPIPE', 'write')
    expect([logged.length, said.length]).toEqual([1, 0])
    // A connection to elsewhere that ended is a fault.
    failed('ECONNRESET', 'read')
    expect(said).toHaveLength(1)
  })
})

const home = 'app://countersign/'

class Contents extends EventEmitter {
  readonly done: string[] = []
  isDestroyed() {
    return false
  }
  reload() {
    this.done.push('reload')
  }
  forcefullyCrashRenderer() {
    this.done.push('crash')
  }
  loadURL(url: string) {
    this.done.push(`load ${url}`)
    return Promise.resolve()
  }
}

interface Asked {
  readonly message: string
  readonly signal: AbortSignal
  answer(response: number): void
}

describe('the window recovers', () => {
  let page: Contents
  let logged: string[]
  let asked: Asked[]
  let quits: number

  beforeEach(() => {
    page = new Contents()
    logged = []
    asked = []
    quits = 0
    const app = Object.assign(new EventEmitter(), { quit: () => (quits += 1) })
    const dialog = {
      showMessageBox: (
        _window: object,
        { message, signal }: { message: string; signal: AbortSignal },
      ) =>
        new Promise((resolve) => {
          const answer = (response: number) => {
            resolve({ response, checkboxChecked: false })
          }
          signal.addEventListener('abort', () => {
            answer(0)
          })
          asked.push({ message, signal, answer })
        }),
    }
    const log = {
      info: () => undefined,
      warn: (message: string, fields: object = {}) =>
        logged.push(`${message} ${JSON.stringify(fields)}`),
      bug: (error: unknown, context: string) => {
        logged.push(`${context}: ${String(error)}`)
        return 'ref'
      },
    }
    const window = { current: () => ({}) }
    setupRecovery(
      ...([{ app, dialog }, home, log, window] as unknown as Parameters<typeof setupRecovery>),
    )
    app.emit('web-contents-created', {}, page)
  })

  const gone = async (reason = 'crashed') => {
    page.emit('render-process-gone', {}, { reason, exitCode: 5 })
    await turn()
  }

  test('a crash reloads, the next asks and then tries or quits', async () => {
    await gone('clean-exit')
    await gone()
    expect(page.done).toEqual(['reload'])
    await gone('oom')
    expect(asked.map(({ message }) => message)).toEqual(['The window keeps failing'])
    asked[0]?.answer(0)
    await turn()
    expect(page.done).toEqual(['reload', `load ${home}`])
    await gone()
    asked[1]?.answer(1)
    await turn()
    expect([page.done.length, quits]).toEqual([2, 1])
    expect(logged).toHaveLength(3)
  })

  test('a crash long after the last one is a first one again', async () => {
    const now = vi.spyOn(Date, 'now')
    onTestFinished(() => {
      now.mockRestore()
    })
    for (const minutes of [0, 10, 20]) {
      now.mockReturnValue(minutes * 60_000)
      await gone()
    }
    now.mockReturnValue(30 * 60_000 - 1)
    await gone()
    expect(page.done).toEqual(['reload', 'reload', 'reload'])
    expect(asked).toHaveLength(1)
  })

  test('a page that hangs is reloaded only if the user wants, and that counts as no crash', async () => {
    page.emit('unresponsive')
    page.emit('unresponsive')
    expect(asked).toHaveLength(1)
    page.emit('responsive')
    await turn()
    expect([asked[0]?.signal.aborted, page.done]).toEqual([true, []])
    page.emit('unresponsive')
    asked[1]?.answer(1)
    await turn()
    expect(page.done).toEqual(['crash'])
    await gone('killed')
    await gone()
    expect(page.done).toEqual(['crash', 'reload', 'reload'])
  })

  test('a page that dies while it hangs gets its own question, and nothing loads before the user decides', async () => {
    await gone()
    page.emit('unresponsive')
    await gone()
    expect(asked.map(({ message, signal }) => [message, signal.aborted])).toEqual([
      ["The window doesn't respond", true],
      ['The window keeps failing', false],
    ])
    await turn()
    expect(page.done).toHaveLength(1)
  })

  test('a page that does not load is logged, and the user tries again or quits', async () => {
    page.emit('did-fail-load', {}, -3, '', home, true)
    page.emit('did-fail-load', {}, -6, 'ERR_FILE_NOT_FOUND', 'app://countersign/x', false)
    expect([logged, asked]).toEqual([[], []])
    page.emit('did-fail-load', {}, -6, 'ERR_FILE_NOT_FOUND', home, true)
    expect(asked[0]?.message).toBe("Couldn't load the window")
    expect(logged[0]).toContain('ERR_FILE_NOT_FOUND')
    asked[0]?.answer(0)
    await turn()
    expect([page.done, quits]).toEqual([[`load ${home}`], 0])
  })

  test('an error in the preload script is logged', () => {
    page.emit('preload-error', {}, '/preload', new Error('boom'))
    expect(logged).toEqual(['the preload script: Error: boom'])
  })
})

test('crash dumps are kept in a folder beside the log and never sent', () => {
  const folder = join(temporaryFolder(), 'logs')
  const done: unknown[] = []
  const app = { setPath: (name: string, path: string) => done.push([name, path]) }
  setupCrashDumps(
    app as unknown as Parameters<typeof setupCrashDumps>[0],
    { start: (options) => done.push(options) },
    folder,
  )
  const dumps = join(folder, 'crashes')
  expect(done).toEqual([['logs', folder], ['crashDumps', dumps], { uploadToServer: false }])
  expect(existsSync(dumps)).toBe(true)
})
