/**
 * The specs of the desktop app, as functions of a running app: the end-to-end tests run all of them on every desktop host, and
 * `mutants.test.ts` runs one of them on each changed build, which it must catch.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect as playwrightsExpect } from '@playwright/test'
import { askCore, type DesktopHost } from '../e2e/hosts/desktop-host.ts'
import { TEST_TIMEOUT_MS } from '../support/long-form.ts'
import type { Forged, ForgedOutcome } from './ipc.ts'
import type { StandinRun } from './run.ts'
import type { WindowState } from './state.ts'

/** With its own limit, half of a test's: Vitest runs these too, and `mutants.test.ts` expects failures. */
const expect = playwrightsExpect.configure({ timeout: TEST_TIMEOUT_MS / 2 })

export interface Subject extends Pick<
  DesktopHost,
  'page' | 'home' | 'openedOutside' | 'windowCount' | 'quit' | 'standin'
> {
  readonly dataFolder: string
  readonly canary: Canary
  /** Starts the app once more on the same folder, and resolves with its exit code. Only the stand-in can. */
  readonly startAgain: (...argv: readonly string[]) => Promise<number | null>
  /** Names a console error, policy violation or failed request that the spec causes itself. */
  provokes(...problems: readonly RegExp[]): void
}

/** A server that no part of the app may ever reach. */
export interface Canary {
  readonly url: string
  readonly hits: string[]
  close(): void
}

export async function startCanary(): Promise<Canary> {
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

type Spec = (desktop: Subject) => Promise<void>

const servesOnlyTheBundle: Spec = async (desktop) => {
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
}

const staysOnItsPage: Spec = async (desktop) => {
  desktop.provokes(/^(security|content policy): /)
  const { page, home, canary } = desktop
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
}

const opensOnlyTheWebOutside: Spec = async (desktop) => {
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
}

const answersOnlyItsOwnPage: Spec = async (desktop) => {
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
}

const grantsOnlyTheClipboard: Spec = async (desktop) => {
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
}

function standinOf({ standin }: Subject): StandinRun {
  if (standin === null) throw new Error('Only the stand-in shows this.')
  return standin
}

const showsItsWindow: Spec = async (desktop) => {
  const windows = await standinOf(desktop).ask<WindowState[]>('windows')
  expect(windows).toMatchObject([
    { url: 'app://countersign/', visible: true, focused: true, minimized: false },
  ])
}

const followsNoRedirect: Spec = async (desktop) => {
  const { page, canary } = desktop
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
}

const attachesNoWebview: Spec = async (desktop) => {
  expect(await standinOf(desktop).ask('attachWebview')).toBe(false)
}

const HOME = 'app://countersign/'

/** Senders that may not call the core. */
export const strangers: Readonly<Record<string, Pick<Forged, 'fromOwnWindow' | 'frame'>>> = {
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

/** Calls every channel that the app listens on as each stranger: rejected before parsing, without a response. */
const refusesStrangers: Spec = async (desktop) => {
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
}

/** A second start exits on its own and shows the first window. */
const showsTheFirstWindow: Spec = async (desktop) => {
  const standin = standinOf(desktop)
  await standin.ask('window', 'minimize')
  expect((await standin.ask<WindowState[]>('windows'))[0]).toMatchObject({
    minimized: true,
    focused: false,
  })
  expect(await desktop.startAgain()).toBe(0)
  await expect.poll(() => standin.reports.map(({ kind }) => kind)).toContain('secondStart')
  expect((await standin.ask<WindowState[]>('windows'))[0]).toMatchObject({
    visible: true,
    minimized: false,
    focused: true,
  })
}

const closesTheCore: Spec = async (desktop) => {
  const { dataFolder } = desktop
  expect(existsSync(join(dataFolder, 'instance.json'))).toBe(true)
  expect(await desktop.quit()).toBe(0)
  expect(existsSync(join(dataFolder, 'instance.json'))).toBe(false)
  const state = JSON.parse(readFileSync(join(dataFolder, 'desktop', 'window.json'), 'utf8')) as {
    bounds: { width: number }
  }
  expect(state.bounds.width).toBeGreaterThanOrEqual(720)
}

/** By the titles of their tests. */
export const specs = {
  'the window is shown and focused': showsItsWindow,
  'only files of the manifest are served, with the policy and without sniffing':
    servesOnlyTheBundle,
  "a page can't navigate the window or open another": staysOnItsPage,
  "redirects aren't followed": followsNoRedirect,
  "a `webview` can't attach": attachesNoWebview,
  "a link opens in the system's browser after a real click, and only to the web":
    opensOnlyTheWebOutside,
  "the core responds only to the app's own page, not to another document in the same window":
    answersOnlyItsOwnPage,
  'every channel rejects other windows, child frames and other pages before parsing':
    refusesStrangers,
  'the page is denied every permission but writing to the clipboard': grantsOnlyTheClipboard,
  'a second start shows the first window, restored and focused': showsTheFirstWindow,
  "quitting closes the core: the folder is free again, and the window's position is saved":
    closesTheCore,
} as const satisfies Record<string, Spec>

export type SpecName = keyof typeof specs

/** Specs that only the stand-in can run. */
export const onlyOnStandin: readonly SpecName[] = [
  'the window is shown and focused',
  "redirects aren't followed",
  "a `webview` can't attach",
  'every channel rejects other windows, child frames and other pages before parsing',
  'a second start shows the first window, restored and focused',
]
