/**
 * The security limits of the desktop host: what the page gets, what it can't reach, and where it can't navigate. Runs on the built
 * bundles with the stand-in for `electron`, and on real Electron; `desktop-electron.spec.ts` has the parts that only real Electron
 * shows.
 */
import { fileURLToPath } from 'node:url'
import { expect } from '@playwright/test'
import { runToEnd } from '../standin/run.ts'
import { type Canary, onlyOnStandin, specs, startCanary } from '../standin/specs.ts'
import { desktopArguments } from './hosts/desktop-host.ts'
import { hostName, isDesktop, sharedDesktopTest as test } from './hosts/launch-desktop.ts'

const main = fileURLToPath(new URL('../../out/main/index.js', import.meta.url))

test.skip(!isDesktop, 'about the desktop host')
// Traces take a screenshot for every step, and these many steps show nothing.
test.use({ trace: 'off' })

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
      // DevTools may use eval whatever the policy says; after a turn of the event loop, the policy applies.
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

// The last one ends the app.
for (const [name, spec] of Object.entries(specs))
  test(name, async ({ desktop }) => {
    test.skip(
      hostName !== 'standin' && (onlyOnStandin as readonly string[]).includes(name),
      'only the stand-in can be asked for this',
    )
    await spec({
      ...desktop,
      canary,
      startAgain: async () => (await runToEnd(main, desktopArguments(desktop.dataFolder))).code,
    })
  })
