/**
 * Checks `docs/architecture.md` against the source: every path on it exists, and every folder of `src` to the second level is
 * described.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const page = readFileSync('docs/architecture.md', 'utf8')

/** Folders whose files are data for one tool, not code. */
const NOT_DESCRIBED = ['src/renderer/public', 'src/renderer/styles']

function foldersOf(path: string): string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`${path}/${entry.name}`] : [],
  )
}

test('every source folder to the second level is described', () => {
  const folders = foldersOf('src').flatMap((folder) => [folder, ...foldersOf(folder)])
  expect(folders.length).toBeGreaterThan(40)
  expect(
    folders.filter((folder) => !NOT_DESCRIBED.includes(folder) && !page.includes(`\`${folder}\``)),
  ).toEqual([])
})

test('every path on the page exists', () => {
  const paths = [...page.matchAll(/`((?:src|test|scripts|docs|bin)\/[\w./-]*)`/g)].map(
    (match) => match[1] ?? '',
  )
  expect(paths.length).toBeGreaterThan(60)
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
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
        ![...folders, 'src/renderer/state', 'src/core/store'].some((folder) =>
          existsSync(`${folder}/${file}`),
        ),
    )
  })
  expect(missing).toEqual([])
})
