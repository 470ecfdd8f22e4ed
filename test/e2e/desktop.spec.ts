/**
 * The security limits of the desktop host: what the page gets, what it can't reach, and where it
 * can't navigate. Runs on the built bundles with the stand-in for `electron`, and on real Electron;
 * `desktop-electron.spec.ts` has the parts that only real Electron shows.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from '@playwright/test'
import type { Forged, ForgedOutcome } from '../standin/ipc.ts'
import { runToEnd, type StandinRun } from '../standin/run.ts'
import type { WindowState } from '../standin/state.ts'
import { askCore, desktopArguments } from './hosts/desktop-host.ts'
import { isDesktop, sharedDesktopTest as test, type Desktop } from './hosts/launch-desktop.ts'

const main = fileURLToPath(new URL('../../out/main/index.js', import.meta.url))

test.skip(!isDesktop, 'about the desktop host')
// Traces take a screenshot for every step, and these many steps show nothing.
test.use({ trace: 'off' })

/** A server that no part of the app may ever reach. */
interface Canary {
  readonly url: string
  readonly hits: string[]
  close(): void
}

async function startCanary(): Promise<Canary> {
  const hits: string[] = []
  const server = createServer((request, response) => {
    hits.push(request.url ?? '')
    response.end('reached')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    hits,
    close: () => void server.close(),
  }
}

let canary: Canary
test.beforeAll(async () => {
  canary = await startCanary()
})
test.afterAll(() => {
  canary.close()
})

test('the bridge has three members, is frozen, and exposes nothing of Node', async ({
  desktop,
}) => {
  const seen = await desktop.page.evaluate(() => {
    const bridge = window.countersign
    const attempt = (change: () => void) => {
      try {
        change()
      } catch {
        // Rejected with an error in strict code, silently elsewhere: the test checks the result.
      }
    }
    attempt(() => Object.assign(window, { countersign: 'replaced' }))
    attempt(() => Object.assign(bridge, { send: 'replaced', more: 1 }))
    attempt(() => Object.assign(bridge.capabilities, { showInFolder: 'replaced' }))
    attempt(() => Reflect.deleteProperty(window, 'countersign'))
    return {
      same: window.countersign === bridge,
      members: Object.keys(bridge).toSorted(),
      types: [typeof bridge.send, typeof bridge.onMessage],
      capabilities: { ...bridge.capabilities },
      node: [
        'require',
        'process',
        'module',
        'exports',
        'Buffer',
        'global',
        '__dirname',
        'electron',
        'ipcRenderer',
      ].filter((name) => name in window),
    }
  })
  expect(seen).toEqual({
    same: true,
    members: ['capabilities', 'onMessage', 'send'],
    types: ['function', 'function'],
    capabilities: {
      showInFolder: true,
      insetTitleBar: process.platform === 'darwin',
      desktop: true,
    },
    node: [],
  })
})

/** Directives of the content policy, each of which the page violates below. */
const DIRECTIVES = ['script-src-elem', 'script-src-attr', 'connect-src', 'img-src', 'frame-src']

test("only the bundle's scripts run, and the page can't connect to any server", async ({
  desktop,
}) => {
  canary.hits.length = 0
  desktop.provokes(
    /^(security|content policy): /,
    /^javascript: .*127\.0\.0\.1/,
    /^network: .*127\.0\.0\.1/,
  )
  const seen = await desktop.page.evaluate(
    async ({ target, directives }) => {
      const violations: string[] = []
      document.addEventListener('securitypolicyviolation', (event) =>
        violations.push(event.effectiveDirective),
      )
      const flag = window as typeof window & { ran?: string }
      const script = document.createElement('script')
      script.textContent = 'window.ran = "inline"'
      const source = document.createElement('script')
      source.src = `${target}script.js`
      const image = document.createElement('img')
      image.setAttribute('onerror', 'window.ran = "attribute"')
      image.src = `${target}pixel`
      const frame = document.createElement('iframe')
      frame.src = `${target}frame`
      document.body.append(script, source, image, frame)
      const refused = async (attempt: () => unknown) => {
        try {
          await attempt()
          return 'done'
        } catch (error) {
          return (error as Error).name
        }
      }
      // DevTools may use eval whatever the policy says; after a turn of the event loop, the policy
      // applies.
      await new Promise((resolve) => setTimeout(resolve, 0))
      const attempts = {
        evaluation: await refused(() => Reflect.apply(window.eval, window, ['1'])),
        fetch: await refused(() => fetch(target)),
        socket: await refused(
          () =>
            new Promise((resolve, reject) => {
              const socket = new WebSocket(target.replace('http', 'ws'))
              socket.addEventListener('open', resolve)
              socket.addEventListener('error', () => {
                reject(new Error('refused'))
              })
            }),
        ),
        beacon: navigator.sendBeacon(target),
      }
      while (!directives.every((name) => violations.includes(name)))
        await new Promise((resolve) => setTimeout(resolve, 20))
      return { ran: flag.ran, attempts }
    },
    { target: canary.url, directives: DIRECTIVES },
  )
  expect(seen.ran).toBeUndefined()
  expect(seen.attempts).toMatchObject({
    evaluation: 'EvalError',
    fetch: 'TypeError',
    socket: 'Error',
  })
  expect(canary.hits).toEqual([])
})

/** Skips the test on the real Electron, which can't be asked. */
function standinOf({ standin }: Desktop): StandinRun {
  test.skip(standin === null, 'only the stand-in can be asked for this')
  return standin!
}

test('only files of the manifest are served, with the policy and without sniffing', async ({
  desktop,
}) => {
  const { page, home } = desktop
  desktop.provokes(/status of 404/)
  const get = (paths: readonly string[]) =>
    page.evaluate(
      ({ root, names }) =>
        Promise.all(
          names.map(async (name) => {
            const response = await fetch(root + name)
            const { status, headers } = response
            const text = (await response.text()).slice(0, 60)
            return {
              name,
              status,
              text,
              policy: headers.get('content-security-policy'),
              sniff: headers.get('x-content-type-options'),
            }
          }),
        ),
      { root: home, names: paths },
    )

  const [index, root] = await get(['index.html', ''])
  expect([index?.status, root?.status]).toEqual([200, 200])
  expect(index?.policy).toContain("script-src 'self'")
  expect(index?.sniff).toBe('nosniff')

  const escapes = [
    '../package.json',
    '%2e%2e%2f%2e%2e%2fetc/passwd',
    '..%5cpackage.json',
    'etc/passwd',
    'index.html%00.js',
    'INDEX.HTML',
    'assets',
    '../main/index.js',
    'manifest.json',
  ]
  for (const answer of await get(escapes)) {
    expect(answer, answer.name).toMatchObject({
      status: 404,
      text: 'File not found.',
      sniff: 'nosniff',
    })
    expect(answer.policy, answer.name).toBe(index?.policy)
  }
})

test("a page can't navigate the window or open another", async ({ desktop }) => {
  desktop.provokes(/^(security|content policy): /)
  const { page, home } = desktop
  canary.hits.length = 0
  const vectors: Record<string, (target: string) => void> = {
    location: (target) => {
      location.href = target
    },
    replace: (target) => {
      location.replace(target)
    },
    top: (target) => {
      window.top!.location.href = target
    },
    file: () => {
      location.href = 'file:///etc/passwd'
    },
    data: () => {
      location.href = 'data:text/html,<p>elsewhere'
    },
    script: () => {
      location.href = 'javascript:document.body.replaceChildren()'
    },
    'another file of the app': () => {
      location.href = './bundle/none.html'
    },
    open: (target) => {
      window.open(target)
    },
    'open here': (target) => {
      window.open(target, '_self')
    },
    'open blank': () => {
      window.open('about:blank')
    },
    'open file': () => {
      window.open('file:///etc/passwd')
    },
    link: (target) => {
      const link = Object.assign(document.createElement('a'), { href: target })
      document.body.append(link)
      link.click()
    },
    'link to a new window': (target) => {
      const link = Object.assign(document.createElement('a'), { href: target, target: '_blank' })
      document.body.append(link)
      link.click()
    },
    'click with a key': (target) => {
      const link = Object.assign(document.createElement('a'), { href: target })
      document.body.append(link)
      link.dispatchEvent(
        new MouseEvent('click', { ctrlKey: true, bubbles: true, cancelable: true }),
      )
    },
    form: (target) => {
      const form = Object.assign(document.createElement('form'), { action: target, method: 'post' })
      document.body.append(form)
      form.submit()
    },
    refresh: (target) => {
      const meta = document.createElement('meta')
      meta.httpEquiv = 'refresh'
      meta.content = `0;url=${target}`
      document.head.append(meta)
    },
    frame: (target) => {
      document.body.append(Object.assign(document.createElement('iframe'), { src: target }))
    },
    'frame to the top': () => {
      document.body.append(
        Object.assign(document.createElement('iframe'), {
          srcdoc: '<script>top.location = "about:blank"</script>',
        }),
      )
    },
  }
  // The stand-in doesn't see blob: URLs, because they aren't requests.
  if (desktop.standin === null) {
    vectors['blob'] = () => {
      location.href = URL.createObjectURL(new Blob(['<p>elsewhere'], { type: 'text/html' }))
    }
  }
  await page.evaluate(() => {
    document.documentElement.dataset['same'] = 'yes'
  })
  for (const [name, vector] of Object.entries(vectors)) {
    await page.evaluate(vector, `${canary.url}${encodeURIComponent(name)}`)
    await page.waitForTimeout(150)
    expect(page.url().startsWith(home), name).toBe(true)
    expect(
      await page.evaluate(() => document.documentElement.dataset['same']),
      `${name}: the same document`,
    ).toBe('yes')
  }
  expect(await desktop.windowCount()).toBe(1)
  expect(await page.evaluate(() => document.body.childElementCount)).toBeGreaterThan(0)
  expect(await desktop.openedOutside()).toEqual([])
  expect(canary.hits).toEqual([])
})

test("a link opens in the system's browser after a real click, and only to the web", async ({
  desktop,
}) => {
  const { page } = desktop
  await page.evaluate(() => {
    const links = [
      'https://example.com/docs',
      'file:///etc/passwd',
      'smb://example.com/share',
      'ms-msdt:/id',
      'javascript:1',
    ]
    const shelf = Object.assign(document.createElement('div'), { id: 'links' })
    shelf.style.cssText = 'position: fixed; inset: 0; z-index: 2147483647; background: white'
    for (const href of links) {
      shelf.append(
        Object.assign(document.createElement('a'), { href, target: '_blank', textContent: href }),
        document.createElement('br'),
      )
    }
    document.body.append(shelf)
  })
  for (const link of (await page.locator('#links a').all()).toReversed()) await link.click()
  // It was clicked last, so the others are decided.
  await expect.poll(() => desktop.openedOutside()).toContain('https://example.com/docs')
  expect(await desktop.openedOutside()).toEqual(['https://example.com/docs'])
  expect(await desktop.windowCount()).toBe(1)
})

test("the core responds only to the app's own page, not to another document in the same window", async ({
  desktop,
}) => {
  const { page, dataFolder } = desktop
  expect(await askCore(page, 'app.status', {})).toMatchObject({
    ok: true,
    output: { host: 'electron', dataFolder },
  })
  expect(
    await page.evaluate(() => {
      const frame = document.body.appendChild(document.createElement('iframe'))
      return frame.contentWindow !== null && 'countersign' in frame.contentWindow
    }),
  ).toBe(false)

  for (const elsewhere of ['about:blank', 'data:text/html,<title>elsewhere</title>']) {
    await page.goto(elsewhere)
    expect(
      await page.evaluate(() => 'countersign' in window),
      `${elsewhere} has the bridge, so the refusal is the core's`,
    ).toBe(true)
    expect(await askCore(page, 'app.status', {}, 500), elsewhere).toBeNull()
  }
  const log = join(dataFolder, 'logs', 'countersign.log')
  await expect
    .poll(() => readFileSync(log, 'utf8'))
    .toContain("Rejected a message from outside the app's page")

  await page.goto(desktop.home)
  expect(await askCore(page, 'app.status', {})).toMatchObject({ ok: true })
})

test('the page is denied every permission but writing to the clipboard', async ({ desktop }) => {
  const states = await desktop.page.evaluate(async () => {
    const nameOf = (error: unknown) => (error instanceof Error ? error.name : String(error))
    const names = [
      'geolocation',
      'notifications',
      'camera',
      'microphone',
      'midi',
      'clipboard-read',
      'clipboard-write',
    ]
    const entries = names.map(async (name) => {
      const status = await navigator.permissions
        .query({ name: name as PermissionName })
        .catch(() => null)
      return [name, status?.state]
    })
    const located = new Promise((resolve) => {
      navigator.geolocation.getCurrentPosition(
        () => {
          resolve('located')
        },
        (error) => {
          resolve(error.code === error.PERMISSION_DENIED ? 'denied' : `code ${error.code}`)
        },
      )
    })
    return {
      ...(Object.fromEntries(await Promise.all(entries)) as Record<string, string>),
      located: await located,
      notifying: await Notification.requestPermission(),
      recording: await navigator.mediaDevices
        .getUserMedia({ audio: true, video: true })
        .then(() => 'granted', nameOf),
      reading: await navigator.clipboard.readText().then(() => 'granted', nameOf),
    }
  })
  expect(states).toMatchObject({
    geolocation: 'denied',
    notifications: 'denied',
    camera: 'denied',
    microphone: 'denied',
    'clipboard-read': 'denied',
    'clipboard-write': 'granted',
    located: 'denied',
    notifying: 'denied',
    recording: 'NotAllowedError',
    reading: 'NotAllowedError',
  })
  if (desktop.standin === null) return
  // The app decided about each call.
  const asked = desktop.standin.reports
    .filter(({ kind }) => kind === 'permission')
    .map(({ permission }) => permission)
  expect(asked).toEqual(
    expect.arrayContaining(['geolocation', 'notifications', 'media', 'clipboard-read']),
  )
})

test('the window is shown and focused', async ({ desktop }) => {
  const windows = await standinOf(desktop).ask<WindowState[]>('windows')
  expect(windows).toMatchObject([
    { url: 'app://countersign/', visible: true, focused: true, minimized: false },
  ])
})

test("redirects aren't followed", async ({ desktop }) => {
  const { page } = desktop
  canary.hits.length = 0
  await page.evaluate(() => {
    document.documentElement.dataset['same'] = 'yes'
  })
  await standinOf(desktop).ask('redirectNext', `${canary.url}redirected`)
  await page.evaluate(() => {
    location.reload()
  })
  await page.waitForTimeout(300)
  expect(canary.hits).toEqual([])
  expect(await page.evaluate(() => document.documentElement.dataset['same'])).toBe('yes')
})

test("a `webview` can't attach", async ({ desktop }) => {
  expect(await standinOf(desktop).ask('attachWebview')).toBe(false)
})

const HOME = 'app://countersign/'

/** Senders that may not call the core. */
const strangers: Readonly<Record<string, Pick<Forged, 'fromOwnWindow' | 'frame'>>> = {
  'contents of no window of the app': { fromOwnWindow: false, frame: { url: HOME, isTop: true } },
  'a child frame': { fromOwnWindow: true, frame: { url: HOME, isTop: false } },
  'a page of the web': { fromOwnWindow: true, frame: { url: 'https://example.com/', isTop: true } },
  'a page whose URL only begins alike': {
    fromOwnWindow: true,
    frame: { url: 'app://countersign.evil/', isTop: true },
  },
  'an empty page': { fromOwnWindow: true, frame: { url: 'about:blank', isTop: true } },
  'a file': { fromOwnWindow: true, frame: { url: 'file:///app://countersign/', isTop: true } },
  'a frame that has gone': { fromOwnWindow: true, frame: null },
}

/**
 * Calls every channel that the app listens on as each stranger: rejected before parsing, without a
 * response.
 */
test('every channel rejects other windows, child frames and other pages before parsing', async ({
  desktop,
}) => {
  const standin = standinOf(desktop)
  const text = JSON.stringify({ kind: 'request', id: 990_000, command: 'app.status', input: {} })
  const channels = await standin.ask<string[]>('ipc.channels')
  expect(channels).toContain('countersign:to-core')
  for (const channel of channels)
    for (const [name, stranger] of Object.entries(strangers)) {
      const outcome = await standin.ask<ForgedOutcome>('ipc.forge', { channel, text, ...stranger })
      expect(outcome, `${channel} from ${name}`).toEqual({ parsed: false, sent: 0 })
    }
  // The same message from the app's own page is parsed, so the check above can fail.
  const own = { fromOwnWindow: true, frame: { url: HOME, isTop: true } }
  expect(
    await standin.ask<ForgedOutcome>('ipc.forge', { channel: 'countersign:to-core', text, ...own }),
  ).toMatchObject({
    parsed: true,
  })
  const log = join(desktop.dataFolder, 'logs', 'countersign.log')
  const refusals = () =>
    readFileSync(log, 'utf8').split("Rejected a message from outside the app's page").length - 1
  await expect
    .poll(refusals)
    .toBeGreaterThanOrEqual(channels.length * Object.keys(strangers).length)
})

/** A second start exits on its own and shows the first window. */
test('a second start shows the first window, restored and focused', async ({ desktop }) => {
  const standin = standinOf(desktop)
  await standin.ask('window', 'minimize')
  expect((await standin.ask<WindowState[]>('windows'))[0]).toMatchObject({
    minimized: true,
    focused: false,
  })
  expect((await runToEnd(main, desktopArguments(desktop.dataFolder))).code).toBe(0)
  await expect.poll(() => standin.reports.map(({ kind }) => kind)).toContain('secondStart')
  expect((await standin.ask<WindowState[]>('windows'))[0]).toMatchObject({
    visible: true,
    minimized: false,
    focused: true,
  })
})

// Last, because it ends the app.
test("quitting closes the core: the folder is free again, and the window's position is saved", async ({
  desktop,
}) => {
  const { dataFolder } = desktop
  expect(existsSync(join(dataFolder, 'instance.json'))).toBe(true)
  expect(await desktop.quit()).toBe(0)
  expect(existsSync(join(dataFolder, 'instance.json'))).toBe(false)
  const state = JSON.parse(readFileSync(join(dataFolder, 'desktop', 'window.json'), 'utf8')) as {
    bounds: { width: number }
  }
  expect(state.bounds.width).toBeGreaterThanOrEqual(720)
})
