/**
 * Promise 5 in a real browser with a session: a page whose name resolves to this computer, and one
 * on another port, try everything. The pages report what they could read, and the core what they
 * could change.
 */
import { writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Browser, type BrowserContext } from '@playwright/test'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testChromiumArguments, ensureChromium } from '../../scripts/lib/chromium.ts'
import { CANARY, startTestHost, type TestHost } from './loopback-fixture.ts'
import { listen } from '../support/listen.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let browser: Browser
let context: BrowserContext
let app: TestHost
let attacker: Server
let attackerPort: number

beforeAll(async () => {
  const executablePath = await ensureChromium()
  if (executablePath === null)
    throw new Error('This test needs a Chromium: install one, or name it in CHROMIUM.')
  browser = await chromium.launch({
    executablePath,
    chromiumSandbox: false,
    args: [...testChromiumArguments, '--host-resolver-rules=MAP evil.test 127.0.0.1'],
  })
  attacker = createServer((_request, response) => {
    response
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end('<!doctype html><title>attacker</title><body></body>')
  })
  attackerPort = await listen(attacker)
})

afterAll(async () => {
  await browser.close()
  await new Promise((resolve) => attacker.close(resolve))
})

beforeEach(async () => {
  app = await startTestHost()
  context = await browser.newContext()
  return async () => {
    await context.close()
    await app.host.close()
  }
})

/** Opens the app as a user does; resolves when its WebSocket has reached the core. */
async function openApp() {
  const page = await context.newPage()
  await page.goto(app.host.issueAddress(60_000))
  await page.waitForFunction((canary) => document.title.startsWith(`${canary}: hello`), CANARY)
  return page
}

/**
 * Tries everything that a page can try with a URL, and resolves with the text it could read.
 * Sending without reading doesn't count.
 */
function attack(target: string): Promise<string[]> {
  const wait = (ms: number) => new Promise<string>((resolve) => setTimeout(() => resolve(''), ms))
  const within = (attempt: Promise<string>) => Promise.race([attempt.catch(() => ''), wait(2_000)])
  const read = async (path: string, init: RequestInit) => {
    const answer = await fetch(target + path, init)
    return answer.type === 'opaque' ? '' : await answer.text()
  }
  const socket = (protocols: string[]) =>
    new Promise<string>((resolve) => {
      const opened = new WebSocket(`${target.replace('http', 'ws')}/rpc`, protocols)
      opened.addEventListener('open', () => {
        opened.send('from the attacker')
        resolve('a WebSocket opened')
      })
      opened.addEventListener('message', (event) => resolve(String(event.data)))
      opened.addEventListener('error', () => resolve(''))
    })
  const element = (tag: 'img' | 'script' | 'iframe', path: string) =>
    new Promise<string>((resolve) => {
      const made = document.createElement(tag)
      made.addEventListener('load', () => {
        let text = tag === 'iframe' ? '' : `${tag} loaded`
        try {
          if (made instanceof HTMLIFrameElement) text = made.contentDocument?.body.textContent ?? ''
        } catch {
          // A different origin, so the browser blocks it.
        }
        resolve(text)
      })
      made.addEventListener('error', () => resolve(''))
      made.src = target + path
      document.body.append(made)
    })
  const form = () => {
    const frame = document.createElement('iframe')
    frame.name = 'answer'
    const made = document.createElement('form')
    Object.assign(made, { method: 'POST', action: `${target}/session`, target: 'answer' })
    document.body.append(frame, made)
    made.submit()
    return wait(500)
  }
  const own = { 'x-countersign': 'N'.repeat(43), 'x-countersign-key': 'K'.repeat(43) }
  return Promise.all(
    [
      ...['/', '/index.html', '/assets/app.js', '/session', '/rpc'].flatMap((path) => [
        read(path, { credentials: 'include' }),
        read(path, { credentials: 'include', mode: 'no-cors' }),
        read(path, { credentials: 'include', method: 'POST', body: 'x' }),
        read(path, { credentials: 'include', method: 'POST', headers: own }),
        read(path, { credentials: 'include', method: 'PUT' }),
      ]),
      element('img', '/'),
      element('script', '/assets/app.js'),
      element('iframe', '/'),
      form(),
      Promise.resolve(String(navigator.sendBeacon(`${target}/session`, 'x'))).then(() => ''),
      socket([]),
      socket(['countersign']),
      socket(['countersign', `ticket.${'A'.repeat(43)}`]),
    ].map(within),
  ).then((texts) => texts.filter((text) => text !== ''))
}

/**
 * Expects that nothing was read: a page may read a rejection if the browser treats it as ours (DNS
 * rebinding), so rejections must not reveal anything.
 */
function expectNothingRead(texts: string[]) {
  for (const text of texts) {
    expect(text).not.toContain(CANARY)
    expect(text).not.toContain(String(app.host.port))
    expect(text).not.toMatch(/ticket|token|loaded|opened/)
  }
}

describe('a browser with a session', () => {
  test('opens the app from its one-time URL, and the address bar shows no token', async () => {
    const page = await openApp()
    expect(page.url()).toBe(`${app.host.origin}/`)
    expect(app.core.messages).toEqual(['hello'])
    await page.reload()
    await page.waitForFunction((canary) => document.title.startsWith(`${canary}: hello`), CANARY)
  })

  test('opens it from the file that the command line creates', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'open.html')
    await writeFile(
      file,
      `<meta http-equiv="refresh" content="0;url=${app.host.issueAddress(60_000)}">`,
    )
    const page = await context.newPage()
    await page.goto(pathToFileURL(file).href)
    await page.waitForFunction((canary) => document.title.startsWith(`${canary}: hello`), CANARY)
    expect(page.url()).toBe(`${app.host.origin}/`)
  })

  test('a page on another port of this computer reads and changes nothing', async () => {
    await openApp()
    const before = { ...app.core, messages: [...app.core.messages] }
    const page = await context.newPage()
    for (const host of ['127.0.0.1', 'localhost']) {
      await page.goto(`http://${host}:${attackerPort}/`)
      const texts = await page.evaluate(attack, `http://${host}:${app.host.port}`)
      expect(texts).toEqual([])
    }
    expect(app.core).toEqual(before)
  })

  test('a page whose name resolves to this computer reads and changes nothing', async () => {
    await openApp()
    const before = { ...app.core, messages: [...app.core.messages] }
    const page = await context.newPage()
    const evil = `http://evil.test:${app.host.port}`
    // The name resolves to our port, as after DNS rebinding: the attacker's page then has the same
    // origin as ours.
    await page.route(`${evil}/attack`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><body></body>' }),
    )
    await page.goto(`${evil}/attack`)
    expectNothingRead(await page.evaluate(attack, evil))
    expectNothingRead(await page.evaluate(attack, app.host.origin))
    const answer = await page.goto(`${evil}/`)
    expect(answer?.status()).toBe(403)
    // Rejected because of the name, before any session is checked.
    expect(await answer?.text()).toContain('Unknown host')
    expect(app.core).toEqual(before)
  })
})
