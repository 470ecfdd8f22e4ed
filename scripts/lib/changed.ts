/**
 * Selects the tests that a change affects, for `npm test -- --changed`; may select too many, not
 * too few.
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'

export interface ChangedTests {
  /** Arguments of vitest; null if no Node test is affected. */
  readonly inNode: readonly string[] | null
  readonly inHosts: readonly { readonly host: string; readonly args: readonly string[] }[]
}

const OF_EVERY_TEST =
  /^(package(-lock)?\.json|tsconfig\.base\.json|vitest\.config\.ts|test\/tsconfig\.json|test\/support\/(no-open-servers|seed-of-properties|built-(workers|cli))\.ts)$/

/** Files whose changes only Node tests see, even in folders of the windows. */
const TEST_IN_NODE = /\.test\.tsx?$/

/** Dependencies that imports don't show: the built program and its threads. */
const BUILT: readonly { readonly changed: RegExp; readonly reaches: readonly string[] }[] = [
  {
    changed: /^(src\/(cli|core|loopback|shared)|bin)\//,
    reaches: ['test/integration/cli-fixture.ts', 'test/support/served-core.ts'],
  },
  {
    changed: /^src\/(core\/(store|signature|shrinking|base)|shared)\//,
    reaches: ['test/support/test-core.ts'],
  },
]

/** Parts of each host's windows, besides the specs themselves. */
const WINDOW =
  /^(src\/(core|shared|renderer)|test\/(e2e|support))\/|^playwright\.config\.ts$|^package(-lock)?\.json$/
const HOSTS: readonly { readonly host: string; readonly changed: RegExp }[] = [
  { host: 'loopback', changed: /^(src\/(cli|loopback)|bin)\// },
  { host: 'standin', changed: /^(src\/(main|preload)|test\/standin)\// },
  { host: 'electron', changed: /^src\/(main|preload)\// },
]
const SPEC = /^test\/e2e\/.*\.spec\.ts$/

/**
 * Returns how tests that read a file refer to it: `README.md`, or its folder (`docs/`, `scripts/`).
 */
function nameInTests(file: string): string | null {
  const [top = '', second, ...deeper] = file.split('/')
  if (second === undefined) return file
  if (top === 'src' || top === '.github') return null
  if (top !== 'test') return `${top}/`
  return deeper.length > 0 ? `${second}/` : null
}

function testsThatRead(files: readonly string[]): string[] {
  const names = new Set(files.filter((file) => !TEST_IN_NODE.test(file)).map(nameInTests))
  names.delete(null)
  if (names.size === 0) return []
  const tests = globSync(['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'])
  return tests.filter((test) => {
    const text = readFileSync(test, 'utf8')
    return [...names].some((name) => name !== null && text.includes(name))
  })
}

export function testsOf(files: readonly string[]): ChangedTests {
  if (files.length === 0) return { inNode: null, inHosts: [] }
  const inWindows = files.filter((file) => !TEST_IN_NODE.test(file))
  const inHosts = HOSTS.flatMap(({ host, changed }) => {
    if (inWindows.some((file) => (WINDOW.test(file) && !SPEC.test(file)) || changed.test(file)))
      return [{ host, args: [] }]
    const specs = files.filter((file) => SPEC.test(file))
    return specs.length === 0 ? [] : [{ host, args: ['--pass-with-no-tests', ...specs] }]
  })
  if (files.some((file) => OF_EVERY_TEST.test(file))) return { inNode: ['run'], inHosts }
  const built = BUILT.flatMap(({ changed, reaches }) =>
    inWindows.some((file) => changed.test(file)) ? reaches : [],
  )
  const ofSources = files.some((file) => /^src\/.*\.(tsx?|html)$/.test(file))
    ? ['test/lint/sources.test.ts']
    : []
  const sources = files.filter(
    (file) => /\.(tsx?|mts|mjs|md|json|css)$/.test(file) && !SPEC.test(file),
  )
  const reached = [...new Set([...sources, ...built, ...ofSources, ...testsThatRead(files)])]
  return {
    inNode: reached.length === 0 ? null : ['related', '--run', '--passWithNoTests', ...reached],
    inHosts,
  }
}

function git(...args: readonly string[]): string[] {
  const stdout = execFileSync('git', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 1_048_576,
  })
  return stdout.split(/[\n\0]/).filter((line) => line !== '')
}

function branchPoint(): string | null {
  for (const main of ['main', 'origin/main'])
    try {
      return git('merge-base', 'HEAD', main)[0] ?? null
    } catch {
      // Main does not exist here.
    }
  return null
}

/**
 * Returns the files that differ from main, or on main the uncommitted ones, else those of the last
 * commit.
 */
export function changedFiles(): { readonly since: string; readonly files: readonly string[] } {
  const [head = ''] = git('rev-parse', 'HEAD')
  const point = branchPoint()
  const isOnMain = point === null || point === head
  const isClean = git('status', '--porcelain').length === 0
  const [since, base] = !isOnMain
    ? ['main', point]
    : isClean
      ? ['the commit before last', 'HEAD~1']
      : ['the last commit', 'HEAD']
  const files = [
    ...git('diff', '--name-only', '--diff-filter=d', '-z', base),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ]
  return { since, files: [...new Set(files)].toSorted() }
}
