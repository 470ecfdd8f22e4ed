/** Tests what the stand-in refuses, and its permissions, with a minimal main process. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../scripts/lib/chromium.ts'
import { runStandin, type StandinRun } from './run.ts'

interface SmallBridge {
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

  beforeAll(async () => {
    run = await runStandin(main, [])
  })
  afterAll(async () => {
    // Without this guard, a failed start would hide its reason behind a TypeError.
    await (run as StandinRun | undefined)?.close()
  })

  const reported = (kind: string) => run.reports.filter((message) => message.kind === kind)

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

  test('a child frame has its own permission requests, and no bridge', async () => {
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
    expect(reported('asked').slice(before)).toMatchObject([
      { isMainFrame: false, requestingUrl: 'app://small/child' },
    ])
  })

  test('calls that Electron rejects before or after the app is ready throw', () => {
    expect(reported('refusals')[0]).toMatchObject({
      early: {
        window: 'Cannot create BrowserWindow before app is ready',
        session: 'Session can only be received when app is ready',
        protocol: 'Session can only be received when app is ready',
        screen: "The 'screen' module can't be used before the app 'ready' event",
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
