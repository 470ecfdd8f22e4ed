/** Tests the stand-in with a minimal main process: the end-to-end tests of the desktop app depend on it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../scripts/lib/chromium.ts'
import { runStandin, type StandinRun } from './run.ts'
import type { WindowLook } from './state.ts'

interface SmallBridge {
  send(text: string): void
  onMessage(listener: (text: string) => void): () => void
  readonly probes: Readonly<Record<string, string>>
}
declare global {
  interface Window {
    readonly small: SmallBridge
  }
}

const main = fileURLToPath(new URL('./small/main.mjs', import.meta.url))

describe.skipIf(findChromium() === null)('the stand-in for electron', () => {
  let run: StandinRun
  const folder = mkdtempSync(join(tmpdir(), 'countersign-small-'))
  const env = { ...process.env, SMALL_DATA: folder }

  beforeAll(async () => {
    run = await runStandin(main, [], env)
  })
  afterAll(async () => {
    // Without this guard, a failed start would hide its reason behind a TypeError.
    await (run as StandinRun | undefined)?.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  })

  const reported = (kind: string) => run.reports.filter((message) => message.kind === kind)

  test("the scheme's handler serves the page, its script and a worker", async () => {
    await expect.poll(() => run.page.title()).toBe('worker ran')
    expect(run.page.url()).toBe('https://small.app.test/')
  })

  test("a message passes the preload and returns with its frame's URL", async () => {
    const heard = await run.page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const stop = window.small.onMessage((text) => {
            stop()
            resolve(text)
          })
          window.small.send('hello')
        }),
    )
    expect(heard).toBe('hello from app://small/')
  })

  test('a removed listener gets no more messages', async () => {
    const heard = await run.page.evaluate(async () => {
      const texts: string[] = []
      window.small.onMessage((text) => texts.push(`first ${text}`))()
      await new Promise<void>((resolve) => {
        window.small.onMessage((text) => {
          texts.push(text)
          resolve()
        })
        window.small.send('once')
      })
      return texts
    })
    expect(heard).toEqual(['once from app://small/'])
  })

  test('the bridge is frozen, and the preload gets only electron', async () => {
    const seen = await run.page.evaluate(() => ({
      frozen: Object.isFrozen(window.small),
      probes: { ...window.small.probes },
      descriptor: Object.getOwnPropertyDescriptor(window, 'small')?.writable,
      globals: ['require', 'process', 'module', 'ipcRenderer', 'contextBridge'].filter(
        (name) => name in window,
      ),
    }))
    expect(seen.frozen).toBe(true)
    expect(seen.descriptor).toBe(false)
    expect(seen.globals).toEqual([])
    expect(seen.probes['requireFs']).toContain('module not found: node:fs')
    expect(seen.probes['missing']).toContain('no ipcRenderer.invoke')
    expect(seen.probes['platform']).toBe(process.platform)
  })

  test('a frame inside the page gets no bridge', async () => {
    const inside = await run.page.evaluate(() => {
      const frame = document.createElement('iframe')
      document.body.append(frame)
      return frame.contentWindow !== null && 'small' in frame.contentWindow
    })
    expect(inside).toBe(false)
  })

  test('the content policy in the header is enforced', async () => {
    const violated = await run.page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => {
            resolve(event.violatedDirective)
          })
          const script = document.createElement('script')
          script.textContent = 'document.title = "inline ran"'
          document.body.append(script)
        }),
    )
    expect(violated).toBe('script-src-elem')
    expect(await run.page.title()).toBe('worker ran')
  })

  test('navigation can be rejected; a new window is reported to the handler and closed', async () => {
    await run.page.evaluate(() => {
      location.href = 'https://example.com/away'
    })
    const asked = {
      kind: 'willNavigate',
      url: 'https://example.com/away',
      isMainFrame: true,
      isTop: true,
    }
    await expect.poll(() => reported('willNavigate')).toEqual([asked])
    await run.page.click('#web')
    await expect
      .poll(() => reported('openExternal'))
      .toEqual([{ kind: 'openExternal', url: 'https://example.com/' }])
    await expect.poll(() => run.browser.contexts()[0]?.pages().length).toBe(1)
    expect(run.page.url()).toBe('https://small.app.test/')
  })

  test("permissions follow the app's handlers", async () => {
    const states = await run.page.evaluate(async () => {
      const ask = async (name: string) =>
        (await navigator.permissions.query({ name: name as PermissionName })).state
      return [
        await ask('geolocation'),
        await ask('notifications'),
        await ask('clipboard-write'),
        await ask('clipboard-read'),
      ]
    })
    expect(states).toEqual(['denied', 'denied', 'granted', 'denied'])
  })

  test('the app decides about each permission request, whatever its check handler says', async () => {
    const outcomes = await run.page.evaluate(async () => {
      const nameOf = (error: unknown) => (error instanceof Error ? error.name : String(error))
      const located = await new Promise((resolve) => {
        navigator.geolocation.getCurrentPosition(
          () => {
            resolve('located')
          },
          ({ code }) => {
            resolve(`code ${code}`)
          },
        )
      })
      return {
        located,
        notifying: await Notification.requestPermission(),
        media: await navigator.mediaDevices
          .getUserMedia({ audio: true })
          .then(() => 'granted', nameOf),
        reading: await navigator.clipboard.readText().then(() => 'granted', nameOf),
      }
    })
    expect(outcomes).toEqual({
      located: 'located',
      notifying: 'denied',
      media: 'NotAllowedError',
      reading: 'NotAllowedError',
    })
    // Granted for that one call only.
    const state = () =>
      run.page.evaluate(
        async () => (await navigator.permissions.query({ name: 'geolocation' })).state,
      )
    await expect.poll(state).toBe('denied')
    const asked = {
      kind: 'asked',
      isMainFrame: true,
      requestingUrl: 'app://small/',
      mediaTypes: [],
    }
    expect(reported('asked')).toEqual([
      { ...asked, permission: 'geolocation' },
      { ...asked, permission: 'notifications' },
      { ...asked, permission: 'media', mediaTypes: ['audio'] },
      { ...asked, permission: 'clipboard-read' },
    ])
  })

  test('a child frame has its own navigation and permission requests, and no bridge', async () => {
    const before = reported('asked').length
    const seen = await run.page.evaluate(async () => {
      const frame = document.createElement('iframe')
      frame.src = 'child'
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
      document.body.append(frame)
      await loaded
      const inside = frame.contentWindow as (Window & typeof globalThis) | null
      return [
        inside?.document.title,
        await inside?.Notification.requestPermission(),
        inside !== null && 'small' in inside,
      ]
    })
    expect(seen).toEqual(['child', 'denied', false])
    const asked = { url: 'app://small/child', isMainFrame: false, isTop: false }
    expect(reported('willNavigate').at(-1)).toMatchObject(asked)
    expect(reported('asked').slice(before)).toMatchObject([
      { isMainFrame: false, requestingUrl: 'app://small/child' },
    ])
  })

  test('the app can prevent a redirect', async () => {
    await run.ask('redirectNext', 'https://example.com/redirected')
    await run.page.evaluate(() => {
      location.href = 'child'
    })
    const prevented = { kind: 'willRedirect', url: 'https://example.com/redirected' }
    await expect.poll(() => reported('willRedirect')).toEqual([prevented])
    await expect.poll(() => run.page.title()).toBe('worker ran')
  })

  test('the app can prevent a webview', async () => {
    expect(await run.ask('attachWebview')).toBe(false)
  })

  test('the app can let a page open a window, with the same preferences', async () => {
    const opened = run.browser.contexts()[0]!.waitForEvent('page')
    await run.page.evaluate(() => {
      window.open('child')
    })
    const second = await opened
    await second.waitForURL('https://small.app.test/child')
    expect(await second.evaluate(() => Object.isFrozen(window.small))).toBe(true)
    expect(await run.ask<WindowLook[]>('windows')).toMatchObject([
      { url: 'app://small/', visible: true, focused: false },
      { url: 'app://small/child', visible: true, focused: true },
    ])
    await second.close()
    await expect.poll(() => run.ask<WindowLook[]>('windows')).toHaveLength(1)
  })

  test('a second start passes its arguments, folder and data; a minimized window takes no focus', async () => {
    await run.ask('window', 'minimize')
    const second = runStandin(main, ['--flag', 'first', '--other', 'second'], env)
    await expect(second).rejects.toThrow('ended (0) before it showed a window')
    await expect.poll(() => reported('secondInstance')).toHaveLength(1)
    // As Chromium does it: every switch comes first, so a value is no longer behind its option.
    const argv = ['--flag', '--other', main, 'first', 'second']
    expect(reported('secondInstance')[0]).toMatchObject({
      argv,
      folder: process.cwd(),
      data: { from: 'second' },
    })
    expect(reported('focused')).toEqual([{ kind: 'focused', whileMinimized: false }])
    expect(await run.ask<WindowLook[]>('windows')).toMatchObject([
      { visible: true, focused: true, minimized: false },
    ])
    expect(reported('window').slice(-2)).toMatchObject([{ event: 'restore' }, { event: 'focus' }])
  })

  test('a dead page process is reported with its reason, and the page can reload', async () => {
    const loads = reported('loaded').length
    await run.ask('crash', 'oom')
    await expect
      .poll(() => reported('gone'))
      .toEqual([{ kind: 'gone', reason: 'oom', crashed: true }])
    await expect.poll(() => reported('loaded').length).toBeGreaterThan(loads)
    const page = await run.freshPage()
    const heard = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          window.small.onMessage(resolve)
          window.small.send('again')
        }),
    )
    expect(heard).toBe('again from app://small/')
  })

  test('calls that Electron rejects before or after the app is ready throw', () => {
    expect(reported('refusals')[0]).toMatchObject({
      early: {
        window: 'Cannot create BrowserWindow before app is ready',
        session: 'Session can only be received when app is ready',
        protocol: 'Session can only be received when app is ready',
        screen: "The 'screen' module can't be used before the app 'ready' event",
        safeStorage: 'safeStorage cannot be used before app is ready',
        keyStore: 'unknown',
        sandbox: 'allowed',
        ready: false,
      },
      late: {
        privileges: 'protocol.registerSchemesAsPrivileged should be called before app is ready',
        sandbox: 'app.enableSandbox() can only be called before app is ready',
      },
      destroyed: 'Object has been destroyed',
      destroyedContents: 'Object has been destroyed',
      box: 'allowed',
    })
  })

  test('unsafe and unknown preferences are rejected by name', () => {
    expect(reported('refusals')[0]?.['accepted']).toEqual([])
  })

  test('using a missing member throws an error with its name', () => {
    expect(reported('refusals')[0]?.['member']).toContain('no app.getLocale')
  })

  test('a signal lets the app quit cleanly, and no window opens meanwhile', async () => {
    expect(await run.close()).toBe(0)
    expect(reported('willQuit')).toHaveLength(1)
    expect(reported('whileQuitting')).toMatchObject([
      { window: expect.stringContaining('refuses a new window while the app quits') },
    ])
  })
})

test('a start that shows no window fails', async () => {
  const hidden = fileURLToPath(new URL('./small/hidden.mjs', import.meta.url))
  await expect(runStandin(hidden, [])).rejects.toThrow('No window was shown.')
})
