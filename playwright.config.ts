/**
 * End-to-end tests: they use the built application as a person does. `COUNTERSIGN_E2E_HOST` names the host: `loopback` (the
 * default), `standin` (the built Electron main and preload over Chromium) or `electron`. `scripts/test.mjs` runs each in turn.
 */
import { defineConfig } from '@playwright/test'
import { testChromiumArguments, findChromium, findHeadlessShell } from './scripts/lib/chromium.ts'
import { keepCompiledModules } from './scripts/lib/compile-cache.ts'

keepCompiledModules()

const host = process.env['COUNTERSIGN_E2E_HOST'] ?? 'loopback'
const executablePath = (host === 'loopback' ? findHeadlessShell() : null) ?? findChromium()

/**
 * The stand-in runs only what main and preload do themselves: the security limits, startup, small and large messages over the
 * bridge, restarts, the clipboard and the content policy. The renderer behaves alike in every host, because each host passes the
 * contract test; its specs run in the browser and in real Electron.
 */
const ON_THE_STANDIN =
  '**/{desktop,desktop-open,desktop-shell,desktop-start,desktop-updates,hostile-payloads,live,page-problems}.spec.ts'

export default defineConfig({
  testDir: 'test/e2e',
  testMatch: host === 'standin' ? ON_THE_STANDIN : '**/*.spec.ts',
  outputDir: `test-results/${host}`,
  forbidOnly: process.env['CI'] !== undefined,
  fullyParallel: false,
  workers: 2,
  retries: 0,
  // A busy machine takes many times as long as an idle one; but a row that can't be clicked for 30 s never can.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  metadata: { host },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    headless: true,
    ignoreHTTPSErrors: false,
    // A trace takes a fifth of the processor time. Use `--trace on` to record one.
    trace: 'off',
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath === null ? {} : { executablePath }),
      // Chromium's own sandbox refuses to run as root.
      chromiumSandbox: process.getuid?.() !== 0,
      args: testChromiumArguments,
    },
  },
})
