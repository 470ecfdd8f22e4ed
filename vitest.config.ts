/** Unit tests beside the source, wider ones under `test/`: all in Node, on real SQLite and real sockets. The browser's are Playwright's. */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { keepCompiledModules } from './scripts/lib/compile-cache.ts'

keepCompiledModules()

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'test/lint/fixtures/**'],
    environment: 'node',
    // A process a file: a native module, signals and open sockets of one file cannot reach another.
    pool: 'forks',
    // Much of a file is waiting for a disk or a process: on two cores, two files at a time take two thirds of the time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    globalSetup: ['test/support/built-workers.ts'],
    setupFiles: ['test/support/no-open-servers.ts', 'test/support/seed-of-properties.ts'],
    // Generous, because two cores may be shared with a browser; a promise with a time of its own asserts that time itself.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
})
