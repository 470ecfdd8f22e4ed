/** `npm test -- --changed` runs every test that a change affects, even without an import. */
import { existsSync, globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { testsOf } from '../../scripts/lib/changed.ts'

const hostsOf = (...files: string[]) => testsOf(files).inHosts.map(({ host }) => host)
const inNode = (...files: string[]) => testsOf(files).inNode ?? []

test('no changes run nothing', () => {
  expect(testsOf([])).toEqual({ inNode: null, inHosts: [] })
})

test('a source runs the tests that import it, and those that start the program built from it', () => {
  expect(inNode('src/cli/print.ts').slice(0, 3)).toEqual(['related', '--run', '--passWithNoTests'])
  expect(inNode('src/cli/print.ts')).toEqual(
    expect.arrayContaining([
      'src/cli/print.ts',
      'test/integration/cli-fixture.ts',
      'test/lint/sources.test.ts',
    ]),
  )
  expect(inNode('src/core/store/writer-thread.ts')).toContain('test/support/test-core.ts')
  expect(inNode('src/renderer/index.tsx')).not.toContain('test/integration/cli-fixture.ts')
  expect(inNode('src/cli/print.test.ts')).toEqual([
    'related',
    '--run',
    '--passWithNoTests',
    'src/cli/print.test.ts',
    'test/lint/sources.test.ts',
  ])
})

test('a document, a script and a fixture run the tests that read them', () => {
  expect(inNode('docs/security.md')).toContain('test/integration/documented-security.test.ts')
  expect(inNode('README.md')).toContain('test/integration/docs.test.ts')
  expect(inNode('scripts/build.mjs')).toContain('test/integration/cli-build.test.ts')
  expect(inNode('test/fixtures/signatures/openssl.json')).toContain(
    'test/integration/signature-vectors.test.ts',
  )
})

test('files that every test depends on run all Node tests', () => {
  for (const file of ['package-lock.json', 'vitest.config.ts', 'test/support/no-open-servers.ts']) {
    expect(existsSync(file)).toBe(true)
    expect(testsOf([file]).inNode).toEqual(['run'])
  }
})

test('each host runs if its windows depend on the change', () => {
  const every = ['loopback', 'standin', 'electron']
  for (const file of [
    'src/core/app/core.ts',
    'src/renderer/index.html',
    'src/shared/x.ts',
    'test/e2e/fixtures.ts',
    'package-lock.json',
  ])
    expect(hostsOf(file)).toEqual(every)
  expect(hostsOf('src/cli/index.ts')).toEqual(['loopback'])
  expect(hostsOf('src/loopback/routes.ts')).toEqual(['loopback'])
  expect(hostsOf('src/main/menu.ts')).toEqual(['standin', 'electron'])
  expect(hostsOf('test/standin/ipc.ts')).toEqual(['standin'])
  expect(
    hostsOf('src/core/base/ids.test.ts', 'docs/cli.md', 'test/integration/cli-fixture.ts'),
  ).toEqual([])
})

test('a changed spec runs only itself', () => {
  const file = 'test/e2e/live.spec.ts'
  expect(testsOf([file]).inHosts[0]).toEqual({
    host: 'loopback',
    args: ['--pass-with-no-tests', file],
  })
  expect(testsOf([file, 'src/renderer/index.tsx']).inHosts[0]).toEqual({
    host: 'loopback',
    args: [],
  })
})

test('the rules name existing files', () => {
  const reached = inNode('src/core/store/store.ts', 'bin/countersign.mjs').slice(3)
  for (const file of reached.filter((path) => path.startsWith('test/')))
    expect(existsSync(file), file).toBe(true)
  for (const folder of ['src/cli', 'src/core/base/threads', 'src/preload', 'test/standin'])
    expect(globSync(`${folder}/**/*.ts`).length, folder).toBeGreaterThan(0)
})
