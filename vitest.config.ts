/**
 * Unit tests next to the source, and broader tests in `test/`: all in Node, on real SQLite and real sockets. Playwright runs the
 * tests in a browser.
 */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { keepCompiledModules } from './scripts/lib/compile-cache.ts'
import { TEST_TIMEOUT_MS } from './test/support/long-form.ts'

keepCompiledModules()

/** Files that need their own process: they mock modules of Node, or measure their process's memory. */
const OWN_PROCESS = ['test/golden/sends.test.ts', 'test/promises/13-malformed-shown.test.ts']

/** Measures the memory of a served core, which a busy machine frees later. Runs after all others. */
const ALONE = ['test/promises/16-large-bodies.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['test/support/built-workers.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{src,test}/**/*.test.{ts,tsx}'],
          exclude: [...OWN_PROCESS, ...ALONE, 'test/e2e/**'],
          // Files share processes: starting one and loading the core takes half a second. A file that leaves handles open fails.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'own', include: OWN_PROCESS } },
      { extends: true, test: { name: 'alone', include: ALONE, sequence: { groupOrder: 1 } } },
    ],
    environment: 'node',
    pool: 'forks',
    // A file spends half its time waiting for a disk or a process, so three at a time keep two processors busy.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    setupFiles: ['test/support/no-open-servers.ts', 'test/support/seed-of-properties.ts'],
    // Generous, because the computer may be busy. Tests of a promised time check it themselves.
    expect: { poll: { timeout: 25_000 } },
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    teardownTimeout: 10_000,
  },
})
