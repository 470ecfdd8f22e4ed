/** Unit tests beside the source, wider ones under `test/`: all in Node, on real SQLite and real sockets. The browser's are Playwright's. */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { keepCompiledModules } from './scripts/lib/compile-cache.ts'

keepCompiledModules()

/** Files that need a process of their own: they replace modules of Node, or measure the memory of their process. */
const OWN_PROCESS = ['test/golden/sends.test.ts', 'test/promises/13-malformed-shown.test.ts']

/** It measures the memory of a served core, which a busy machine frees later: it runs alone, after all others. */
const ALONE = ['test/promises/16-large-bodies.test.ts']

/** The files that take the longest on a quiet machine, slowest first. One that began late would end long after all others. */
const SLOWEST = [
  'integration/docs',
  'integration/replay-command',
  'integration/cli-exchange',
  'integration/damaged-database',
  'promises/03-what-arrived',
  'integration/cli-printing',
  'promises/01-stored-before-acknowledged',
  'integration/cli-serve',
  'integration/cli-keeping',
  'contract/contract',
  'integration/cli-one-folder',
  'integration/repair-while-running',
  'promises/14-damaged-database',
  'integration/check-command',
  'integration/flow-command',
].map((name) => `/test/${name}.test.ts`)

/** Begins with the slowest files; without results of an earlier run, vitest goes by the size of a file alone. */
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
          // A process for many files: its start and the modules of the core take half a second of each. What a file leaves open fails it.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'own', include: OWN_PROCESS } },
      { extends: true, test: { name: 'alone', include: ALONE, sequence: { groupOrder: 1 } } },
    ],
    environment: 'node',
    pool: 'forks',
    // A file waits half of its time for a disk or a process: three at a time keep two processors busy, beside the browsers too.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: SlowestFirst },
    setupFiles: ['test/support/no-open-servers.ts', 'test/support/seed-of-properties.ts'],
    // Generous, because two cores may be shared with a browser; a promise with a time of its own asserts that time itself.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
})
