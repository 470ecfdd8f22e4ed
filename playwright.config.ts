/**
 * End-to-end tests: the built application, driven as a user drives it. `COUNTERSIGN_E2E_HOST` names the host: `loopback` (the
 * default), `standin` (the built Electron main and preload over Chromium) or `electron`. `scripts/test.mjs` runs each in turn.
 */
import { defineConfig } from '@playwright/test'
import { chromiumArguments, findChromium } from './scripts/lib/chromium.ts'

const host = process.env['COUNTERSIGN_E2E_HOST'] ?? 'loopback'
const executablePath = findChromium()

/** What the one renderer bundle does by itself, at length: alike in every host, so it is run on the first of them alone. */
const OF_THE_RENDERER_ALONE = ['**/body-exact.spec.ts', '**/body-hostile.spec.ts', '**/filter-operators.spec.ts']

export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.spec.ts',
  testIgnore: host === 'loopback' ? [] : OF_THE_RENDERER_ALONE,
  outputDir: `test-results/${host}`,
  forbidOnly: process.env['CI'] !== undefined,
  fullyParallel: false,
  // A file is one worker's; each test has an app, a folder and ports of its own, and waits for them more than it computes.
  workers: 2,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  metadata: { host },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    headless: true,
    ignoreHTTPSErrors: false,
    trace: 'retain-on-failure',
    launchOptions: {
      ...(executablePath === null ? {} : { executablePath }),
      // Chromium's own sandbox refuses to run as root.
      chromiumSandbox: process.getuid?.() !== 0,
      args: chromiumArguments,
    },
  },
})
