/**
 * End-to-end tests: they use the built application as a person does. `COUNTERSIGN_E2E_HOST` names
 * the host: `loopback` (the default), `standin` (the built Electron main and preload over Chromium)
 * or `electron`. `scripts/test.mjs` runs each in turn.
 */
import { defineConfig, type Project } from '@playwright/test'
import { testChromiumArguments, findChromium, findHeadlessShell } from './scripts/lib/chromium.ts'
import { keepCompiledModules } from './scripts/lib/compile-cache.ts'
import { TEST_TIMEOUT_MS } from './test/support/long-form.ts'

keepCompiledModules()

const host = process.env['COUNTERSIGN_E2E_HOST'] ?? 'loopback'
const executablePath = (host === 'loopback' ? findHeadlessShell() : null) ?? findChromium()

/**
 * The stand-in runs only what main and preload do themselves: the security limits, startup, small
 * and large messages over the bridge, restarts, the clipboard and the content policy. The renderer
 * behaves alike in every host, because each host passes the contract test; its specs run in the
 * browser and in real Electron.
 */
const ON_THE_STANDIN =
  '**/{desktop,desktop-open,desktop-shell,desktop-start,desktop-updates,hostile-payloads,live,page-problems}.spec.ts'

/** Journey of `npm test`, on the loopback host. */
const FIRST = '**/quick-tour.spec.ts'

const projectsOf: Readonly<Record<string, readonly Project[]>> = {
  loopback: [
    { name: 'first', testMatch: FIRST },
    { name: 'rest', testMatch: '**/*.spec.ts', testIgnore: FIRST },
  ],
  standin: [{ name: 'rest', testMatch: ON_THE_STANDIN }],
  electron: [{ name: 'rest', testMatch: '**/*.spec.ts' }],
}

export default defineConfig({
  testDir: 'test/e2e',
  projects: [...(projectsOf[host] ?? [])],
  outputDir: `test-results/${host}`,
  forbidOnly: process.env['CI'] !== undefined,
  fullyParallel: false,
  workers: 2,
  retries: 0,
  timeout: TEST_TIMEOUT_MS,
  expect: { timeout: TEST_TIMEOUT_MS },
  metadata: { host },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    headless: true,
    ignoreHTTPSErrors: false,
    // A trace takes a fifth of the processor time. Use `--trace on` to record one.
    trace: 'off',
    actionTimeout: TEST_TIMEOUT_MS,
    navigationTimeout: TEST_TIMEOUT_MS,
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath === null ? {} : { executablePath }),
      // Chromium's own sandbox refuses to run as root.
      chromiumSandbox: process.getuid?.() !== 0,
      args: testChromiumArguments,
    },
  },
})
