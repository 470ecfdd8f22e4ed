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
 * What the one renderer bundle does at length over the one channel, whose contract has a test of its own in every host: alike everywhere,
 * so the stand-in leaves it to the others, and with it most of its time. What is main's and preload's own it runs.
 */
const OF_THE_RENDERER_ALONE = [
  '**/*accessib*.spec.ts',
  '**/*-states.spec.ts',
  '**/{body,body-exact,body-hostile,compare,diagnosis,filter,filter-operators,keeping,lifecycle}.spec.ts',
  '**/{check,exchange,first-walk,flows,forward,hooks-troubles,kept-preferences,replay,sandbox,shrink}.spec.ts',
]

export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.spec.ts',
  testIgnore: host === 'standin' ? OF_THE_RENDERER_ALONE : [],
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
