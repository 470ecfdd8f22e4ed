/** Tests the stand-in with a minimal main process: the end-to-end tests of the desktop app depend on it. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../scripts/lib/chromium.ts'
import { runStandin, type StandinRun } from './run.ts'

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

  beforeAll(async () => {
    run = await runStandin(main, [])
  })
  afterAll(async () => {
    await run.close()
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
      globals: ['require', 'process', 'module', 'ipcRenderer', 'contextBridge'].filter((name) => name in window),
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
    await expect.poll(() => reported('willNavigate')).toEqual([{ kind: 'willNavigate', url: 'https://example.com/away' }])
    await run.page.click('#web')
    await expect.poll(() => reported('openExternal')).toEqual([{ kind: 'openExternal', url: 'https://example.com/' }])
    await expect.poll(() => run.browser.contexts()[0]?.pages().length).toBe(1)
    expect(run.page.url()).toBe('https://small.app.test/')
  })

  test("permissions follow the app's handlers", async () => {
    const states = await run.page.evaluate(async () => {
      const ask = async (name: string) => (await navigator.permissions.query({ name: name as PermissionName })).state
      return [await ask('geolocation'), await ask('notifications'), await ask('clipboard-write'), await ask('clipboard-read')]
    })
    expect(states).toEqual(['denied', 'denied', 'granted', 'denied'])
  })

  test('using a missing member throws an error with its name', () => {
    const [refusals] = reported('refusals')
    expect(refusals?.['member']).toContain('no app.getLocale')
    expect(refusals?.['window']).toContain('sandboxed and isolated')
  })

  test('a signal lets the app quit cleanly', async () => {
    expect(await run.close()).toBe(0)
    expect(reported('willQuit')).toHaveLength(1)
  })
})
