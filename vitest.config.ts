/**
 * Unit tests next to the source, and broader tests in `test/`: all in Node, on real SQLite and real sockets. Playwright runs the
 * tests in a browser.
 */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { keepCompiledModules } from './scripts/lib/compile-cache.ts'

keepCompiledModules()

/** Files that need their own process: they mock modules of Node, or measure their process's memory. */
const OWN_PROCESS = ['test/golden/sends.test.ts', 'test/promises/13-malformed-shown.test.ts']

/** Measures the memory of a served core, which a busy machine frees later. Runs after all others. */
const ALONE = ['test/promises/16-large-bodies.test.ts']

/** The slowest files on an idle machine, slowest first. One that starts late would end long after all others. */
const SLOWEST = [
  'integration/docs',
  'integration/replay-command',
  'integration/cli-exchange',
  'integration/damaged-database',
  'integration/cli-examples',
  'standin/mutants',
  'integration/random-payloads',
  'promises/03-what-arrived',
  'integration/cli-printing',
  'promises/01-stored-before-acknowledged',
  'integration/cli-serve',
  'integration/cli-keeping',
  'contract/contract',
  'integration/verification-snippets',
  'integration/cli-one-folder',
  'integration/repair-while-running',
  'promises/14-damaged-database',
  'integration/check-command',
  'integration/flow-command',
].map((name) => `/test/${name}.test.ts`)

/** Starts with the slowest files. Without results of an earlier run, vitest only knows the size of a file. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = SLOWEST.findIndex((name) => moduleId.endsWith(name))
      return index === -1 ? SLOWEST.length : index
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/built-workers.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{src,test}/**/*.test.{ts,tsx}'],
          exclude: [...OWN_PROCESS, ...ALONE, 'test/e2e/**', 'test/lint/fixtures/**'],
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
    sequence: { sequencer: SlowestFirst },
    setupFiles: ['test/support/no-open-servers.ts', 'test/support/seed-of-properties.ts'],
    // Generous, because a browser may use the same two cores. Tests of a promised time check it themselves.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
})
