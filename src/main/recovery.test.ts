import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { setupCrashDumps, setupRecovery } from './faults.ts'

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
    const options = {
      home,
      log,
      window: () => ({ current: () => ({}) }),
    }
    setupRecovery(...([{ app, dialog }, options] as unknown as Parameters<typeof setupRecovery>))
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
