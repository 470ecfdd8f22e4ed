/**
 * Compares `docs/contributing/architecture.md` with the source: the drawing of the folders and the
 * table of imports. `npx vitest run test/tooling/architecture-page.test.ts -u` rewrites both; a new
 * folder needs its description.
 */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { coreMayImport, featureMayImport, mayImport } from '../../oxlint.config.ts'
import { code, expectPage, table, withPart } from '../support/docs-tables.ts'

const FILE = resolve('docs/contributing/architecture.md')
const page = readFileSync(FILE, 'utf8')

/** The drawing counts as written text, because its descriptions are. */
const DRAWING = /<!-- folders -->\s+```text\n[^]*?```/

const foldersOf = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

/** Descriptions on the page of each folder of the drawing, in its order. */
const described = [...page.matchAll(/^[├└│ ]+─ ([\w-]+) *(.*)$/gm)].map(
  ([, name = '', text = '']) => ({ name, text }),
)

/** Draws the folders of the sources to the second level, sorted, each with its description. */
function drawing(): string {
  let next = 0
  const line = (start: string, name: string) => {
    const at = described.findIndex((one, index) => index >= next && one.name === name)
    if (at >= 0) next = at + 1
    return `${start} ${name}`.padEnd(28) + (described[at]?.text ?? '')
  }
  const tops = foldersOf('src').toSorted()
  const lines = tops.flatMap((top, index) => {
    const isLast = index === tops.length - 1
    // Only the core, the window and the shared code have folders within folders.
    const rooms = ['core', 'renderer', 'shared'].includes(top)
      ? foldersOf(`src/${top}`).toSorted()
      : []
    return [
      line(isLast ? '└─' : '├─', top),
      ...rooms.map((room, at) =>
        line(`${isLast ? ' ' : '│'}  ${at === rooms.length - 1 ? '└─' : '├─'}`, room),
      ),
    ]
  })
  return ['src', ...lines].join('\n')
}

/** Returns the rules of the linter: who may import whom. */
function imports(): string {
  const rows = (folder: string, rules: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(rules).map(([name, others]) => [
      code(`${folder}/${name}`),
      others.map(code).join(', '),
    ])
  return table(
    ['folder', 'may import'],
    [
      ...rows('src', mayImport),
      ...rows('src/core', coreMayImport),
      ...rows('src/renderer/features', featureMayImport),
    ],
  )
}

test('the page has the source folders and the imports that the linter allows', async () => {
  const drawn = page.replace(DRAWING, () => `<!-- folders -->\n\n\`\`\`text\n${drawing()}\n\`\`\``)
  await expectPage(FILE, withPart(drawn, 'imports', imports()))
  expect(described.filter(({ text }) => text === '')).toEqual([])
  const files = described.flatMap(({ text }) => text.match(/[\w-]+\.ts/g) ?? [])
  expect(files.filter((file) => globSync(`src/**/${file}`).length === 0)).toEqual([])
})

test('a file named without its folder is in a folder that the same step names', () => {
  const steps = page.split(/\n(?=\d+\. )/).filter((step) => /^\d+\. /.test(step))
  expect(steps.length).toBeGreaterThan(10)
  const missing = steps.flatMap((step) => {
    const text = step.split('\n\n')[0] ?? ''
    const folders = [...text.matchAll(/`(src\/[\w./-]+)`/g)].map(([, path = '']) =>
      path.replace(/\/[^/]+\.tsx?$/, ''),
    )
    const files = [...text.matchAll(/`([\w-]+\.tsx?)`/g)].map(([, file = '']) => file)
    return files.filter(
      (file) =>
        ![...folders, 'src/renderer/ui-state', 'src/core/store'].some((folder) =>
          existsSync(`${folder}/${file}`),
        ),
    )
  })
  expect(missing).toEqual([])
})
