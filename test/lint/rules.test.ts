/**
 * Proves that each lint rule works: fixture files break it, each offending line is marked with the expected message (`expect CODE:
 * words`), and other lines must pass. The linter's output must match the marks exactly, so a rule that stops working and a rule
 * that reports too much both fail.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { coreMayImport } from '../../oxlint.config.ts'

const folder = 'test/lint/fixtures'
const oxlint = 'node_modules/oxlint/bin/oxlint'

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

function lint(...args: string[]) {
  return spawnSync(process.execPath, [oxlint, '--type-aware', '--format', 'json', ...args], {
    encoding: 'utf8',
  })
}

function fixtures(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .sort()
}

/** `file:line CODE` of every mark, with the message if the mark has one. A mark may list several codes. */
function marks(file: string): { place: string; words: string | undefined }[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const match = /\/\/ expect ((?:\S+\(\S+\) ?)+)(?:: (.*))?$/.exec(line)
      const codes = match?.[1]?.trim().split(' ') ?? []
      return codes.map((code) => ({ place: `${file}:${index + 1} ${code}`, words: match?.[2] }))
    })
}

const run = lint('-c', 'test/lint/fixtures.config.ts', folder)
const found = reportSchema.parse(JSON.parse(run.stdout)).diagnostics.map((item) => ({
  place: `${item.filename.replaceAll('\\', '/')}:${item.labels[0]?.span.line ?? 0} ${item.code}`,
  words: `${item.message} ${item.help}`,
}))
const expected = fixtures().flatMap(marks)

test('the linter fails the fixtures', () => {
  expect(run.status).toBe(1)
})

test('the linter reports exactly the marks of every fixture', () => {
  expect(found.map((item) => item.place).sort()).toEqual(expected.map((item) => item.place).sort())
})

test("the project's own rules report the project's own messages", () => {
  const others = expected.filter(
    ({ place, words }) =>
      words !== undefined &&
      found.find((item) => item.place === place)?.words.includes(words) !== true,
  )
  expect(others).toEqual([])
})

test('the ordinary run leaves the fixtures out', () => {
  const { stdout } = lint(folder)
  expect(stdout).not.toContain('fixtures/src')
})

test('every folder of core is in the table of allowed imports', () => {
  const folders = readdirSync('src/core', { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
  expect(Object.keys(coreMayImport).sort()).toEqual([...folders, 'outgoing/wire'].sort())
})
