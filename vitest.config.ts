/** Unit tests beside the source, wider ones under `test/`: all in Node, on real SQLite and real sockets. The browser's are Playwright's. */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { keepCompiledModules } from './scripts/lib/compile-cache.ts'

keepCompiledModules()

/** Folders of the core whose tests open nothing. */
const ON_VALUES = '{handler-check,lifecycle,shrink,signature}'

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'plain',
          include: ['src/{shared,renderer,main}/**/*.test.{ts,tsx}', `src/core/${ON_VALUES}/**/*.test.ts`],
          // Functions on values: with nothing to reach another file by, they share processes, and what these have compiled.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'node',
          include: ['src/{core,cli,loopback}/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [`src/core/${ON_VALUES}/**`, 'test/e2e/**', 'test/lint/fixtures/**'],
          globalSetup: ['test/support/built-workers.ts'],
        },
      },
    ],
    environment: 'node',
    // A process a file: a native module, signals and open sockets of one file cannot reach another.
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
