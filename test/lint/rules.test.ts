/**
 * Proves that each lint rule works on files that break it. The linter's output must match their
 * marks exactly, so a rule that stops working and a rule that reports too much both fail.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { coreMayImport } from '../../oxlint.config.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { fixtures } from './fixtures.ts'

const reportSchema = z.object({
  diagnostics: z.array(
    z.object({
      code: z.string(),
      message: z.string(),
      help: z.string().default(''),
      filename: z.string(),
      labels: z.array(z.object({ span: z.object({ line: z.number() }) })),
    }),
  ),
})

/** Writes the fixtures to a new folder, with the project's packages and compiler options. */
function writeFixtures(): string {
  const folder = temporaryFolder()
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction')
  const compilerOptions = {
    lib: ['es2025', 'dom', 'dom.iterable'],
    types: ['node'],
    jsx: 'react-jsx',
  }
  const tsconfig = { extends: resolve('tsconfig.base.json'), compilerOptions, include: ['src'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  for (const [path, lines] of Object.entries(fixtures)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), `${lines.join('\n')}\n`)
  }
  return folder
}

/**
 * Returns `file:line CODE` of every mark, with its message if it has one. A mark may list several
 * codes.
 */
function marks([file, lines]: [string, readonly string[]]) {
  return lines.flatMap((line, index) => {
    const match = /\/\/ expect ((?:\S+\(\S+\) ?)+)(?:: (.*))?$/.exec(line)
    const codes = match?.[1]?.trim().split(' ') ?? []
    return codes.map((code) => ({ place: `${file}:${index + 1} ${code}`, words: match?.[2] }))
  })
}

const run = spawnSync(
  process.execPath,
  [
    resolve('node_modules/oxlint/bin/oxlint'),
    ...['--type-aware', '--format', 'json', '-c', resolve('oxlint.config.ts'), 'src'],
  ],
  { cwd: writeFixtures(), encoding: 'utf8' },
)
const reported = reportSchema.parse(JSON.parse(run.stdout)).diagnostics.map((item) => ({
  place: `${item.filename.replaceAll('\\', '/')}:${item.labels[0]?.span.line ?? 0} ${item.code}`,
  words: `${item.message} ${item.help}`,
}))
const expected = Object.entries(fixtures).flatMap(marks)

test('the linter fails the fixtures', () => {
  expect(run.status).toBe(1)
})

test('the linter reports exactly the marks of every fixture', () => {
  expect(reported.map((item) => item.place).sort()).toEqual(
    expected.map((item) => item.place).sort(),
  )
})

test("the project's own rules report the project's own messages", () => {
  const others = expected.filter(
    ({ place, words }) =>
      words !== undefined &&
      reported.find((item) => item.place === place)?.words.includes(words) !== true,
  )
  expect(others).toEqual([])
})

test('every folder of core is in the table of allowed imports', () => {
  const folders = readdirSync('src/core', { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
  expect(Object.keys(coreMayImport).sort()).toEqual([...folders, 'outgoing/wire'].sort())
})
