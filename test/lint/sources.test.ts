/** Checks that no lint rule can express: searches the text of the sources. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { expect, test } from 'vitest'

interface Source {
  readonly file: string
  readonly text: string
}

const read = (files: readonly string[]): Source[] =>
  files.map((file) => ({ file: file.replaceAll('\\', '/'), text: readFileSync(file, 'utf8') }))

const sources = read(globSync('src/**/*.{ts,tsx,html}', { exclude: ['**/*.test.*'] }))
const tests = read([
  ...globSync('src/**/*.test.{ts,tsx}'),
  ...globSync('test/**/*.{ts,tsx}', { exclude: ['test/lint/**'] }),
])

/** Returns `file:line` of every line that matches. */
function places(pattern: RegExp, within: readonly Source[] = sources): string[] {
  return within.flatMap(({ file, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      ),
  )
}

test('there are sources to search', () => {
  expect(sources.length).toBeGreaterThan(40)
})

test("no import uses backticks, which the layer rules don't read", () => {
  expect(places(/\bimport\(\s*`/)).toEqual([])
})

test('no folder is created recursively, which can loop forever: use makeFolder of core/base/data-folder.ts', () => {
  expect(places(/\bmkdir(Sync)?\(.*recursive/)).toEqual([])
})

test('a short id has one form, that of shortIdOf: its last 8 characters', () => {
  const own = sources.filter(({ file }) => !file.endsWith('/model/delivery-ref.ts'))
  expect(places(/\b(id|\w+Id)\)?\.slice\((-|0, )\d/, own)).toEqual([])
  expect(places(/…\$\{[\w.]*\b(id|\w+Id)\b|\}…\$\{\w+\.slice/)).toEqual([])
})

test("a choice, a suggestion or a checkbox is that of ui/field.tsx, never the browser's own", () => {
  expect(places(/<(select|datalist|option|optgroup)\b/)).toEqual([])
  const others = sources.filter(({ file }) => file !== 'src/renderer/ui/field.tsx')
  expect(places(/type="checkbox"/, others)).toEqual([])
})

test('end-to-end tests click a field before they write into it', () => {
  const own = ['controls', 'filter.spec', 'body-columns.spec'].map((name) => `test/e2e/${name}.ts`)
  const others = tests.filter(({ file }) => file.startsWith('test/e2e/') && !own.includes(file))
  expect(places(/\.fill\(/, others)).toEqual([])
})

test('no test has its own time limit, which a busy computer could exceed: TEST_TIMEOUT_MS ends those that hang', () => {
  const waits =
    /\bvi\.wait(For|Until)\(|\btest\.setTimeout\(|\{ timeout: [\d_]+ \}|timeout: [\d_]+ \}\)\./
  expect(places(waits, tests)).toEqual([])
  expect(places(/\bexpect\(performance\.now\(\) - \w+\)\.toBeLess/, tests)).toEqual([])
})

test('no rule is disabled', () => {
  expect(places(/oxlint-disable|eslint-disable|@ts-(ignore|nocheck)|oxfmt-ignore/)).toEqual([])
})

/**
 * Returns every file and package that a file loads when it starts: its imports and theirs, except
 * types and dynamic imports.
 */
function loadedBy(file: string, visited = new Set<string>()): Set<string> {
  visited.add(file)
  const { text = '' } = sources.find((source) => source.file === file) ?? {}
  for (const [, names = '', from = ''] of text.matchAll(
    /^(?:import|export) (?!type )([^;'=]*?)from '([^']+)'/gm,
  )) {
    if (/^\{(\s*type [^,}]+,?)+\s*\}\s*$/.test(names)) continue
    const loaded = from.startsWith('.') ? join(dirname(file), from) : from
    if (!visited.has(loaded)) loadedBy(loaded, visited)
  }
  return visited
}

test("the store's threads start without zod, which takes longer to load than all the rest", () => {
  expect(loadedBy('src/shared/service/payload.ts')).toContain('zod')
  for (const thread of ['writer-thread.ts', 'reader-thread.ts', 'search/search-thread.ts']) {
    const loaded = loadedBy(`src/core/store/${thread}`)
    expect(loaded, thread).toContain('better-sqlite3')
    expect(loaded, thread).not.toContain('zod')
  }
})

/**
 * Reasons for casts through `unknown` in tests. Elsewhere such a cast could pass off a fake as a
 * real part.
 */
const castsThroughUnknown: Readonly<Record<string, string>> = {
  'src/core/commands/live-changes.test.ts':
    'Hooks, environments and a sandbox whose only properties are those that a command is guarded by.',
  'src/core/forwarding/forward-queue.test.ts':
    'Each microtask between two steps of the queue is tried, which a store with threads of its own does not allow.',
  'src/main/downloads.test.ts': "An event emitter in place of Electron's session.",
  'src/main/faults.test.ts': "Event emitters in place of Electron's app and window.",
  'src/main/ipc-transport.test.ts': "An event emitter in place of Electron's.",
  'src/main/link-and-file-opener.test.ts':
    "An event emitter and two functions in place of Electron's app, dialog and window.",
  'src/renderer/core-data/asking-client.test.ts': 'A client that rejects as a core would.',
  'test/standin/browser-window.ts': "A constructor in place of Electron's.",
  'test/standin/shell-parts.ts': "Constructors in place of Electron's.",
}

test('tests use real parts: none casts through unknown, except those listed here', () => {
  expect(tests.length).toBeGreaterThan(400)
  const casts = [
    ...new Set(places(/\bas unknown as\b/, tests).map((place) => place.split(':')[0] ?? '')),
  ]
  expect(casts.toSorted()).toEqual(Object.keys(castsThroughUnknown).toSorted())
})
