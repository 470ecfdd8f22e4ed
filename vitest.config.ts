/**
 * Unit tests next to the source, and broader tests in `test/`: all in Node, on real SQLite and real
 * sockets. Playwright runs the tests in a browser. A test file is in the first ring, which `npm
 * test` runs, unless `REST` lists it; `npm run test:all` runs both.
 */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { keepCompiledModules } from './scripts/lib/compile-cache.ts'
import { TEST_TIMEOUT_MS } from './test/support/long-form.ts'

keepCompiledModules()

/** Tests that take other people's programs, whole packages or many processes. */
const REST = [
  // The desktop app on its stand-in.
  'test/standin/**/*.test.ts',
  // Browsers, packages and containers.
  'test/integration/{loopback-chromium,package-chromium,packaging,container-and-action}.test.ts',
  'test/tooling/{electron-binary,packaging,smoke}.test.ts',
  // The commands of the docs and the help pages.
  'test/integration/{docs,cli-examples}.test.ts',
  // What we write for other tools, run by them: compilers, test runners and shells.
  'test/integration/{library,exported-tests,payload-types,verification-snippets,completion}.test.ts',
  'test/integration/cli-build.test.ts',
  // A process for each step.
  'test/promises/15-killed-copies.test.ts',
]

/** Mocks modules of Node, so it needs its own process. */
const OWN_PROCESS = ['test/golden/sends.test.ts', 'test/promises/13-malformed-shown.test.ts']

/**
 * Measures the memory of a served core, which a busy machine frees later. Runs after all others.
 */
const ALONE = ['test/promises/16-large-bodies.test.ts']

/** Number of processes that a file may start. */
const FEW = { mostStarts: 15 }
const MANY = { mostStarts: Number.MAX_SAFE_INTEGER }

export default defineConfig({
  test: {
    globalSetup: ['test/support/built-workers.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'first',
          include: ['{src,test}/**/*.test.{ts,tsx}'],
          exclude: [...REST, ...OWN_PROCESS, ...ALONE, 'test/e2e/**'],
          provide: FEW,
          // Files share processes: starting one and loading the core takes half a second. A file
          // that leaves handles open fails.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'first-alone', include: OWN_PROCESS, provide: FEW } },
      { extends: true, test: { name: 'rest', include: REST, provide: MANY, isolate: false } },
      {
        extends: true,
        test: { name: 'rest-alone', include: ALONE, provide: MANY, sequence: { groupOrder: 1 } },
      },
    ],
    environment: 'node',
    pool: 'forks',
    // Without the public CA certificates, which no test trusts: each TLS client would parse all of
    // them.
    execArgv: ['--use-openssl-ca'],
    // A file spends half its time waiting for a disk or a process, so three at a time keep two
    // processors busy.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    setupFiles: [
      'test/support/cost-of-file.ts',
      'test/support/no-open-servers.ts',
      'test/support/seed-of-properties.ts',
    ],
    expect: { poll: { timeout: TEST_TIMEOUT_MS } },
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    teardownTimeout: TEST_TIMEOUT_MS,
  },
})
