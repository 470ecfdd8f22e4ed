/**
 * End-to-end tests: the built application, driven as a user drives it. `COUNTERSIGN_E2E_HOST` names the host: `loopback` (the
 * default), `standin` (the built Electron main and preload over Chromium) or `electron`. `scripts/test.mjs` runs each in turn.
 */
import { defineConfig } from '@playwright/test'
import { chromiumArguments, findChromium, findHeadlessShell } from './scripts/lib/chromium.ts'
import { keepCompiledModules } from './scripts/lib/compile-cache.ts'

keepCompiledModules()

const host = process.env['COUNTERSIGN_E2E_HOST'] ?? 'loopback'
const executablePath = (host === 'loopback' ? findHeadlessShell() : null) ?? findChromium()

/**
 * The stand-in runs what main and preload do themselves: the walls and the start of the app, the bridge with small and with large
 * messages, a restart, the clipboard, the content policy. What the one renderer bundle does over the channel, whose contract has a
 * test of its own in every host, is the same everywhere: it runs in the browser, and in the real Electron. So do the tests of these
 * specs that are tagged `@any-host`.
 */
const ON_THE_STANDIN = '**/{desktop,desktop-start,first-run,hostile-payloads,live,page-problems}.spec.ts'

export default defineConfig({
  testDir: 'test/e2e',
  testMatch: host === 'standin' ? ON_THE_STANDIN : '**/*.spec.ts',
  ...(host === 'standin' ? { grepInvert: /@any-host/ } : {}),
  outputDir: `test-results/${host}`,
  forbidOnly: process.env['CI'] !== undefined,
  fullyParallel: false,
  workers: 2,
  retries: 0,
  // What is waited for comes in its own time: a machine with other work takes many times what a quiet one does.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  metadata: { host },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    headless: true,
    ignoreHTTPSErrors: false,
    // A trace takes a fifth of the processor time; `--trace on` makes one where it is wanted.
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath === null ? {} : { executablePath }),
      // Chromium's own sandbox refuses to run as root.
      chromiumSandbox: process.getuid?.() !== 0,
      args: chromiumArguments,
    },
  },
})
