/** Unit tests beside the source, wider ones under `test/`: all in Node, on real SQLite and real sockets. The browser's are Playwright's. */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { keepCompiledModules } from './scripts/lib/compile-cache.ts'

keepCompiledModules()

/** Files that change nothing of their process: no folder, no signals, no memory to be measured. */
const SHARED = ['src/**/*.test.{ts,tsx}']

export default defineConfig({
  test: {
    globalSetup: ['test/support/built-workers.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: SHARED,
          // A process for many files: its start and the modules of the core take half a second of each. What a file leaves open fails it.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'own', include: ['test/**/*.test.ts'], exclude: [...SHARED, 'test/e2e/**', 'test/lint/fixtures/**'] },
      },
    ],
    environment: 'node',
    pool: 'forks',
    // Much of a file is waiting for a disk or a process: on two cores, two files at a time take two thirds of the time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    setupFiles: ['test/support/no-open-servers.ts', 'test/support/seed-of-properties.ts'],
    // Generous, because two cores may be shared with a browser; a promise with a time of its own asserts that time itself.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
})
