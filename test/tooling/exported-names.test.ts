/**
 * Checks that an exported name has one meaning in the tree: if two files export the same name, one
 * is renamed, or the table below gives the reason.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

/** Names that several files export, with the reason. */
const exportedTwice: Readonly<Record<string, string>> = {
  add: 'Each module of cli/commands adds its command; the program imports the modules as namespaces.',
  ownScreens: 'Each feature exports its screens, and the window finds them by this name.',
}

const root = new URL('../../src/', import.meta.url)

function exportedNames(path: string): string[] {
  const { program } = parseSync(path, readFileSync(new URL(path, root), 'utf8'))
  return program.body.flatMap((statement): string[] => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration === null) return []
    const { declaration } = statement
    if (declaration.type === 'VariableDeclaration')
      return declaration.declarations.flatMap(({ id }) =>
        id.type === 'Identifier' ? [id.name] : [],
      )
    return 'id' in declaration && declaration.id?.type === 'Identifier' ? [declaration.id.name] : []
  })
}

/**
 * Returns files of `src` by exported name; a type and a value with the same name in one file count
 * once. Omits the library, whose names are for other programs.
 */
function filesByName(): Map<string, Set<string>> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !/\.(?:test|d)\.tsx?$|^library/.test(path),
  )
  const names = new Map<string, Set<string>>()
  for (const path of files.map((file) => file.replaceAll('\\', '/')).toSorted())
    for (const name of exportedNames(path))
      names.set(name, (names.get(name) ?? new Set()).add(path))
  return names
}

const filesByExport = filesByName()

test('a name is exported by one file, or the table gives the reason', () => {
  expect(filesByExport.size).toBeGreaterThan(1_000)
  const twice = [...filesByExport].filter(([, files]) => files.size > 1)
  const unexplained = twice
    .filter(([name]) => !(name in exportedTwice))
    .map(([name, files]) => `${name}: ${[...files].join(', ')}`)
  expect(unexplained).toEqual([])
})

test('every name in the table is exported by several files', () => {
  expect(
    Object.keys(exportedTwice).filter((name) => (filesByExport.get(name)?.size ?? 0) < 2),
  ).toEqual([])
})
